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

func (c *cursor) order() binary.ByteOrder {
	if c.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (c *cursor) u16() uint16 {
	if b := c.bytes(2); b != nil {
		return c.order().Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return c.order().Uint32(b)
	}
	return 0
}

// number reads a sequence number: the high half, then the low half.
func (c *cursor) number() int64 {
	high, low := c.u32(), c.u32()
	return int64(high)<<32 | int64(low)
}

func (c *cursor) entity() (e EntityID) {
	copy(e[:], c.bytes(len(e)))
	return e
}

func (c *cursor) prefix() (p Prefix) {
	copy(p[:], c.bytes(len(p)))
	return p
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
