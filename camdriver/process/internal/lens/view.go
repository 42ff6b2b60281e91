package lens

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
	if r == Truncating {
		for i, d := range depth {
			a, b := v.see(d, x[i], y[i], units)
			us[i], vs[i] = Truncated(a+0.5), Truncated(b+0.5)
		}
		return
	}
	for i, d := range depth {
		a, b := v.see(d, x[i], y[i], units)
		us[i], vs[i] = NearestEven(a+0.5), NearestEven(b+0.5)
	}
}

// see projects one point.
func (v *View) see(d uint16, x, y, units float32) (float32, float32) {
	z := units * float32(d)
	x, y, z = v.Turn.Apply(float32(z*x), float32(z*y), z)
	return v.Lens.Pixel(x/z, y/z)
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
	for i := 0; 2*i < len(uv); i++ {
		from, to := xyz[3*i:][:3], uv[2*i:][:2]
		if from[2] == 0 {
			to[0], to[1] = 0, 0
			continue
		}
		x, y, z := v.Turn.Apply(from[0], from[1], from[2])
		to[0], to[1] = v.Lens.Pixel(x/z, y/z)
	}
}
