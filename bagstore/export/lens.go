package export

import "rsros/camdriver"

// lens bends a ray of the ideal camera, given at depth 1, as librealsense 2.56
// computes it. Coeffs are k1 k2 p1 p2 k3; the fisheye models, which no depth or
// colour stream has, count as straight.
func lens(in *camdriver.Intrinsics, x, y float64) (float64, float64) {
	if in.Model != camdriver.ModifiedBrownConrady && in.Model != camdriver.InverseBrownConrady && in.Model != camdriver.BrownConrady {
		return x, y
	}
	k := &in.Coeffs
	r2 := x*x + y*y
	f := 1 + r2*(k[0]+r2*(k[1]+r2*k[4]))
	tx, ty := x, y // what the tangential part is computed from
	if in.Model != camdriver.BrownConrady {
		tx, ty = x*f, y*f
	}
	return x*f + 2*k[2]*tx*ty + k[3]*(r2+2*tx*tx), y*f + 2*k[3]*tx*ty + k[2]*(r2+2*ty*ty)
}

// project returns the pixel where the camera sees a point; ok is false for points
// that are not in front of the camera.
func project(in *camdriver.Intrinsics, p [3]float64) (u, v float64, ok bool) {
	if p[2] <= 0 {
		return 0, 0, false
	}
	x, y := lens(in, p[0]/p[2], p[1]/p[2])
	return x*in.Fx + in.Ppx, y*in.Fy + in.Ppy, true
}

// deproject returns the point that a pixel sees at a depth. The lens is inverted by
// fixed-point iteration; ten rounds, as in librealsense.
func deproject(in *camdriver.Intrinsics, u, v, depth float64) [3]float64 {
	x, y := (u-in.Ppx)/in.Fx, (v-in.Ppy)/in.Fy
	if in.Coeffs != [5]float64{} {
		wantX, wantY := x, y
		for range 10 {
			isX, isY := lens(in, x, y)
			x, y = x+wantX-isX, y+wantY-isY
		}
	}
	return [3]float64{x * depth, y * depth, depth}
}
