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
// with the numbers of zeros before them.
func (w *bitWriter) block(c *coefficients, difference int32, first, other *[256]uint32) {
	if cap(w.b)-len(w.b) < blockBytes {
		w.b = append(make([]byte, 0, 2*cap(w.b)+32<<10), w.b...)
	}
	n := length(difference)
	w.symbol(first[n], difference, n)
	zeros := uint(0)
	for _, place := range zigzag[1:] {
		v := c[place&63]
		if v == 0 {
			zeros++
			continue
		}
		for ; zeros > 15; zeros -= 16 {
			w.put(other[0xF0]>>8, uint(other[0xF0]&0xFF))
		}
		n := length(v)
		w.symbol(other[(zeros<<4|n)&0xFF], v, n)
		zeros = 0
	}
	if zeros > 0 {
		w.put(other[0]>>8, uint(other[0]&0xFF))
	}
}

// length returns the number of bits of v without its sign.
func length(v int32) uint {
	sign := v >> 31
	return uint(bits.Len32(uint32((v ^ sign) - sign)))
}

// symbol writes a code and the n bits of v, or of v-1 if it is negative.
func (w *bitWriter) symbol(code uint32, v int32, n uint) {
	low := uint32(v+v>>31) & (1<<n - 1)
	w.put(code>>8<<n|low, uint(code&0xFF)+n)
}
