package cdr

import (
	"encoding/binary"
	"math"

	"rsros/msgs"
)

// Encoder appends a message to B, little-endian. Call Begin before the first field.
type Encoder struct {
	B    []byte
	body int // offset of the body in B
}

// Begin appends the encapsulation. Alignment is relative to its end.
func (e *Encoder) Begin() {
	e.B = append(e.B, 0, 1, 0, 0)
	e.body = len(e.B)
}

// Align appends zeros up to the next multiple of size: 1, 2, 4 or 8.
func (e *Encoder) Align(size int) {
	for ; (len(e.B)-e.body)&(size-1) != 0; e.B = append(e.B, 0) {
	}
}

// Raw appends b.
func (e *Encoder) Raw(b []byte) { e.B = append(e.B, b...) }

// U8 appends one byte.
func (e *Encoder) U8(v uint8) { e.B = append(e.B, v) }

// Bool appends one byte, 0 or 1.
func (e *Encoder) Bool(v bool) {
	if v {
		e.U8(1)
	} else {
		e.U8(0)
	}
}

// U16 appends a uint16. All numbers are aligned.
func (e *Encoder) U16(v uint16) {
	e.Align(2)
	e.B = binary.LittleEndian.AppendUint16(e.B, v)
}

// U32 appends a uint32.
func (e *Encoder) U32(v uint32) {
	e.Align(4)
	e.B = binary.LittleEndian.AppendUint32(e.B, v)
}

// I32 appends an int32.
func (e *Encoder) I32(v int32) { e.U32(uint32(v)) }

// U64 appends a uint64.
func (e *Encoder) U64(v uint64) {
	e.Align(8)
	e.B = binary.LittleEndian.AppendUint64(e.B, v)
}

// I64 appends an int64.
func (e *Encoder) I64(v int64) { e.U64(uint64(v)) }

// F32 appends a float32.
func (e *Encoder) F32(v float32) { e.U32(math.Float32bits(v)) }

// F64 appends a float64.
func (e *Encoder) F64(v float64) { e.U64(math.Float64bits(v)) }

// F64s appends an array of fixed length.
func (e *Encoder) F64s(v []float64) {
	for _, x := range v {
		e.F64(x)
	}
}

// Len appends the length of a sequence.
func (e *Encoder) Len(n int) { e.U32(uint32(n)) }

// Bytes appends a sequence of bytes.
func (e *Encoder) Bytes(b []byte) {
	e.Len(len(b))
	e.Raw(b)
}

// String appends a string and its NUL.
func (e *Encoder) String(s string) {
	e.Len(len(s) + 1)
	e.B = append(e.B, s...)
	e.U8(0)
}

// Time appends a builtin_interfaces/Time. Its seconds are an int32, so times after 2038 are
// clamped.
func (e *Encoder) Time(t msgs.Time) {
	e.I32(int32(min(t.Sec(), math.MaxInt32)))
	e.U32(t.Nsec())
}
