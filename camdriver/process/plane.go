package process

import (
	"fmt"
	"unsafe"

	"rsros/camdriver"
)

// plane is the pixels of a frame.
type plane struct {
	data          []byte
	width, height int
	stride        int // bytes per row, with padding
	size          int // bytes per pixel
}

// planeOf returns the pixels of a frame. It checks that they match the frame's size.
func planeOf(f *camdriver.Frame) (plane, error) {
	p := plane{f.Data, f.Width, f.Height, f.Stride, f.Profile.Format.BitsPerPixel() / 8}
	if p.width <= 0 || p.height <= 0 || p.width > maxPixels/p.height || p.size == 0 ||
		p.stride < p.width*p.size || p.stride > len(p.data) || (p.height-1)*p.stride+p.width*p.size > len(p.data) {
		return plane{}, fmt.Errorf("%d×%d pixels of %d bytes with %d bytes per row in %d bytes: %w",
			p.width, p.height, p.size, p.stride, len(p.data), ErrBadFrame)
	}
	return p, nil
}

// row returns the bytes of a row.
func (p *plane) row(y int) []byte { return p.data[y*p.stride:][:p.width*p.size] }

// row16 returns a row of 16-bit pixels.
func (p *plane) row16(y int) []uint16 { return rowOf[uint16](p, y) }

// reinterpret returns bytes as numbers in host byte order, which is little-endian on all supported platforms, or as
// arrays of bytes. They need not be aligned.
func reinterpret[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// rowOf returns a row of numbers or pixels.
func rowOf[T any](p *plane, y int) []T { return reinterpret[T](p.row(y)) }
