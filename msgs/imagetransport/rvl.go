package imagetransport

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
)

// RVL is Wilson's "Fast Lossless Depth Image Compression" (2017), as implemented in compressed_depth_image_transport.
// The code alternates between the number of zero pixels and the number of other pixels, followed by the zigzag
// differences of the latter to their non-zero predecessors. Numbers are split into groups of three bits, lowest first.
// Each is in a nibble whose high bit is set unless it is the last. Nibbles fill little-endian 32-bit words from the
// top.

// rvlBound returns an upper bound for the code of n pixels: 6 nibbles for a difference of
// 17 bits, and two counts of up to 11 nibbles, which are short if there are many.
func rvlBound(n int) int { return 4*n + 32 }

// nibbleCode is the code of a number.
type nibbleCode struct {
	bits  uint16
	width uint16 // bits of it: four for each nibble
}

// codeTable has the codes of small numbers.
type codeTable [4096]nibbleCode

// shortCodes computes the table on first use.
var shortCodes = sync.OnceValue(func() *codeTable {
	var codes codeTable
	for v := range codes {
		bits, width := longCode(uint32(v))
		codes[v] = nibbleCode{uint16(bits), uint16(width)}
	}
	return &codes
})

// longCode returns the code of any number, with the first nibble on top, and its width in bits.
func longCode(v uint32) (bits uint64, width uint) {
	for {
		nibble := uint64(v & 7)
		if v >>= 3; v != 0 {
			nibble |= 8
		}
		bits, width = bits<<4|nibble, width+4
		if v == 0 {
			return bits, width
		}
	}
}

// nibbleWriter packs nibbles into words.
type nibbleWriter struct {
	short   *codeTable
	out     []byte // has room for a word after the last nibble
	at      int
	pending uint64 // the last width bits
	width   uint   // less than 32 between calls
}

func (w *nibbleWriter) put(v uint32) {
	if v < uint32(len(w.short)) {
		c := w.short[v]
		w.add(uint64(c.bits), uint(c.width))
		return
	}
	bits, width := longCode(v)
	for width > 32 {
		width -= 32
		w.add(bits>>width&0xffffffff, 32)
	}
	w.add(bits&(1<<width-1), width)
}

// add appends at most 32 bits. It writes a word even if it isn't full, because whether it is can't be predicted.
func (w *nibbleWriter) add(bits uint64, width uint) {
	w.pending = w.pending<<(width&63) | bits
	w.width += width
	binary.LittleEndian.PutUint32(w.out[w.at:], uint32(w.pending>>(w.width&31)))
	w.at += int(w.width / 32 * 4)
	w.width &= 31
}

// finish pads the last word and returns the output.
func (w *nibbleWriter) finish() []byte {
	if w.width > 0 {
		w.add(0, 32-w.width)
	}
	return w.out[:w.at]
}

// AppendRVL appends the code of little-endian 16-bit pixels.
func AppendRVL(dst, pixels []byte) []byte {
	n := len(pixels) / 2
	pixels = pixels[:2*n]
	w := nibbleWriter{short: shortCodes(), out: grow(dst, rvlBound(n)), at: len(dst)}
	var previous uint16
	for len(pixels) > 0 {
		n := zeros(pixels)
		w.put(uint32(n / 2))
		pixels = pixels[n:]
		n = others(pixels)
		w.put(uint32(n / 2))
		previous = w.differences(pixels[:n], previous)
		pixels = pixels[n:]
	}
	return w.finish()
}

// zeros and others return the length of the run of zero pixels or of other pixels at the beginning, in bytes.
func zeros(pixels []byte) int {
	i := 0
	for i+8 <= len(pixels) && binary.LittleEndian.Uint64(pixels[i:]) == 0 {
		i += 8
	}
	for i < len(pixels) && pixel(pixels, i) == 0 {
		i += 2
	}
	return i
}

func others(pixels []byte) int {
	const low, high = 0x0001000100010001, 0x8000800080008000
	i := 0
	for i+8 <= len(pixels) {
		if v := binary.LittleEndian.Uint64(pixels[i:]); (v-low)&^v&high != 0 { // a pixel is 0
			break
		}
		i += 8
	}
	for i < len(pixels) && pixel(pixels, i) != 0 {
		i += 2
	}
	return i
}

// differences appends the differences of pixels to their predecessors, and returns the last pixel.
func (w *nibbleWriter) differences(pixels []byte, previous uint16) uint16 {
	for len(pixels) >= 4 {
		a, b := pixel(pixels, 0), pixel(pixels, 2)
		v, u := zigzag(a, previous), zigzag(b, a)
		previous, pixels = b, pixels[4:]
		if v|u < uint32(len(w.short)) {
			c, d := w.short[v], w.short[u]
			w.add(uint64(c.bits)<<(d.width&31)|uint64(d.bits), uint(c.width+d.width))
			continue
		}
		w.put(v)
		w.put(u)
	}
	if len(pixels) > 0 {
		a := pixel(pixels, 0)
		w.put(zigzag(a, previous))
		previous = a
	}
	return previous
}

// zigzag returns a difference with its sign in the lowest bit.
func zigzag(v, previous uint16) uint32 {
	d := int32(v) - int32(previous)
	return uint32(d<<1 ^ d>>31)
}

func pixel(b []byte, i int) uint16 { return binary.LittleEndian.Uint16(b[i:]) }

// grow extends dst by n bytes.
func grow(dst []byte, n int) []byte { return slices.Grow(dst, n)[:len(dst)+n] }

// nibbleReader reads numbers. It keeps its first error.
type nibbleReader struct {
	in   []byte
	at   int
	word uint32
	left int // nibbles in word
	err  error
}

// maxNibbles is the maximum for a number of 32 bits.
const maxNibbles = 11

func (r *nibbleReader) next() uint32 {
	var v uint64
	for i := range maxNibbles {
		if r.left == 0 && !r.load() {
			return 0
		}
		nibble := r.word >> 28
		r.word <<= 4
		r.left--
		v |= uint64(nibble&7) << (3 * i)
		if nibble&8 == 0 {
			return uint32(min(v, 1<<32-1))
		}
	}
	r.fail("number has more than %d nibbles", maxNibbles)
	return 0
}

func (r *nibbleReader) load() bool {
	if r.at+4 > len(r.in) {
		r.fail("pixels are missing")
		return false
	}
	r.word, r.left = binary.LittleEndian.Uint32(r.in[r.at:]), 8
	r.at += 4
	return true
}

func (r *nibbleReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("decode RVL: byte %d of %d: "+format, append([]any{r.at, len(r.in)}, args...)...)
	}
}

// DecodeRVL decodes code to little-endian 16-bit pixels. It fails if code is too short or has too many pixels.
func DecodeRVL(pixels, code []byte) error {
	r := nibbleReader{in: code}
	pixels = pixels[:len(pixels)&^1]
	var previous uint16
	for len(pixels) > 0 {
		zeros := r.run(pixels)
		clear(pixels[:zeros])
		pixels = pixels[zeros:]
		values := r.run(pixels)
		for i := 0; i < values; i += 2 {
			z := r.next()
			previous += uint16(z>>1) ^ -uint16(z&1)
			binary.LittleEndian.PutUint16(pixels[i:], previous)
		}
		if r.err != nil {
			return r.err
		}
		pixels = pixels[values:]
	}
	return nil
}

// run reads the size of a run of pixels in bytes; 0 after an error.
func (r *nibbleReader) run(pixels []byte) int {
	n := r.next()
	if uint64(n) > uint64(len(pixels)/2) {
		r.fail("run of %d pixels, but %d are left", n, len(pixels)/2)
	}
	if r.err != nil {
		return 0
	}
	return 2 * int(n)
}
