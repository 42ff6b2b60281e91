package dataset

import (
	"math"

	"rsros/camdriver"
)

// invert fits the radial and tangential coefficients that map ideal points to those on the sensor, as
// stock calibration has them, to a lens model that maps the other way. It returns k1, k2, p1, p2 and the largest
// error of a grid of pixels. The model is linear in the coefficients: least squares.
func invert(in *camdriver.Intrinsics) (c []float64, worst float64) {
	const n, steps = 4, 24
	var normal [n][n + 1]float64
	each := func(do func(x, y float64, rows [2][n]float64, rest [2]float64)) {
		for i := range steps + 1 {
			for j := range steps + 1 {
				xd := (float64(i*in.Width)/steps - in.Ppx) / in.Fx
				yd := (float64(j*in.Height)/steps - in.Ppy) / in.Fy
				x, y := ideal(in.Coeffs, xd, yd)
				r2 := x*x + y*y
				do(x, y, [2][n]float64{{x * r2, x * r2 * r2, 2 * x * y, r2 + 2*x*x}, {y * r2, y * r2 * r2, r2 + 2*y*y, 2 * x * y}},
					[2]float64{xd - x, yd - y})
			}
		}
	}
	each(func(_, _ float64, rows [2][n]float64, rest [2]float64) {
		for e, row := range rows {
			for a := range n {
				for b := range n {
					normal[a][b] += row[a] * row[b]
				}
				normal[a][n] += row[a] * rest[e]
			}
		}
	})
	for a := range n { // Gauss and Jordan; the matrix is positive definite
		for b := range n {
			if b == a || normal[a][a] == 0 {
				continue
			}
			f := normal[b][a] / normal[a][a]
			for k := range n + 1 {
				normal[b][k] -= f * normal[a][k]
			}
		}
	}
	c = make([]float64, n)
	for a := range n {
		if normal[a][a] != 0 {
			c[a] = normal[a][n] / normal[a][a]
		}
	}
	each(func(_, _ float64, rows [2][n]float64, rest [2]float64) {
		var off [2]float64
		for e, row := range rows {
			off[e] = -rest[e]
			for a := range n {
				off[e] += c[a] * row[a]
			}
		}
		worst = max(worst, math.Hypot(off[0]*in.Fx, off[1]*in.Fy))
	})
	return c, worst
}

// ideal is librealsense's Inverse Brown Conrady.
func ideal(k [5]float64, x, y float64) (float64, float64) {
	r2 := x*x + y*y
	f := 1 + k[0]*r2 + k[1]*r2*r2 + k[4]*r2*r2*r2
	return x*f + 2*k[2]*x*y + k[3]*(r2+2*x*x), y*f + 2*k[3]*x*y + k[2]*(r2+2*y*y)
}
