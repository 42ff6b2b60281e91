package api

import (
	"math"
	"reflect"
	"strconv"
)

// Float32, Float64 and Floats are numbers of recordings and devices. JSON has null for NaN and infinities.
type (
	Float32                     float32
	Float64                     float64
	Floats[T float32 | float64] []T
)

// MarshalJSON implements json.Marshaler.
func (f Float32) MarshalJSON() ([]byte, error) { return appendFloat(nil, float64(f), 32), nil }

// MarshalJSON implements json.Marshaler.
func (f Float64) MarshalJSON() ([]byte, error) { return appendFloat(nil, float64(f), 64), nil }

// MarshalJSON implements json.Marshaler.
func (l Floats[T]) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendFloat(b, float64(v), reflect.TypeFor[T]().Bits())
	}
	return append(b, ']'), nil
}

// appendFloat appends the shortest text that reads back as v, or null.
func appendFloat(b []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, bits)
}
