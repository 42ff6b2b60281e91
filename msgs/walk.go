package msgs

import "strings"

// Check walks data and says whether it holds a whole message of this type. Bytes
// after the message are allowed, as ROS tools allow them.
func (s *Spec) Check(data []byte) error {
	_, err := s.Size(data)
	return err
}

// Size is the number of bytes at the start of data that the message takes.
func (s *Spec) Size(data []byte) (int, error) {
	d := NewDecoder(data)
	s.skip(d)
	return d.Pos(), d.Err()
}

// skip moves d past one message. What has a fixed size is one step, so that
// pixels cost nothing. A type whose least size exceeds what is left ends the walk
// at once, which also bounds it for definitions made to be hostile.
func (s *Spec) skip(d *Decoder) {
	if s.fixed || s.min > int64(d.Remaining()) {
		d.take(s.min)
		return
	}
	for i := range s.Fields {
		s.Fields[i].skip(d)
		if d.err != nil {
			return
		}
	}
}

func (f *Field) skip(d *Decoder) {
	n := f.count(d)
	if f.fixedElem() {
		d.take(int64(n) * f.elemSize())
		return
	}
	for range n {
		if d.err != nil {
			return
		}
		if f.Kind == KindString {
			d.Bytes()
		} else {
			f.Sub.skip(d)
		}
	}
}

// count reads how many elements follow: 1 for what is no array.
func (f *Field) count(d *Decoder) int {
	switch {
	case !f.Array:
		return 1
	case f.Len == Variable:
		return d.Len(int(f.elemSize()))
	}
	return f.Len
}

func (s *Spec) isHeader() bool {
	return strings.HasSuffix(s.Name, "/Header") && s.stampOffset() >= 0
}

// stampOffset is where a Header's stamp lies, or -1.
func (s *Spec) stampOffset() int64 {
	at := int64(0)
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == "stamp" && f.Kind == KindTime && !f.Array {
			return at
		}
		if !f.fixedElem() || f.Array && f.Len == Variable {
			return -1
		}
		at += f.minSize()
	}
	return -1
}

// ownHeader is the type of the header that messages of this type begin with, or nil.
func (s *Spec) ownHeader() *Spec {
	if len(s.Fields) == 0 || s.Fields[0].Sub == nil || s.Fields[0].Array || !s.Fields[0].Sub.isHeader() {
		return nil
	}
	return s.Fields[0].Sub
}

// Stamp is the stamp of the message's own header; false if its type has none
// in first place or data is too short.
func (s *Spec) Stamp(data []byte) (Time, bool) {
	h := s.ownHeader()
	if h == nil {
		return 0, false
	}
	d := NewDecoder(data)
	d.take(h.stampOffset())
	t := d.Time()
	return t, d.Err() == nil
}

// Seq is the number that the message's own header has; false if its type has no
// header in first place or data is too short.
func (s *Spec) Seq(data []byte) (uint32, bool) {
	if !s.Numbered() {
		return 0, false
	}
	d := NewDecoder(data)
	seq := d.U32()
	return seq, d.Err() == nil
}

// Numbered says whether messages of this type begin with a header that has a number.
func (s *Spec) Numbered() bool {
	h := s.ownHeader()
	return h != nil && h.Fields[0].Name == "seq" && h.Fields[0].Kind == KindUint32 && !h.Fields[0].Array
}

// Stamped says whether messages of this type carry header stamps at any depth.
func (s *Spec) Stamped() bool { return s.stamped }

// ShiftStamps moves the stamp of every Header in the message, at any depth, by
// the given duration, in place. A stamp of zero means "none" and stays. It gives
// the number of stamps moved; on an error, those before it have been moved.
func (s *Spec) ShiftStamps(data []byte, by Duration) (int, error) {
	if !s.stamped {
		return 0, nil
	}
	d := NewDecoder(data)
	n := s.shift(d, by)
	return n, d.Err()
}

func (s *Spec) shift(d *Decoder, by Duration) int {
	if !s.stamped || s.min > int64(d.Remaining()) {
		s.skip(d)
		return 0
	}
	moved := 0
	if s.isHeader() {
		moved += shiftTime(d.b[d.pos+int(s.stampOffset()):], by)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != KindStruct || !f.Sub.stamped {
			f.skip(d)
			continue
		}
		for range f.count(d) {
			if d.err == nil {
				moved += f.Sub.shift(d, by)
			}
		}
	}
	return moved
}

// shiftTime rewrites the time at the start of b.
func shiftTime(b []byte, by Duration) int {
	t := NewDecoder(b).Time()
	if t == 0 {
		return 0
	}
	e := Encoder{B: b[:0]} // in place: exactly 8 bytes
	e.Time(max(t+Time(by), 0))
	return 1
}
