package ros2

import (
	"encoding/binary"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// wideUnits are the possible sizes of a wstring's characters. They depend on the middleware,
// which recordings don't name, so the first size that fits the message is used.
var wideUnits = []int{4, 2}

var errWide = errors.New("invalid character in a wide string")

// wideText converts a wide string, UTF-16 in characters of any size, to UTF-8.
func (r *run) wideText() {
	n := r.d.Len(r.unit)
	raw := r.d.Numbers(n, r.unit)
	var order binary.ByteOrder = binary.LittleEndian
	if r.d.BigEndian() {
		order = binary.BigEndian
	}
	at := len(r.out)
	r.u32(0) // length, set below
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
		case v == 0 && len(raw) == r.unit: // terminator, which some writers include
		case high != 0:
			r.out = utf8.AppendRune(r.out, utf16.DecodeRune(high, v))
			high = 0
		case v >= 0xd800 && v < 0xdc00 && len(raw) > r.unit:
			high = v // high surrogate
		default:
			r.out = utf8.AppendRune(r.out, v)
		}
	}
	binary.LittleEndian.PutUint32(r.out[at:], uint32(len(r.out)-at-4))
}
