package lens

import (
	"unsafe"

	"rsros/camdriver"
)

// Rays are the directions of the pixels of a profile, as points at depth 1.
type Rays struct {
	Width, Height int
	bent          bool      // by distortion
	x, y          []float32 // by pixel if bent, else by column and row
}

// NewRays returns the rays of the points offset pixels to the right of and below the centre of each pixel. Only inverse
// Brown-Conrady bends them: the SDK's fast paths ignore the coefficients of other models, which are 0 on D400 cameras.
func NewRays(in *camdriver.Intrinsics, width, height int, offset float32) *Rays {
	r := &Rays{Width: width, Height: height, x: make([]float32, width), y: make([]float32, height)}
	fx, fy, ppx, ppy := float32(in.Fx), float32(in.Fy), float32(in.Ppx), float32(in.Ppy)
	for u := range r.x {
		r.x[u] = (float32(u) + offset - ppx) / fx
	}
	for v := range r.y {
		r.y[v] = (float32(v) + offset - ppy) / fy
	}
	if in.Model == camdriver.InverseBrownConrady {
		r.bend(coefficients(in))
	}
	return r
}

func (r *Rays) bend(c [5]float32) {
	xs, ys := r.x, r.y
	r.bent = true
	r.x, r.y = make([]float32, r.Width*r.Height), make([]float32, r.Width*r.Height)
	for v, y := range ys {
		for u, x := range xs {
			r2 := float32(x*x) + float32(y*y)
			f := 1 + float32(c[0]*r2) + float32(float32(c[1]*r2)*r2) + float32(float32(float32(c[4]*r2)*r2)*r2)
			i := v*r.Width + u
			r.x[i] = float32(x*f) + float32(float32(float32(2*c[2])*x)*y) + float32(c[3]*(r2+float32(float32(2*x)*x)))
			r.y[i] = float32(y*f) + float32(float32(float32(2*c[3])*x)*y) + float32(c[2]*(r2+float32(float32(2*y)*y)))
		}
	}
}

// Row returns the rays of row v. It may use scratch, which must have the image's width.
func (r *Rays) Row(v int, scratch []float32) (x, y []float32) {
	if r.bent {
		return r.x[v*r.Width:][:r.Width], r.y[v*r.Width:][:r.Width]
	}
	scratch = scratch[:r.Width] // at least 1
	scratch[0] = r.y[v]
	for n := 1; n < len(scratch); n *= 2 {
		copy(scratch[n:], scratch[:n])
	}
	return r.x, scratch
}

// Deproject computes x, y, z of the points of row v of depth, for images that aren't read soon: the points bypass the
// processor's caches. Call Fence after the last row. scratch is as for Row.
func (r *Rays) Deproject(xyz []float32, depth []uint16, v int, units float32, scratch []float32) {
	n := whole(len(depth))
	if n > 0 && uintptr(unsafe.Pointer(&xyz[:3*n][0]))%32 != 0 {
		n = 0
	}
	switch {
	case n > 0 && r.bent:
		streamAVX2(&xyz[0], &depth[0], &r.x[v*r.Width], &r.y[v*r.Width], 4*lanes, n, &units)
	case n > 0:
		var y [lanes]float32
		for i := range y {
			y[i] = r.y[v]
		}
		streamAVX2(&xyz[0], &depth[0], &r.x[0], &y[0], 0, n, &units)
	}
	if n < len(depth) {
		x, y := r.Row(v, scratch)
		Deproject(xyz[3*n:], depth[n:], x[n:], y[n:], units)
	}
}

func coefficients(in *camdriver.Intrinsics) (c [5]float32) {
	for i := range c {
		c[i] = float32(in.Coeffs[i])
	}
	return c
}
