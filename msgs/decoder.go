package msgs

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Decoder decodes values from the wire form of a message. It keeps its first error. After
// that, all reads return zero values and Rest is empty.
type Decoder struct {
	b   []byte
	pos int
	err error
}

// NewDecoder returns a decoder for b. Slices that it returns alias b.
func NewDecoder(b []byte) *Decoder { return &Decoder{b: b} }

// Err returns the first error, a *WireError, or nil.
func (d *Decoder) Err() error { return d.err }

// Pos returns the number of bytes read.
func (d *Decoder) Pos() int { return d.pos }

// Remaining returns the number of unread bytes.
func (d *Decoder) Remaining() int { return len(d.b) - d.pos }

// Rest returns the unread bytes, which alias the input.
func (d *Decoder) Rest() []byte { return d.b[d.pos:] }

// WireError is an error for a message that is too short for its type.
type WireError struct {
	Offset int   // of the incomplete value
	Need   int64 // its size in bytes
	Have   int   // bytes left
}

func (e *WireError) Error() string {
	return fmt.Sprintf("message byte %d: need %d bytes, have %d", e.Offset, e.Need, e.Have)
}

// Unwrap makes errors.Is(err, io.ErrUnexpectedEOF) true.
func (e *WireError) Unwrap() error { return io.ErrUnexpectedEOF }

// take returns the next n bytes, or nil after setting the error.
func (d *Decoder) take(n int64) []byte {
	if d.err != nil {
		return nil
	}
	if n < 0 || n > int64(d.Remaining()) { // negative if a 32-bit int overflows
		d.err = &WireError{Offset: d.pos, Need: n, Have: d.Remaining()}
		d.pos = len(d.b)
		return nil
	}
	out := d.b[d.pos : d.pos+int(n) : d.pos+int(n)]
	d.pos += int(n)
	return out
}

// U8 reads one byte.
func (d *Decoder) U8() uint8 {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 reads a uint16. All numbers are little-endian.
func (d *Decoder) U16() uint16 {
	if b := d.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// U32 reads a uint32.
func (d *Decoder) U32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads a uint64.
func (d *Decoder) U64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// I8 reads an int8.
func (d *Decoder) I8() int8 { return int8(d.U8()) }

// I16 reads an int16.
func (d *Decoder) I16() int16 { return int16(d.U16()) }

// I32 reads an int32.
func (d *Decoder) I32() int32 { return int32(d.U32()) }

// I64 reads an int64.
func (d *Decoder) I64() int64 { return int64(d.U64()) }

// F32 reads a float32.
func (d *Decoder) F32() float32 { return math.Float32frombits(d.U32()) }

// F64 reads a float64.
func (d *Decoder) F64() float64 { return math.Float64frombits(d.U64()) }

// F64s reads an array of fixed length.
func (d *Decoder) F64s(v []float64) {
	for i := range v {
		v[i] = d.F64()
	}
}

// F32s reads an array of fixed length.
func (d *Decoder) F32s(v []float32) {
	for i := range v {
		v[i] = d.F32()
	}
}

// Bool reads a byte. All values except 0 are true.
func (d *Decoder) Bool() bool { return d.U8() != 0 }

// Time reads seconds and nanoseconds.
func (d *Decoder) Time() Time {
	sec := d.U32()
	return NewTime(sec, d.U32())
}

// Duration reads seconds and nanoseconds.
func (d *Decoder) Duration() Duration {
	sec := d.I32()
	return NewDuration(sec, d.I32())
}

// Len reads the length of a variable array with elements of at least size bytes. It fails
// if the input is too short for that length, so callers may allocate the array.
func (d *Decoder) Len(size int) int {
	at := d.pos
	n := int64(d.U32())
	if need := n * int64(max(size, 1)); d.err == nil && need > int64(d.Remaining()) {
		d.err = &WireError{Offset: at, Need: need, Have: d.Remaining()}
		d.pos = len(d.b)
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

// Bytes reads a uint8[]. The result aliases the input.
func (d *Decoder) Bytes() []byte { return d.take(int64(d.U32())) }

// String reads a string.
func (d *Decoder) String() string { return string(d.Bytes()) }

// Raw reads n bytes. The result aliases the input.
func (d *Decoder) Raw(n int) []byte { return d.take(int64(n)) }
