package cdr

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"rsros/msgs"
)

// headSize is the size of the encapsulation.
const headSize = 4

// Decoder decodes values from the body of a message. After its first error, all reads
// return zero values.
type Decoder struct {
	body []byte
	pos  int
	big  bool
	err  error
}

// NewDecoder returns a decoder for b, which is encapsulation and body. Slices that it
// returns alias b.
func NewDecoder(b []byte) *Decoder {
	d := &Decoder{}
	d.Reset(b)
	return d
}

// Reset makes d decode another message.
func (d *Decoder) Reset(b []byte) {
	*d = Decoder{}
	if len(b) < headSize {
		d.err = fmt.Errorf("CDR encapsulation: %w", &msgs.WireError{Need: headSize, Have: len(b)})
		return
	}
	switch kind := binary.BigEndian.Uint16(b); kind {
	case 0:
		d.big = true
	case 1:
	default:
		d.err = fmt.Errorf("CDR encapsulation %#04x: want plain CDR, 0x0000 or 0x0001", kind)
		return
	}
	d.body = b[headSize:]
}

// Err returns the first error, which is a *[msgs.WireError] if the message is too short.
// Offsets are relative to the body.
func (d *Decoder) Err() error { return d.err }

// Fail sets the error unless it is set.
func (d *Decoder) Fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.pos = len(d.body)
}

// Pos returns the number of bytes of the body that were read.
func (d *Decoder) Pos() int { return d.pos }

// Remaining returns the number of unread bytes.
func (d *Decoder) Remaining() int { return len(d.body) - d.pos }

// BigEndian reports whether numbers are big-endian.
func (d *Decoder) BigEndian() bool { return d.big }

// Align skips the padding before a number of size bytes: 1, 2, 4 or 8.
func (d *Decoder) Align(size int) {
	if pad := -d.pos & (size - 1); pad > 0 {
		d.Raw(pad)
	}
}

// Raw reads n bytes. The result aliases the input.
func (d *Decoder) Raw(n int) []byte {
	if d.err != nil {
		return nil
	}
	if n < 0 || n > d.Remaining() {
		d.Fail(&msgs.WireError{Offset: d.pos, Need: int64(n), Have: d.Remaining()})
		return nil
	}
	out := d.body[d.pos : d.pos+n : d.pos+n]
	d.pos += n
	return out
}

// Numbers reads n numbers of size bytes, in the message's byte order. The result aliases
// the input.
func (d *Decoder) Numbers(n, size int) []byte {
	if n == 0 {
		return nil
	}
	d.Align(size)
	if d.err == nil && n > d.Remaining()/size {
		d.Fail(&msgs.WireError{Offset: d.pos, Need: int64(n) * int64(size), Have: d.Remaining()})
	}
	return d.Raw(n * size)
}

// U8 reads one byte.
func (d *Decoder) U8() uint8 {
	if b := d.Raw(1); b != nil {
		return b[0]
	}
	return 0
}

// Bool reads a byte. All values except 0 are true.
func (d *Decoder) Bool() bool { return d.U8() != 0 }

// I8 reads an int8.
func (d *Decoder) I8() int8 { return int8(d.U8()) }

// U16 reads a uint16. All numbers are aligned.
func (d *Decoder) U16() uint16 {
	b := d.Numbers(1, 2)
	switch {
	case b == nil:
		return 0
	case d.big:
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

// U32 reads a uint32.
func (d *Decoder) U32() uint32 {
	b := d.Numbers(1, 4)
	switch {
	case b == nil:
		return 0
	case d.big:
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

// I32 reads an int32.
func (d *Decoder) I32() int32 { return int32(d.U32()) }

// U64 reads a uint64.
func (d *Decoder) U64() uint64 {
	b := d.Numbers(1, 8)
	switch {
	case b == nil:
		return 0
	case d.big:
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// I64 reads an int64.
func (d *Decoder) I64() int64 { return int64(d.U64()) }

// F32 reads a float32.
func (d *Decoder) F32() float32 { return math.Float32frombits(d.U32()) }

// F64 reads a float64.
func (d *Decoder) F64() float64 { return math.Float64frombits(d.U64()) }

// Len reads the length of a sequence with elements of at least least bytes, at least 1. It
// fails if the message is too short for that length, so callers may allocate the sequence.
func (d *Decoder) Len(least int) int {
	n := d.U32()
	if d.err == nil && int64(n)*int64(least) > int64(d.Remaining()) {
		d.Fail(&msgs.WireError{Offset: d.pos, Need: int64(n) * int64(least), Have: d.Remaining()})
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

// Bytes reads a sequence of bytes. The result aliases the input.
func (d *Decoder) Bytes() []byte { return d.Raw(d.Len(1)) }

// Text reads a string without the terminating NUL, which some writers omit. The result
// aliases the input.
func (d *Decoder) Text() []byte { return bytes.TrimSuffix(d.Bytes(), []byte{0}) }

// String reads a string.
func (d *Decoder) String() string { return string(d.Text()) }

// Time reads a builtin_interfaces/Time. Times before 1970 become 0.
func (d *Decoder) Time() msgs.Time {
	sec, nsec := d.I32(), d.U32()
	if sec < 0 {
		return 0
	}
	return msgs.NewTime(uint32(sec), nsec)
}
