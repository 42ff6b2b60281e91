package msgs

import "strings"

// Check returns an error if data isn't a complete message of this type. As in ROS tools,
// bytes after the message are ignored.
func (s *Spec) Check(data []byte) error {
	_, err := s.Size(data)
	return err
}

// Size returns the size of the message at the start of data.
func (s *Spec) Size(data []byte) (int, error) {
	d := NewDecoder(data)
	s.skip(d)
	return d.Pos(), d.Err()
}

// skip advances d past a message. Parts of fixed size, such as pixels, are one step. It fails immediately if less than
// the minimum size is left, which also bounds the time for hostile definitions.
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

func (f *Field) skip(d *Decoder) { f.skipElements(d, f.count(d)) }

func (f *Field) skipElements(d *Decoder, n int) {
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

// count reads the number of elements; 1 unless the field is an array.
func (f *Field) count(d *Decoder) int {
	switch {
	case !f.Array:
		return 1
	case f.Len == Variable:
		return d.Len(int(f.elemSize()))
	}
	return f.Len
}

func (s *Spec) isHeader() bool { return strings.HasSuffix(s.Name, "/Header") && s.stampOffset() >= 0 }

// stampOffset returns the offset of a Header's stamp, or -1.
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
		at += f.MinSize()
	}
	return -1
}

// ownHeader returns the type of the header at the start of messages, or nil.
func (s *Spec) ownHeader() *Spec {
	if len(s.Fields) == 0 || s.Fields[0].Sub == nil || s.Fields[0].Array || !s.Fields[0].Sub.isHeader() {
		return nil
	}
	return s.Fields[0].Sub
}

// Stamp returns the stamp of the header at the start of the message. It returns false if
// there is none or data is too short.
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

// Seq returns the number in the header at the start of the message. It returns false if
// there is none or data is too short.
func (s *Spec) Seq(data []byte) (uint32, bool) {
	if !s.Numbered() {
		return 0, false
	}
	d := NewDecoder(data)
	seq := d.U32()
	return seq, d.Err() == nil
}

// Numbered reports whether messages start with a header with a number.
func (s *Spec) Numbered() bool {
	h := s.ownHeader()
	return h != nil && h.Fields[0].Name == "seq" && h.Fields[0].Kind == KindUint32 && !h.Fields[0].Array
}

// Stamped reports whether messages contain header stamps at any depth.
func (s *Spec) Stamped() bool { return s.stamped }

// ShiftStamps adds by to the stamp of each Header in the message, at any depth, in place. It doesn't change zero
// stamps, which mean "none". It returns the number of changed stamps, also on error.
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

// shiftTime shifts the time at the start of b.
func shiftTime(b []byte, by Duration) int {
	t := NewDecoder(b).Time()
	if t == 0 {
		return 0
	}
	e := Encoder{B: b[:0]} // overwrites 8 bytes
	e.Time(max(t+Time(by), 0))
	return 1
}
