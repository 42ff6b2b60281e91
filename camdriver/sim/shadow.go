package sim

import "math"

// shadow is a soft ellipse on the floor. This is exact for balls and an approximation for boxes.
type shadow struct {
	x, z          float64 // middle, world m
	along, across float64 // semi-axes in the light's direction and across it, m
}

// The offset of shadows on the floor per metre of height.
var (
	fallX, fallZ = toLamp[0] / toLamp[1], toLamp[2] / toLamp[1]
	fall         = math.Hypot(fallX, fallZ)
)

// shadow returns a ball's shadow with a soft rim.
func (b ball) shadow(t, period float64) shadow {
	c := b.at(t, period)
	h := roomFloor - c[1]
	return shadow{c[0] + h*fallX, c[2] + h*fallZ, 1.2 * b.radius / math.Abs(toLamp[1]), 1.2 * b.radius}
}

// boxShadow returns the shadow of a box.
func boxShadow(centre, half [3]float64) shadow {
	h, wide := half[1], 1.3*math.Max(half[0], half[2])
	return shadow{centre[0] + h*fallX, centre[2] + h*fallZ, wide + h*fall, wide}
}

// umbra is a shadow in the view of a camera, like face: distances from its middle in semi-axes, divided by depth.
type umbra struct{ inv, along, across linear }

// seen returns the shadow on the floor's face, whose s and t are x and z from its middle.
func (s shadow) seen(f *face, middle [3]float64) umbra {
	dx := f.s.plus(f.inv, middle[0]-s.x)
	dz := f.t.plus(f.inv, middle[2]-s.z)
	ex, ez := fallX/fall, fallZ/fall
	return umbra{
		inv:    f.inv,
		along:  dx.scale(ex/s.along).plus(dz, ez/s.along),
		across: dx.scale(-ez/s.across).plus(dz, ex/s.across),
	}
}

// cast darkens the floor's pixels of row y inside the ellipse. At its edge, along² + across² = inv², a quadratic in x.
func (u *umbra) cast(y int, out *row, floor uint8) {
	i0, i1 := u.inv.row(float64(y))
	a0, a1 := u.along.row(float64(y))
	b0, b1 := u.across.row(float64(y))
	q2, q1, q0 := a1*a1+b1*b1-i1*i1, 2*(a0*a1+b0*b1-i0*i1), a0*a0+b0*b0-i0*i0
	lo, hi := inside(q2, q1, q0, len(out.id))
	for x := lo; x <= hi; x++ {
		if out.id[x] != floor {
			continue
		}
		z, v := float64(1/out.inv[x]), float64(x)
		a, b := (a0+a1*v)*z, (b0+b1*v)*z
		lit := a*a + b*b // 0 in the middle, 1 at the edge
		out.lum[x] *= float32(0.4 + 0.6*lit*lit)
	}
}
