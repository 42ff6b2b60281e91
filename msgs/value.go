package msgs

import "iter"

// Value is a message, or a part of one, that is decoded only as far as it is
// looked at: a field after a picture costs no more than the picture's length.
//
// It points into the message's bytes and lives as long as they do. A Value of a
// message that Spec.Check has not passed may read as zero. It may be copied and
// used concurrently.
type Value struct {
	field *Field
	data  []byte // from the value's first byte on, of an array from its first element on
	n     int    // elements of an array
}

// Value returns the message in data.
func (s *Spec) Value(data []byte) Value {
	return Value{field: &Field{Type: s.Name, Kind: KindStruct, Sub: s}, data: data}
}

// Kind is what the value, or each element of an array, is made of.
func (v Value) Kind() Kind { return v.field.Kind }

// IsArray reports whether the value is an array, of fixed length or not.
func (v Value) IsArray() bool { return v.field.Array }

// Type is the type of the value, or of each element of an array: "uint8",
// "std_msgs/Header".
func (v Value) Type() string { return v.field.Type }

// Spec is the type of a message or of an array's messages; else nil.
func (v Value) Spec() *Spec { return v.field.Sub }

// Len is the number of an array's elements.
func (v Value) Len() int { return v.n }

// Decoder reads the value. Of an array it reads the elements one after another.
func (v Value) Decoder() *Decoder { return NewDecoder(v.data) }

// Field returns a field of a message; false if it has none of that name or is an
// array.
func (v Value) Field(name string) (Value, bool) {
	if v.field.Array || v.field.Sub == nil {
		return Value{}, false
	}
	d := v.Decoder()
	for i := range v.field.Sub.Fields {
		f := &v.field.Sub.Fields[i]
		if f.Name != name {
			f.skip(d)
			continue
		}
		n := 0
		if f.Array {
			n = f.count(d)
		}
		return Value{field: f, data: d.Rest(), n: n}, true
	}
	return Value{}, false
}

// Index returns an element of an array; i must be at least 0 and below Len.
func (v Value) Index(i int) Value {
	single := *v.field
	single.Array, single.Len = false, 0
	d := v.Decoder()
	before := Field{Kind: v.field.Kind, Sub: v.field.Sub, Array: true, Len: i}
	before.skip(d)
	return Value{field: &single, data: d.Rest()}
}

// All yields the elements of an array.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		single := *v.field
		single.Array, single.Len = false, 0
		d := v.Decoder()
		for range v.n {
			if !yield(Value{field: &single, data: d.Rest()}) {
				return
			}
			single.skip(d)
		}
	}
}

// FormatFloat writes a number as Python's repr does.
func FormatFloat(v float64) string { return pythonFloat(v) }

// DecodeText is a string's text as Python decodes it: what is no UTF-8 becomes
// U+FFFD.
func DecodeText(s string) string { return string(runesOf(s)) }
