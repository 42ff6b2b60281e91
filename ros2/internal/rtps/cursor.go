package rtps

import "encoding/binary"

// cursor reads numbers in the byte order of a submessage. After a failure, all reads return zero.
type cursor struct {
	b      []byte
	at     int
	big    bool
	failed bool
}

func (c *cursor) bytes(n int) []byte {
	if c.failed || n < 0 || n > len(c.b)-c.at {
		c.failed = true
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at : c.at]
}

// fixed reads at most 16 bytes, which are zero after a failure.
func (c *cursor) fixed(n int) []byte {
	if b := c.bytes(n); b != nil {
		return b
	}
	return zeros[:n]
}

var zeros [16]byte

func (c *cursor) order() binary.ByteOrder {
	if c.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (c *cursor) u16() uint16      { return c.order().Uint16(c.fixed(2)) }
func (c *cursor) u32() uint32      { return c.order().Uint32(c.fixed(4)) }
func (c *cursor) entity() EntityID { return EntityID(c.fixed(4)) }
func (c *cursor) prefix() Prefix   { return Prefix(c.fixed(12)) }
func (c *cursor) guid() GUID       { return GUID(c.fixed(16)) }

// number reads a sequence number: the high half, then the low half.
func (c *cursor) number() int64 {
	high, low := c.u32(), c.u32()
	return int64(high)<<32 | int64(low)
}

// set reads a set after its base.
func (c *cursor) set(base int64) (s Set) {
	n := c.u32()
	if n > MaxSet || base < 0 {
		c.failed = true
		return s
	}
	s.Base, s.N = base, int(n)
	for i := range (s.N + 31) / 32 {
		s.Bits[i] = c.u32()
	}
	return s
}
