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
func (c *conversion) wideText() {
	raw := c.d.Numbers(c.d.Len(c.unit), c.unit)
	var order binary.ByteOrder = binary.LittleEndian
	if c.d.BigEndian() {
		order = binary.BigEndian
	}
	at := len(c.e.B)
	c.e.U32(0) // length, set below
	for high := rune(0); len(raw) > 0; raw = raw[c.unit:] {
		unit := uint32(0)
		if c.unit == 4 {
			unit = order.Uint32(raw)
		} else {
			unit = uint32(order.Uint16(raw))
		}
		if unit > utf8.MaxRune {
			c.d.Fail(errWide)
			return
		}
		switch v := rune(unit); {
		case v == 0 && len(raw) == c.unit: // terminator, which some writers include
		case high != 0:
			c.e.B = utf8.AppendRune(c.e.B, utf16.DecodeRune(high, v))
			high = 0
		case v >= 0xd800 && v < 0xdc00 && len(raw) > c.unit:
			high = v // high surrogate
		default:
			c.e.B = utf8.AppendRune(c.e.B, v)
		}
	}
	binary.LittleEndian.PutUint32(c.e.B[at:], uint32(len(c.e.B)-at-4))
}
