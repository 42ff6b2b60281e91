package sim

import (
	"math"

	"rsros/camdriver"
)

// The renderer works by rows. Along a row, the reciprocal depth of a plane is a linear function of the pixel, and so is
// a surface coordinate divided by depth. So the edges of a rectangle and the rim of a ball are solutions of an
// equation, and each depth costs one addition.

// linear is the function c + u·x + v·y of pixels (x, y).
type linear struct{ c, u, v float64 }

func (l linear) plus(m linear, f float64) linear {
	return linear{l.c + f*m.c, l.u + f*m.u, l.v + f*m.v}
}

func (l linear) scale(f float64) linear { return linear{f * l.c, f * l.u, f * l.v} }

// row returns the function on a row: start + x·step.
func (l linear) row(y float64) (start, step float64) { return l.c + l.v*y, l.u }

// rays are the directions of the pixels' rays in world axes, with length 1 along the camera's z.
type rays struct {
	origin [3]float64
	d      [3]linear // direction
	in     camdriver.Intrinsics
}

func newRays(view camdriver.Extrinsics, in camdriver.Intrinsics) rays {
	r := rays{origin: view.Translation, in: in}
	for i := range 3 {
		a, b, c := view.Rotation[3*i]/in.Fx, view.Rotation[3*i+1]/in.Fy, view.Rotation[3*i+2]
		r.d[i] = linear{c: c - a*in.Ppx - b*in.Ppy, u: a, v: b}
	}
	return r
}

// along returns the component of the directions along a.
func (r *rays) along(a [3]float64) linear {
	return r.d[0].scale(a[0]).plus(r.d[1], a[1]).plus(r.d[2], a[2])
}

// face is a quad in the view of a camera: reciprocal depth, and the surface coordinates divided by depth.
type face struct {
	inv, s, t    linear
	halfS, halfT float64
	light        float32 // brightness of the surface, without pattern
	material     material
}

// disc is a ball in the view of a camera.
type disc struct {
	toCamera [3]float64 // from the centre to the camera
	radius   float64
	material material
}

// raster is the view of a camera, to be cast row by row.
type raster struct {
	rays
	scene *scene
	paint []tint // the scene's tints as pixel values
	faces []face
	discs []disc
	// Shadows are on the floor, which is the first face.
	umbrae []umbra
}

func newRaster(sc *scene, view camdriver.Extrinsics, in camdriver.Intrinsics, t float64, k look) *raster {
	r := &raster{rays: newRays(view, in), scene: sc, paint: paints(sc.tints, k)}
	for _, q := range sc.quads {
		from := add(r.origin, q.centre, -1)
		height := dot(q.normal, from)
		if height <= 1e-6 {
			continue // seen from behind
		}
		inv := r.along(q.normal).scale(-1 / height)
		r.faces = append(r.faces, face{
			inv: inv, s: r.along(q.s).plus(inv, dot(q.s, from)), t: r.along(q.t).plus(inv, dot(q.t, from)),
			halfS: q.halfS, halfT: q.halfT, light: daylight(q.normal), material: q.material,
		})
	}
	for _, b := range sc.balls {
		r.discs = append(r.discs,
			disc{toCamera: add(r.origin, b.at(t, sc.period), -1), radius: b.radius, material: b.material})
	}
	for _, s := range sc.shadows {
		r.umbrae = append(r.umbrae, s.seen(&r.faces[0], sc.quads[0].centre))
	}
	for _, b := range sc.balls {
		r.umbrae = append(r.umbrae, b.shadow(t, sc.period).seen(&r.faces[0], sc.quads[0].centre))
	}
	return r
}

// Brightness of the ambient light and of the lamp.
const ambientLight, directLight = 0.52, 0.66

// toLamp is the direction to the lamp.
var toLamp = [3]float64{-0.56, -0.75, -0.35}

// daylight returns the brightness of a surface with normal n by Lambert's law.
func daylight(n [3]float64) float32 {
	return float32(ambientLight + directLight*math.Max(0, dot(n, toLamp)))
}

// row is the scratch memory for a row of pixels.
type row struct {
	inv  []float32 // reciprocal depth (1/m) of the nearest surface
	id   []uint8   // 1 + index of that surface, faces first; 0 if none
	lum  []float32 // its brightness
	tint []uint8   // its tint
}

func newRow(width int) *row {
	return &row{make([]float32, width), make([]uint8, width), make([]float32, width), make([]uint8, width)}
}

// cast finds the nearest surface of each pixel of row y.
func (r *raster) cast(y int, out *row) {
	clear(out.inv)
	clear(out.id)
	v := float64(y)
	for i := range r.faces {
		f := &r.faces[i]
		lo, hi := f.span(v, len(out.inv))
		start, step := f.inv.row(v)
		nearest(out, lo, hi, float32(start), float32(step), uint8(i+1))
	}
	for i := range r.discs {
		r.castDisc(v, &r.discs[i], uint8(len(r.faces)+i+1), out)
	}
}

// nearest draws the pixels [lo, hi) of a plane where it is nearer than the row so far.
func nearest(out *row, lo, hi int, start, step float32, id uint8) {
	for x := lo; x < hi; x++ {
		if inv := start + step*float32(x); inv > out.inv[x] {
			out.inv[x], out.id[x] = inv, id
		}
	}
}

// span returns the pixels [lo, hi) of row v in which the depth of the face is positive
// and both surface coordinates are inside ±half.
func (f *face) span(v float64, width int) (lo, hi int) {
	a, b := 0.0, float64(width-1)
	for _, l := range [...]linear{
		f.inv.plus(linear{c: -1e-3}, 1),
		f.inv.scale(f.halfS).plus(f.s, 1), f.inv.scale(f.halfS).plus(f.s, -1),
		f.inv.scale(f.halfT).plus(f.t, 1), f.inv.scale(f.halfT).plus(f.t, -1),
	} {
		start, step := l.row(v)
		switch {
		case step > 0:
			a = max(a, -start/step)
		case step < 0:
			b = min(b, -start/step)
		case start < 0:
			return 0, 0
		}
	}
	if a > b {
		return 0, 0
	}
	return int(math.Ceil(a)), int(math.Floor(b)) + 1
}

// inside returns the pixels [lo, hi] of a row in which q2·x² + q1·x + q0, which must open upward, isn't positive.
func inside(q2, q1, q0 float64, width int) (lo, hi int) {
	edge := q1*q1 - 4*q2*q0
	if q2 <= 0 || edge <= 0 {
		return 0, -1
	}
	root := math.Sqrt(edge)
	lo = int(math.Ceil(max(0, (-q1-root)/(2*q2))))
	hi = int(math.Floor(min(float64(width-1), (-q1+root)/(2*q2))))
	return lo, hi
}

// castDisc solves |origin + z·d - centre| = radius for z along a row. At the rim, the
// discriminant, a quadratic in x, is 0.
func (r *raster) castDisc(v float64, d *disc, id uint8, out *row) {
	var d0, du [3]float64
	for i := range 3 {
		d0[i], du[i] = r.d[i].row(v)
	}
	a0, a1, a2 := dot(d0, d0), 2*dot(d0, du), dot(du, du)
	b0, b1 := dot(d0, d.toCamera), dot(du, d.toCamera)
	c := dot(d.toCamera, d.toCamera) - d.radius*d.radius
	q2, q1, q0 := b1*b1-a2*c, 2*b0*b1-a1*c, b0*b0-a0*c
	lo, hi := inside(-q2, -q1, -q0, len(out.inv)) // empty if not on this row, or if the camera is too near
	for x := lo; x <= hi; x++ {
		u := float64(x)
		toward := -(b0 + b1*u) - math.Sqrt(max(0, q0+u*(q1+u*q2)))
		if inv := float32((a0 + u*(a1+u*a2)) / toward); inv > out.inv[x] {
			out.inv[x], out.id[x] = inv, id
		}
	}
}
