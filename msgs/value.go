package msgs

import (
	"iter"
	"strings"
)

// Value is a message or a part of one. It is decoded lazily: access to a field after an
// image decodes only the image's length.
//
// A Value aliases the message's bytes. If Spec.Check fails for the message, a Value may be
// zero. Values are safe for concurrent use.
type Value struct {
	field *Field
	data  []byte // starts with the value, or with the first element of an array
	n     int    // length of an array
}

// Value returns the message in data.
func (s *Spec) Value(data []byte) Value {
	return Value{field: &Field{Type: s.Name, Kind: KindStruct, Sub: s}, data: data}
}

// Kind returns the kind of the value or of an array's elements.
func (v Value) Kind() Kind { return v.field.Kind }

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { return v.field.Array }

// Type returns the type of the value or of an array's elements: "uint8", "std_msgs/Header".
func (v Value) Type() string { return v.field.Type }

// Spec returns the type of a message or of an array's messages, or nil.
func (v Value) Spec() *Spec { return v.field.Sub }

// Len returns the number of an array's elements.
func (v Value) Len() int { return v.n }

// Decoder returns a decoder for the value or for an array's elements.
func (v Value) Decoder() *Decoder { return NewDecoder(v.data) }

// Decoded returns the value as a bool, int64, uint64 (of type uint64 only), float64, string, Time or
// Duration. A message or an array stays a Value.
func (v Value) Decoded() any {
	if v.IsArray() {
		return v
	}
	d := v.Decoder()
	switch v.Kind() {
	case KindStruct:
		return v
	case KindBool:
		return d.Bool()
	case KindUint64:
		return d.U64()
	case KindFloat32:
		return float64(d.F32())
	case KindFloat64:
		return d.F64()
	case KindString:
		return d.String()
	case KindTime:
		return d.Time()
	case KindDuration:
		return d.Duration()
	}
	return d.integer(v.Kind())
}

// Field returns a field of a message. It returns false if the value has no such field.
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

// Index returns an element of an array. i must be in [0, Len).
func (v Value) Index(i int) Value {
	d := v.Decoder()
	v.field.skipElements(d, i)
	return Value{field: v.field.element(), data: d.Rest()}
}

// All returns an iterator over the elements of an array.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		single, d := v.field.element(), v.Decoder()
		for range v.n {
			if !yield(Value{field: single, data: d.Rest()}) {
				return
			}
			single.skip(d)
		}
	}
}

// element returns the field of an array's element.
func (f *Field) element() *Field {
	single := *f
	single.Array, single.Len = false, 0
	return &single
}

// DecodeText decodes a string like Python. Invalid UTF-8 becomes U+FFFD.
func DecodeText(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := decodeRune(s)
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}
