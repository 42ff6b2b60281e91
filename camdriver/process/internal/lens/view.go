package lens

import "math"

// View maps points of another camera to pixels.
type View struct {
	Turn Transform // from the other camera
	Lens Lens
}

// Locate computes the pixels of a row of depth: image coordinates, to which it adds half a pixel and which it rounds to
// the nearest integer, ties to even. x and y are the row's rays. Results are undefined where depth is 0.
func (v *View) Locate(us, vs []int32, depth []uint16, x, y []float32, units float32) {
	n := len(depth)
	us, vs, x, y = us[:n], vs[:n], x[:n], y[:n]
	if !v.Lens.flat {
		for i, d := range depth {
			a, b := v.projectPoint(d, x[i], y[i], units)
			us[i], vs[i] = NearestEven(a+0.5), NearestEven(b+0.5)
		}
		return
	}
	done := whole(n)
	if done > 0 {
		p := v.parameters(units)
		if locateAVX2(&us[0], &vs[0], &depth[0], &x[0], &y[0], done, &p[0]) != 0 && v.Lens.bend != Straight {
			done = 0
		}
	}
	v.locateFlat(us[done:], vs[done:], depth[done:], x[done:], y[done:], units)
}

// projectPoint projects a point.
func (v *View) projectPoint(d uint16, x, y, units float32) (float32, float32) {
	z := units * float32(d)
	x, y, z = v.Turn.Apply(float32(z*x), float32(z*y), z)
	return v.Lens.Pixel(x/z, y/z)
}

// locateFlat is Locate without distortion, inlined so that parameters stay in registers.
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
		a := int32(math.Float32bits(float32(qx/qz*fx)+ppx+0.5+magic)) - magicBits
		b := int32(math.Float32bits(float32(qy/qz*fy)+ppy+0.5+magic)) - magicBits
		if (uint32(a+exact) | uint32(b+exact)) >= 2*exact { // also if the numbers are out of range
			f, g := v.projectPoint(d, x[i], y[i], units)
			a, b = NearestEven(f+0.5), NearestEven(g+0.5)
		}
		us[i], vs[i] = a, b
	}
}

// Deproject computes x, y, z of the points of a row of depth.
func Deproject(xyz []float32, depth []uint16, x, y []float32, units float32) {
	x, y = x[:len(depth)], y[:len(depth)]
	n := whole(len(depth))
	if n > 0 {
		deprojectAVX2(&xyz[:3*n][0], &depth[0], &x[0], &y[0], 4*lanes, n, &units)
	}
	xyz, depth, x, y = xyz[3*n:], depth[n:], x[n:], y[n:]
	for i, d := range depth {
		z := units * float32(d)
		to := (*[3]float32)(xyz)
		to[0], to[1], to[2] = float32(z*x[i]), float32(z*y[i]), z
		xyz = xyz[3:]
	}
}

// Project computes the image coordinates of a row of depth in pixels, or 0, 0 without
// depth. xyz are the points, x and y the row's rays.
func (v *View) Project(uv, xyz []float32, depth []uint16, x, y []float32, units float32) {
	if !v.Lens.flat {
		for i := range depth {
			v.project(uv[2*i:][:2], xyz[3*i:][:3])
		}
		return
	}
	n := whole(len(depth))
	if n > 0 {
		p := v.parameters(units)
		if projectAVX2(&uv[0], &depth[0], &x[0], &y[0], n, &p[0]) != 0 && v.Lens.bend != Straight {
			n = 0
		}
	}
	v.projectFlat(uv[2*n:], xyz[3*n:])
}

// Divide divides numbers alternately by a and b.
func Divide(uv []float32, a, b float32) {
	if n := whole(len(uv)); n > 0 {
		by := [2]float32{a, b}
		divideAVX2(&uv[0], n, &by[0])
		uv = uv[n:]
	}
	for i := 0; i+1 < len(uv); i += 2 {
		uv[i], uv[i+1] = uv[i]/a, uv[i+1]/b
	}
}

// small reports whether f is between -exact and exact, with one comparison.
func small(f float32) bool { return math.Float32bits(f)&^(1<<31) < exactBits }

// project projects a point.
func (v *View) project(to, from []float32) {
	if from[2] == 0 {
		to[0], to[1] = 0, 0
		return
	}
	x, y, z := v.Turn.Apply(from[0], from[1], from[2])
	to[0], to[1] = v.Lens.Pixel(x/z, y/z)
}

// projectFlat is Project without distortion.
func (v *View) projectFlat(uv, xyz []float32) {
	m, t := &v.Turn.R, &v.Turn.T
	fx, fy, ppx, ppy := v.Lens.fx, v.Lens.fy, v.Lens.ppx, v.Lens.ppy
	for len(uv) >= 2 && len(xyz) >= 3 {
		px, py, pz := xyz[0], xyz[1], xyz[2]
		qz := float32(m[2]*px) + (float32(m[5]*py) + (float32(m[8]*pz) + t[2]))
		qx := float32(m[0]*px) + (float32(m[3]*py) + (float32(m[6]*pz) + t[0]))
		qy := float32(m[1]*px) + (float32(m[4]*py) + (float32(m[7]*pz) + t[1]))
		a, b := float32(qx/qz*fx)+ppx, float32(qy/qz*fy)+ppy
		if pz != 0 && small(a) && small(b) {
			uv[0], uv[1] = a, b
		} else {
			v.project(uv, xyz)
		}
		uv, xyz = uv[2:], xyz[3:]
	}
}
