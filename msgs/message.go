package msgs

// Message is a ROS message that this package defines.
type Message interface{ fields(c codec) }

// Marshal returns m's wire form.
func Marshal(m Message) []byte {
	var e Encoder
	e.Message(m)
	return e.B
}

// Unmarshal sets m from b. As in ROS tools, bytes after the message are ignored.
func Unmarshal(b []byte, m Message) error {
	d := Decoder{b: b} // small enough to be inlined, so that m needn't be on the heap
	m.fields(codec{d: &d})
	return d.err
}

// Message appends the message's wire form.
func (e *Encoder) Message(m Message) { m.fields(codec{e: e}) }

// Message sets m. Err reports whether the bytes were complete.
func (d *Decoder) Message(m Message) { m.fields(codec{d: d}) }

// codec encodes fields with e or, if e is nil, decodes them with d. With it, a message lists its fields only once.
type codec struct {
	e *Encoder
	d *Decoder
}

// value encodes or decodes v.
func value[T any](c codec, v *T, put func(*Encoder, T), get func(*Decoder) T) {
	if c.e != nil {
		put(c.e, *v)
	} else {
		*v = get(c.d)
	}
}

func (c codec) bool(v *bool)   { value(c, v, (*Encoder).Bool, (*Decoder).Bool) }
func (c codec) u8(v *uint8)    { value(c, v, (*Encoder).U8, (*Decoder).U8) }
func (c codec) f32(v *float32) { value(c, v, (*Encoder).F32, (*Decoder).F32) }
func (c codec) time(v *Time)   { value(c, v, (*Encoder).Time, (*Decoder).Time) }

func (c codec) u32(list ...*uint32) {
	for _, v := range list {
		value(c, v, (*Encoder).U32, (*Decoder).U32)
	}
}

func (c codec) i32(list ...*int32) {
	for _, v := range list {
		value(c, v, (*Encoder).I32, (*Decoder).I32)
	}
}

func (c codec) f64(list ...*float64) {
	for _, v := range list {
		value(c, v, (*Encoder).F64, (*Decoder).F64)
	}
}

func (c codec) str(list ...*string) {
	for _, v := range list {
		value(c, v, (*Encoder).String, (*Decoder).String)
	}
}

func (c codec) durations(list []Duration) {
	for i := range list {
		value(c, &list[i], (*Encoder).Duration, (*Decoder).Duration)
	}
}

// f32s is for arrays of fixed length.
func (c codec) f32s(v []float32) {
	if c.e != nil {
		c.e.F32s(v)
	} else {
		c.d.F32s(v)
	}
}

// f64s is for arrays of fixed length.
func (c codec) f64s(v []float64) {
	if c.e != nil {
		c.e.F64s(v)
	} else {
		c.d.F64s(v)
	}
}

// size is for the length of a variable array of elements of at least least bytes. When
// decoding, it allocates the array.
func size[T any](c codec, v *[]T, least int) {
	if c.e != nil {
		c.e.Len(len(*v))
	} else {
		*v = make([]T, c.d.Len(least))
	}
}

// list is for a variable array of structs of at least least bytes.
func list[T any, P interface {
	*T
	fields(codec)
}](c codec, v *[]T, least int) {
	size(c, v, least)
	for i := range *v {
		P(&(*v)[i]).fields(c)
	}
}
