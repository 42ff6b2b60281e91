package process

import (
	"math"

	"rsros/camdriver"
)

// turn is an extrinsic in float32, column after column as the SDK keeps it.
type turn struct {
	r [9]float32
	t [3]float32
}

func newTurn(e camdriver.Extrinsics) turn {
	var m turn
	for row := range 3 {
		for column := range 3 {
			m.r[3*column+row] = float32(e.Rotation[3*row+column])
		}
		m.t[row] = float32(e.Translation[row])
	}
	return m
}

// identity says whether m moves nothing.
func (m *turn) identity() bool {
	return m.r == [9]float32{1, 0, 0, 0, 1, 0, 0, 0, 1} && m.t == [3]float32{}
}

// apply maps a point.
func (m *turn) apply(x, y, z float32) (float32, float32, float32) {
	return float32(m.r[0]*x) + (float32(m.r[3]*y) + (float32(m.r[6]*z) + m.t[0])),
		float32(m.r[1]*x) + (float32(m.r[4]*y) + (float32(m.r[7]*z) + m.t[1])),
		float32(m.r[2]*x) + (float32(m.r[5]*y) + (float32(m.r[8]*z) + m.t[2]))
}

// bending says how a projection distorts.
type bending uint8

const (
	straight bending = iota
	modified         // tangential terms of the point after the radial one
	brown            // tangential terms of the point before it
	slipped          // modified, but half of x's tangential terms in y: align of librealsense 2.56
)

// lens projects points to pixels.
type lens struct {
	fx, fy, ppx, ppy float32
	c                [5]float32
	bend             bending
}

func newLens(in *camdriver.Intrinsics, bend bending) lens {
	return lens{float32(in.Fx), float32(in.Fy), float32(in.Ppx), float32(in.Ppy), coefficients(in), bend}
}

// pixel is where the point x, y at depth 1 is seen.
func (l *lens) pixel(x, y float32) (u, v float32) {
	if l.bend != straight {
		x, y = l.distort(x, y)
	}
	return float32(x*l.fx) + l.ppx, float32(y*l.fy) + l.ppy
}

func (l *lens) distort(x, y float32) (float32, float32) {
	c := &l.c
	r2 := float32(x*x) + float32(y*y)
	r4 := float32(r2 * r2)
	f := 1 + (float32(c[0]*r2) + (float32(c[1]*r4) + float32(c[4]*float32(r2*r4))))
	xf, yf := float32(x*f), float32(y*f)
	tx, ty := xf, yf
	if l.bend == brown {
		tx, ty = x, y
	}
	xy := float32(tx * ty)
	outX := float32(c[3] * (r2 + float32(2*float32(tx*tx))))
	outY := float32(c[2] * (r2 + float32(2*float32(ty*ty))))
	if l.bend == slipped {
		outY = outX
	}
	return xf + (float32(2*float32(c[2]*xy)) + outX), yf + (float32(2*float32(c[3]*xy)) + outY)
}

// nowhere is the number of a pixel that no int32 holds, as the processor of the
// SDK's fast path has it.
const nowhere = math.MinInt32

// nearestEven rounds to the nearest whole number, a half to the even one.
func nearestEven(f float32) int32 {
	// In float32 there are no fractions above 2^23: the sum rounds.
	const magic = 3 << 22
	if f > -1<<22 && f < 1<<22 {
		return int32(math.Float32bits(f+magic)) - 0x4B400000
	}
	if f >= -1<<31 && f < 1<<31 {
		return int32(math.RoundToEven(float64(f)))
	}
	return nowhere
}

// truncated cuts the fraction off.
func truncated(f float32) int32 {
	if f >= -1<<31 && f < 1<<31 {
		return int32(f)
	}
	return nowhere
}
