package imagetransport

//go:generate go run -C ../../asm ./ycbcr

import "golang.org/x/sys/cpu"

// fast enables the assembly. Tests disable it for comparison.
var fast = assembly && cpu.X86.HasAVX2

// block is the number of pixels that convertAVX2 converts at a time.
const block = 16

// convertFast is the beginning of convertRows. It returns the number of pairs of pixels that
// it has converted.
func convertFast(top, bottom []byte, l layout, lumaTop, lumaBottom, cb, cr []byte) int {
	n := len(lumaTop) &^ (block - 1)
	if !fast || n == 0 {
		return 0
	}
	_, _ = top[n*l.pixel-1], bottom[n*l.pixel-1]
	_, _, _ = lumaBottom[n-1], cb[n/2-1], cr[n/2-1]
	pick := picks(l)
	second := 8*l.pixel - 16 // of 24 or 32 bytes, so that nothing after them is read
	convertAVX2(&[2]*byte{&top[0], &bottom[0]},
		&[4]*byte{&lumaTop[0], &lumaBottom[0], &cb[0], &cr[0]}, &pick, l.pixel, second, n)
	return n / 2
}

// picks returns the places of the bytes of red and green, and blue and green, of 8 pixels for
// VPSHUFB, each as a word: 4 pixels of the first 16 bytes, and 4 of the last.
func picks(l layout) (p [2][32]byte) {
	for i := range 8 {
		at := i * l.pixel
		if i >= 4 {
			at -= 8*l.pixel - 16
		}
		for pair, channel := range [2]int{0, 2} {
			copy(p[pair][4*i:], []byte{byte(at + l.rgb[channel]), zero, byte(at + l.rgb[1]), zero})
		}
	}
	return p
}

// zero is the place of a byte that VPSHUFB clears.
const zero = 0x80
