package lens

import "math"

// View is a camera that looks at points of another one.
type View struct {
	Turn Turn // from the other
	Lens Lens
}

// Rounding says how the place of a point becomes the number of a pixel.
type Rounding uint8

// The ways to round.
const (
	Even       Rounding = iota // to the nearest, of half a pixel more
	Truncating                 // down, of half a pixel more
)

// Locate finds the pixels at which the points of a row of depth are seen; x and y
// are the row's rays. Where depth is 0 they mean nothing.
func (v *View) Locate(us, vs []int32, depth []uint16, x, y []float32, units float32, r Rounding) {
	n := len(depth)
	us, vs, x, y = us[:n], vs[:n], x[:n], y[:n]
	switch {
	case r == Truncating:
		for i, d := range depth {
			a, b := v.see(d, x[i], y[i], units)
			us[i], vs[i] = Truncated(a+0.5), Truncated(b+0.5)
		}
	case v.Lens.flat:
		v.locateFlat(us, vs, depth, x, y, units)
	default:
		for i, d := range depth {
			a, b := v.see(d, x[i], y[i], units)
			us[i], vs[i] = NearestEven(a+0.5), NearestEven(b+0.5)
		}
	}
}

// see projects one point.
func (v *View) see(d uint16, x, y, units float32) (float32, float32) {
	z := units * float32(d)
	x, y, z = v.Turn.Apply(float32(z*x), float32(z*y), z)
	return v.Lens.Pixel(x/z, y/z)
}

// locateFlat is Locate for the usual case, written out: the compiler keeps the
// parameters in registers. A lens without coefficients moves no point that is near
// the image, and the others are nowhere with it and without.
func (v *View) locateFlat(us, vs []int32, depth []uint16, x, y []float32, units float32) {
	m, t := &v.Turn.R, &v.Turn.T
	fx, fy, ppx, ppy := v.Lens.fx, v.Lens.fy, v.Lens.ppx, v.Lens.ppy
	us, vs, x, y = us[:len(depth)], vs[:len(depth)], x[:len(depth)], y[:len(depth)]
	for i, d := range depth {
		pz := units * float32(d)
		px, py := float32(pz*x[i]), float32(pz*y[i])
		qz := float32(m[2]*px) + (float32(m[5]*py) + (float32(m[8]*pz) + t[2]))
		qx := float32(m[0]*px) + (float32(m[3]*py) + (float32(m[6]*pz) + t[0]))
		qy := float32(m[1]*px) + (float32(m[4]*py) + (float32(m[7]*pz) + t[1]))
		a := float32(qx/qz*fx) + ppx + 0.5
		b := float32(qy/qz*fy) + ppy + 0.5
		if a > -exact && a < exact && b > -exact && b < exact {
			us[i] = int32(math.Float32bits(a+magic)) - magicBits
			vs[i] = int32(math.Float32bits(b+magic)) - magicBits
		} else {
			us[i], vs[i] = NearestEven(a), NearestEven(b)
		}
	}
}

// Deproject makes the points of a row of depth: x, y, z of each.
func Deproject(xyz []float32, depth []uint16, x, y []float32, units float32) {
	x, y = x[:len(depth)], y[:len(depth)]
	for i, d := range depth {
		z := units * float32(d)
		to := xyz[3*i:][:3]
		to[0], to[1], to[2] = float32(z*x[i]), float32(z*y[i]), z
	}
}

// Project finds where points are seen, in pixels; 0, 0 for those without depth.
func (v *View) Project(uv, xyz []float32) {
	if v.Lens.flat {
		v.projectFlat(uv, xyz)
		return
	}
	for i := 0; 2*i < len(uv); i++ {
		v.project(uv[2*i:][:2], xyz[3*i:][:3])
	}
}

// project finds where one point is seen.
func (v *View) project(to, from []float32) {
	if from[2] == 0 {
		to[0], to[1] = 0, 0
		return
	}
	x, y, z := v.Turn.Apply(from[0], from[1], from[2])
	to[0], to[1] = v.Lens.Pixel(x/z, y/z)
}

// projectFlat is Project for the usual case. Points that are seen very far outside
// become no numbers in the long way.
func (v *View) projectFlat(uv, xyz []float32) {
	m, t := &v.Turn.R, &v.Turn.T
	fx, fy, ppx, ppy := v.Lens.fx, v.Lens.fy, v.Lens.ppx, v.Lens.ppy
	for len(uv) >= 2 && len(xyz) >= 3 {
		px, py, pz := xyz[0], xyz[1], xyz[2]
		qz := float32(m[2]*px) + (float32(m[5]*py) + (float32(m[8]*pz) + t[2]))
		qx := float32(m[0]*px) + (float32(m[3]*py) + (float32(m[6]*pz) + t[0]))
		qy := float32(m[1]*px) + (float32(m[4]*py) + (float32(m[7]*pz) + t[1]))
		a, b := qx/qz, qy/qz
		if pz != 0 && a > -exact && a < exact && b > -exact && b < exact {
			uv[0], uv[1] = float32(a*fx)+ppx, float32(b*fy)+ppy
		} else {
			v.project(uv, xyz)
		}
		uv, xyz = uv[2:], xyz[3:]
	}
}
