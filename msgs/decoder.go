package msgs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// Decoder decodes values from the wire form of a message, that of ROS 1 or CDR. It keeps its
// first error. After that, all reads return zero values and Rest is empty.
type Decoder struct {
	b   []byte
	pos int
	cdr bool // numbers are aligned and strings end with a NUL
	big bool // numbers are big-endian
	err error
}

// NewDecoder returns a decoder for b in the form of ROS 1. Slices that it returns alias b.
func NewDecoder(b []byte) *Decoder { return &Decoder{b: b} }

// Err returns the first error, a *WireError if the message is too short, or nil. Offsets in
// CDR are relative to the body.
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

// Fail sets the error unless it is set.
func (d *Decoder) Fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.pos = len(d.b)
}

// take returns the next n bytes, or nil after setting the error.
func (d *Decoder) take(n int64) []byte {
	if d.err != nil {
		return nil
	}
	if n < 0 || n > int64(d.Remaining()) { // negative if a 32-bit int overflows
		d.Fail(&WireError{Offset: d.pos, Need: n, Have: d.Remaining()})
		return nil
	}
	out := d.b[d.pos : d.pos+int(n) : d.pos+int(n)]
	d.pos += int(n)
	return out
}

// number reads an unsigned number of size bytes.
func (d *Decoder) number(size int) (v uint64) {
	d.Align(size)
	if size > d.Remaining() {
		d.take(int64(size)) // sets the error
		return 0
	}
	b := d.b[d.pos:]
	d.pos += size
	switch size {
	case 1:
		v = uint64(b[0])
	case 2:
		v = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		v = uint64(binary.LittleEndian.Uint32(b))
	case 8:
		v = binary.LittleEndian.Uint64(b)
	}
	if d.big {
		v = bits.ReverseBytes64(v) >> (64 - 8*size)
	}
	return v
}

// integer reads an integer of any kind. One of KindUint64 above 2⁶³ becomes negative.
func (d *Decoder) integer(k Kind) int64 {
	unused := 64 - 8*k.Size()
	v := d.number(k.Size()) << unused
	switch k {
	case KindInt8, KindInt16, KindInt32:
		return int64(v) >> unused
	}
	return int64(v >> unused)
}

// U8 reads one byte.
func (d *Decoder) U8() uint8 { return uint8(d.number(1)) }

// U16 reads a uint16. The numbers of ROS 1 are little-endian and have no padding.
func (d *Decoder) U16() uint16 { return uint16(d.number(2)) }

// U32 reads a uint32.
func (d *Decoder) U32() uint32 { return uint32(d.number(4)) }

// U64 reads a uint64.
func (d *Decoder) U64() uint64 { return d.number(8) }

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
	b := d.Numbers(len(v), 8)
	if len(b) == 0 {
		clear(v)
		return
	}
	for i := range v {
		x := binary.LittleEndian.Uint64(b[8*i:])
		if d.big {
			x = bits.ReverseBytes64(x)
		}
		v[i] = math.Float64frombits(x)
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

// Time reads seconds and nanoseconds. In CDR, times before 1970 become 0.
func (d *Decoder) Time() Time {
	sec, nsec := d.U32(), d.U32()
	if d.cdr && sec > math.MaxInt32 {
		return 0
	}
	return NewTime(sec, nsec)
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
		d.Fail(&WireError{Offset: at, Need: need, Have: d.Remaining()})
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

// Bytes reads a uint8[]. The result aliases the input.
func (d *Decoder) Bytes() []byte { return d.take(int64(d.U32())) }

// Text reads a string. The result aliases the input. In CDR it is without the terminating NUL, which some writers omit.
func (d *Decoder) Text() []byte {
	b := d.Bytes()
	if d.cdr {
		b = bytes.TrimSuffix(b, []byte{0})
	}
	return b
}

// String reads a string.
func (d *Decoder) String() string { return string(d.Text()) }

// Raw reads n bytes. The result aliases the input.
func (d *Decoder) Raw(n int) []byte { return d.take(int64(n)) }
