// Package workload has what benchmarks and tests of encoders share: images, random messages, guarded memory, and the
// processor time of the process. The images are the same, byte for byte, as those of the C++ programs in test/bench/peers.
package workload

import "encoding/binary"

// The size of the images in pixels.
const (
	Width  = 1280
	Height = 720
)

// Bytes of an image.
const (
	DepthSize = Width * Height * 2
	ColorSize = Width * Height * 3
)

// generator is xorshift64*.
type generator uint64

func newGenerator(seed uint64) generator { return generator(seed*0x9E3779B97F4A7C15 | 1) }

func (g *generator) next() uint64 {
	x := uint64(*g)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*g = generator(x)
	return x * 2685821657736338717
}

// Depth fills out, which is DepthSize bytes long, with the i-th depth image: a
// tilted plane in runs of equal pixels, with noise and holes. It returns out.
func Depth(out []byte, i int) []byte {
	g, at := newGenerator(uint64(i+1)), 0
	for y := range Height {
		for x := 0; x < Width; {
			v := g.next()
			run, value := 1+int(v&7), uint16(600+y*2+int(v>>8&15))
			if v>>16&7 == 0 {
				run, value = 1+int(v>>20&31), 0
			}
			for ; run > 0 && x < Width; run, x = run-1, x+1 {
				binary.LittleEndian.PutUint16(out[at:], value)
				at += 2
			}
		}
	}
	return out
}

// Color fills out, which is ColorSize bytes long, with the i-th colour image: a
// gradient in short runs of equal pixels, with noise. It returns out.
func Color(out []byte, i int) []byte {
	g, at := newGenerator(uint64(i+1)+1000), 0
	for y := range Height {
		for x := 0; x < Width; {
			v := g.next()
			run := 1 + int(v&3)
			c := [3]byte{byte(y/4 + int(v>>8&31)), byte(x/8 + int(v>>16&31)), byte(64 + int(v>>24&31))}
			for ; run > 0 && x < Width; run, x = run-1, x+1 {
				at += copy(out[at:], c[:])
			}
		}
	}
	return out
}
