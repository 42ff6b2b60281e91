package msgs

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Encoder appends the wire form of values to B: that of ROS 1, or CDR after BeginCDR. The zero
// value is ready to use. Set B = B[:0] to reuse its memory.
type Encoder struct {
	B    []byte
	body int // CDR: offset in B to which numbers are aligned; 0 in the form of ROS 1
}

// U8 appends one byte.
func (e *Encoder) U8(v uint8) { e.B = append(e.B, v) }

// U16 appends a uint16. All numbers are little-endian, and in CDR they are aligned.
func (e *Encoder) U16(v uint16) {
	e.Align(2)
	e.B = binary.LittleEndian.AppendUint16(e.B, v)
}

// U32 appends a uint32.
func (e *Encoder) U32(v uint32) {
	e.Align(4)
	e.B = binary.LittleEndian.AppendUint32(e.B, v)
}

// U64 appends a uint64.
func (e *Encoder) U64(v uint64) {
	e.Align(8)
	e.B = binary.LittleEndian.AppendUint64(e.B, v)
}

// I32 appends an int32.
func (e *Encoder) I32(v int32) { e.U32(uint32(v)) }

// I64 appends an int64.
func (e *Encoder) I64(v int64) { e.U64(uint64(v)) }

// F32 appends a float32.
func (e *Encoder) F32(v float32) { e.U32(math.Float32bits(v)) }

// F64 appends a float64.
func (e *Encoder) F64(v float64) { e.U64(math.Float64bits(v)) }

// F64s appends an array of fixed length.
func (e *Encoder) F64s(v []float64) {
	e.Align(8)
	for _, x := range v {
		e.B = binary.LittleEndian.AppendUint64(e.B, math.Float64bits(x))
	}
}

// F32s appends an array of fixed length.
func (e *Encoder) F32s(v []float32) {
	for _, x := range v {
		e.F32(x)
	}
}

// Bool appends one byte, 0 or 1.
func (e *Encoder) Bool(v bool) {
	if v {
		e.U8(1)
	} else {
		e.U8(0)
	}
}

// Time appends seconds and nanoseconds. The seconds of CDR are an int32, so times after 2038 are clamped.
func (e *Encoder) Time(t Time) {
	sec := t.Sec()
	if e.body > 0 {
		sec = min(sec, math.MaxInt32)
	}
	e.Align(4)
	e.B = binary.LittleEndian.AppendUint64(e.B, uint64(sec)|uint64(t.Nsec())<<32)
}

// Duration appends seconds and nanoseconds.
func (e *Encoder) Duration(d Duration) {
	e.I32(d.Sec())
	e.I32(d.Nsec())
}

// Len appends the length of a variable array.
func (e *Encoder) Len(n int) { e.U32(uint32(n)) }

// String appends length and bytes, which end with a NUL in CDR.
func (e *Encoder) String(s string) {
	n := len(s)
	if e.body > 0 {
		n++
	}
	e.Len(n)
	e.B = append(e.B, s...)
	if e.body > 0 {
		e.U8(0)
	}
}

// Text is String for bytes.
func (e *Encoder) Text(b []byte) { e.String(unsafe.String(unsafe.SliceData(b), len(b))) }

// Bytes appends a uint8[]: length and bytes.
func (e *Encoder) Bytes(b []byte) {
	e.Len(len(b))
	e.B = append(e.B, b...)
}

// Raw appends b without a length.
func (e *Encoder) Raw(b []byte) { e.B = append(e.B, b...) }
