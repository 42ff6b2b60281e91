// Package lens implements the geometry of cameras in float32: the rays of pixels and the projection of points. It has
// the order of operations and the bugs of librealsense's fast paths, so that results are bit-identical.
//
// Values are immutable and safe for concurrent use.
package lens

import (
	"math"

	"rsros/camdriver"
)

// Transform is extrinsics in float32, column-major as in the SDK.
type Transform struct {
	R [9]float32
	T [3]float32 // m
}

// NewTransform converts e.
func NewTransform(e camdriver.Extrinsics) Transform {
	var m Transform
	for row := range 3 {
		for column := range 3 {
			m.R[3*column+row] = float32(e.Rotation[3*row+column])
		}
		m.T[row] = float32(e.Translation[row])
	}
	return m
}

// Identity reports whether m is the identity.
func (m *Transform) Identity() bool {
	return m.R == [9]float32{1, 0, 0, 0, 1, 0, 0, 0, 1} && m.T == [3]float32{}
}

// Apply maps the point x, y, z.
func (m *Transform) Apply(x, y, z float32) (float32, float32, float32) {
	return float32(m.R[0]*x) + (float32(m.R[3]*y) + (float32(m.R[6]*z) + m.T[0])),
		float32(m.R[1]*x) + (float32(m.R[4]*y) + (float32(m.R[7]*z) + m.T[1])),
		float32(m.R[2]*x) + (float32(m.R[5]*y) + (float32(m.R[8]*z) + m.T[2]))
}

// Distortion is a formula for lens distortion.
type Distortion uint8

// The formulas.
const (
	Straight Distortion = iota
	Modified            // tangential terms from the point after radial distortion
	Brown               // tangential terms from the original point
	Slipped             // Modified with half of x's tangential terms in y, a bug of align in librealsense 2.56
)

// Lens projects points to pixels.
type Lens struct {
	fx, fy, ppx, ppy float32
	c                [5]float32
	bend             Distortion
	flat             bool // no distortion near the image
}

// NewLens returns the lens of intrinsics.
func NewLens(in *camdriver.Intrinsics, bend Distortion) Lens {
	l := Lens{fx: float32(in.Fx), fy: float32(in.Fy), ppx: float32(in.Ppx), ppy: float32(in.Ppy),
		c: coefficients(in), bend: bend}
	usual := l.fx >= 1 && l.fy >= 1 && l.ppx > -exact && l.ppx < exact && l.ppy > -exact && l.ppy < exact
	l.flat = bend == Straight || usual && l.c == [5]float32{}
	return l
}

// Pixel projects the point x, y at depth 1.
func (l *Lens) Pixel(x, y float32) (u, v float32) {
	if l.bend != Straight {
		x, y = l.distort(x, y)
	}
	return float32(x*l.fx) + l.ppx, float32(y*l.fy) + l.ppy
}

func (l *Lens) distort(x, y float32) (float32, float32) {
	c := &l.c
	r2 := float32(x*x) + float32(y*y)
	r4 := float32(r2 * r2)
	f := 1 + (float32(c[0]*r2) + (float32(c[1]*r4) + float32(c[4]*float32(r2*r4))))
	xf, yf := float32(x*f), float32(y*f)
	tx, ty := xf, yf
	if l.bend == Brown {
		tx, ty = x, y
	}
	xy := float32(tx * ty)
	outX := float32(c[3] * (r2 + float32(2*float32(tx*tx))))
	outY := float32(c[2] * (r2 + float32(2*float32(ty*ty))))
	if l.bend == Slipped {
		outY = outX
	}
	return xf + (float32(2*float32(c[2]*xy)) + outX), yf + (float32(2*float32(c[3]*xy)) + outY)
}

// nowhere is the result of converting a value out of range to int32 on x86.
const nowhere = math.MinInt32

// A float32 above 2^23 has no fraction, so adding magic rounds numbers up to exact.
const (
	exact     = 1 << 22
	magic     = 3 << 22
	magicBits = 0x4B400000 // magic as the bits of a float32
	exactBits = 0x4A800000
)

// NearestEven rounds to the nearest integer, ties to even.
func NearestEven(f float32) int32 {
	if f > -exact && f < exact {
		return int32(math.Float32bits(f+magic)) - magicBits
	}
	if f >= -1<<31 && f < 1<<31 {
		return int32(math.RoundToEven(float64(f)))
	}
	return nowhere
}

// Truncated rounds towards 0.
func Truncated(f float32) int32 {
	if f >= -1<<31 && f < 1<<31 {
		return int32(f)
	}
	return nowhere
}
