package process

import (
	"fmt"
	"unsafe"

	"rsros/camdriver"
)

// plane is the pixels of a frame by rows.
type plane struct {
	data          []byte
	width, height int
	stride        int // bytes from row to row
	size          int // bytes a pixel
}

// planeOf checks a frame's own description: what follows relies on it.
func planeOf(f *camdriver.Frame) (plane, error) {
	p := plane{f.Data, f.Width, f.Height, f.Stride, f.Profile.Format.BitsPerPixel() / 8}
	if p.width <= 0 || p.height <= 0 || p.width > maxPixels/p.height || p.size == 0 ||
		p.stride < p.width*p.size || p.stride > len(p.data) || (p.height-1)*p.stride+p.width*p.size > len(p.data) {
		return plane{}, fmt.Errorf("%d×%d pixels of %d bytes, %d bytes a row, in %d bytes: %w",
			p.width, p.height, p.size, p.stride, len(p.data), ErrBadFrame)
	}
	return p, nil
}

// row is the bytes of one row.
func (p *plane) row(y int) []byte { return p.data[y*p.stride:][:p.width*p.size] }

// row16 is one row of 16-bit pixels.
func (p *plane) row16(y int) []uint16 { return words[uint16](p.row(y)) }

// sample is a depth value: units in 16 bits, or a disparity.
type sample interface{ uint16 | float32 }

// words sees bytes as numbers in the machine's order, which is little-endian on
// every machine that this runs on. The bytes needn't be aligned.
func words[T sample](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// rowOf is one row of samples.
func rowOf[T sample](p *plane, y int) []T { return words[T](p.row(y)) }

// pixels sees bytes as pixels of a size.
func pixels[P [1]byte | [2]byte | [3]byte | [4]byte](b []byte) []P {
	var zero P
	return unsafe.Slice((*P)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/len(zero))
}
