package jpeg

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter appends bits to a slice, with a zero after each byte 255.
type bitWriter struct {
	b   []byte
	acc uint64 // the last n bits are not written
	n   uint
}

// blockBytes is an upper bound for a block: 64 times 27 bits, each byte followed by a zero.
const blockBytes = 512

// put appends n bits. Between calls, fewer than 32 are not written.
func (w *bitWriter) put(value uint32, n uint) {
	w.acc = w.acc<<n | uint64(value)
	w.n += n
	if w.n >= 32 {
		w.n -= 32
		w.flush(uint32(w.acc >> w.n))
	}
}

// flush writes four bytes. There must be room for eight.
func (w *bitWriter) flush(word uint32) {
	at := len(w.b)
	if ones := ^word; (ones-0x01010101)&^ones&0x80808080 == 0 { // no byte is 255
		w.b = w.b[:at+4]
		binary.BigEndian.PutUint32(w.b[at:], word)
		return
	}
	for shift := 24; shift >= 0; shift -= 8 {
		w.byte(byte(word >> shift))
	}
}

func (w *bitWriter) byte(b byte) {
	if w.b = append(w.b, b); b == 0xFF {
		w.b = append(w.b, 0)
	}
}

// end pads the last byte with ones.
func (w *bitWriter) end() []byte {
	w.put(0x7F, 7)
	for ; w.n >= 8; w.n -= 8 {
		w.byte(byte(w.acc >> (w.n - 8)))
	}
	return w.b
}

// block writes the coefficients of a block: the difference of the first one, and the others
// with the numbers of zeros before them. places has their places as bits.
func (w *bitWriter) block(c *coefficients, places uint64, difference int32, first, other *[256]uint32) {
	if cap(w.b)-len(w.b) < blockBytes {
		w.b = append(make([]byte, 0, 2*cap(w.b)+32<<10), w.b...)
	}
	acc, pending := w.acc, w.n // in registers
	put := func(code uint32, v int32, n uint) {
		width := n + uint(code&0xFF)
		acc = acc<<(width&63) | uint64(code>>8<<(n&31)|low(v, n))
		if pending += width; pending >= 32 {
			pending -= 32
			w.flush(uint32(acc >> (pending & 31)))
		}
	}
	n := length(difference)
	put(first[n], difference, n)
	last := 0
	for left := zigzagOrder(places) &^ 1; left != 0; left &= left - 1 {
		at := bits.TrailingZeros64(left)
		zeros := uint(at - last - 1)
		last = at
		for ; zeros > 15; zeros -= 16 {
			put(other[0xF0], 0, 0)
		}
		v := c[zigzag[at&63]&63]
		n := length(v)
		put(other[(zeros<<4|n)&0xFF], v, n)
	}
	if last < 63 {
		put(other[0], 0, 0)
	}
	w.acc, w.n = acc, pending
}

// length returns the number of bits of v without its sign.
func length(v int32) uint {
	sign := v >> 31
	return uint(bits.Len32(uint32((v ^ sign) - sign)))
}

// low returns the n bits that follow the code of v: those of v, or of v-1 if it is negative.
func low(v int32, n uint) uint32 { return uint32(v+v>>31) & (1<<(n&31) - 1) }
