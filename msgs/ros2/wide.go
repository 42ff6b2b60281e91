package ros2

import (
	"encoding/binary"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// wideUnits are the forms that a character of a wstring has, in bytes: middlewares of ROS 2
// differ, and their recordings don't say which it was. A message is read in the form that
// fits it to its end.
var wideUnits = []int{4, 2}

var errWide = errors.New("a wide string with numbers that are no characters")

// wideText reads a wide string, of UTF-16 numbers whatever their size, and writes it as
// UTF-8.
func (r *run) wideText() {
	n := r.d.Len(r.unit)
	raw := r.d.Numbers(n, r.unit)
	var order binary.ByteOrder = binary.LittleEndian
	if r.d.BigEndian() {
		order = binary.BigEndian
	}
	at := len(r.out)
	r.u32(0) // the length, as soon as it is known
	for high := rune(0); len(raw) > 0; raw = raw[r.unit:] {
		c := uint32(0)
		if r.unit == 4 {
			c = order.Uint32(raw)
		} else {
			c = uint32(order.Uint16(raw))
		}
		if c > utf8.MaxRune {
			r.d.Fail(errWide)
			return
		}
		switch v := rune(c); {
		case v == 0 && len(raw) == r.unit: // the end, which some count
		case high != 0:
			r.out = utf8.AppendRune(r.out, utf16.DecodeRune(high, v))
			high = 0
		case v >= 0xd800 && v < 0xdc00 && len(raw) > r.unit:
			high = v // the first half of a character
		default:
			r.out = utf8.AppendRune(r.out, v)
		}
	}
	binary.LittleEndian.PutUint32(r.out[at:], uint32(len(r.out)-at-4))
}
