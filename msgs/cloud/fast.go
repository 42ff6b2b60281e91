package cloud

//go:generate go run -C ../../asm ./cloud

import (
	"math"

	"golang.org/x/sys/cpu"
)

// fast enables the assembly. Tests disable it for comparison.
var fast = assembly && cpu.X86.HasAVX2

// lanes is the number of places that are computed at once.
const lanes = 8

// ownFast appends the first points of own and returns the number of pixels processed.
func (w *writer) ownFast(xyz []float32, pixels []byte) int {
	t := w.shape.Texture
	n := min(len(xyz)/3, len(pixels)/t.Pixel) - 1 // the assembly reads past the last point
	if !fast || w.options.Ordered || n <= 0 {
		return 0
	}
	to, rgb := w.to[w.at:][:n*step], t.bytes(pixels)
	w.at += ownAVX2(&to[0], &xyz[0], &rgb, t.Pixel, n)
	return n
}

// anyFast is ownFast for points with texture coordinates.
func (w *writer) anyFast(xyz, uv []float32) int {
	t := w.shape.Texture
	n := min(len(xyz)/3, len(uv)/2) - 1
	if n &^= lanes - 1; !fast || t.Gray || w.options.Ordered || !w.shape.Places || n <= 0 || len(t.Data) > math.MaxInt32 {
		return 0
	}
	if len(w.places) < n {
		w.places = make([]int32, n)
	}
	size, bytes := [2]float32{float32(t.Width), float32(t.Height)}, [2]int32{int32(t.Pixel), int32(t.Step)}
	placesAVX2(&w.places[0], &uv[0], n, &size, &bytes)
	outside := 0
	if w.options.AllowNoTexture {
		outside = -1
	}
	to, rgb := w.to[w.at:][:n*step], t.bytes(t.Data)
	w.at += placedAVX2(&to[0], &xyz[0], &rgb, &w.places[0], outside, n)
	return n
}

// bytes returns the places of red, green and blue of the first pixel.
func (t *Texture) bytes(pixels []byte) [3]*byte {
	return [3]*byte{&pixels[t.RGB[0]], &pixels[t.RGB[1]], &pixels[t.RGB[2]]}
}
