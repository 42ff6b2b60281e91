package cloud

//go:generate go run -C ../../asm ./cloud

import (
	"math"

	"golang.org/x/sys/cpu"
)

// fast enables the assembly. Tests disable it for comparison.
var fast = cpu.X86.HasAVX2

// lanes is the number of places that are computed at once.
const lanes = 8

// shifted reports whether t's pixels start with RGB or BGR.
func (t *Texture) shifted() (bgr, ok bool) {
	switch t.RGB {
	case [3]int{0, 1, 2}:
		return false, !t.Gray
	case [3]int{2, 1, 0}:
		return true, !t.Gray
	}
	return false, false
}

// ownFast appends the first points of own and returns the number of pixels processed.
func (w *writer) ownFast(xyz []float32, pixels []byte) int {
	t := w.shape.Texture
	n := min(len(xyz)/3, len(pixels)/t.Pixel) - 1 // the assembly reads past the last point
	bgr, ok := t.shifted()
	if !fast || !ok || w.options.Ordered || n <= 0 {
		return 0
	}
	to := w.to[w.at:][:n*step]
	if bgr {
		w.at += ownBGRAVX2(&to[0], &xyz[0], &pixels[0], t.Pixel, n)
	} else {
		w.at += ownRGBAVX2(&to[0], &xyz[0], &pixels[0], t.Pixel, n)
	}
	return n
}

// anyFast is ownFast for points with texture coordinates.
func (w *writer) anyFast(xyz, uv []float32) int {
	t := w.shape.Texture
	n := min(len(xyz)/3, len(uv)/2) - 1
	bgr, ok := t.shifted()
	if n &^= lanes - 1; !fast || !ok || w.options.Ordered || !w.shape.Places || n <= 0 || len(t.Data) > math.MaxInt32 {
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
	to := w.to[w.at:][:n*step]
	if bgr {
		w.at += placedBGRAVX2(&to[0], &xyz[0], &t.Data[0], &w.places[0], outside, n)
	} else {
		w.at += placedRGBAVX2(&to[0], &xyz[0], &t.Data[0], &w.places[0], outside, n)
	}
	return n
}
