package sim

import (
	"math"
	"math/rand/v2"

	"rsros/camdriver"
)

// gravity acts along +y, in m/s².
const gravity = 9.80665

// wave is the function amp·sin(2π·cycles·t/period + phase).
type wave struct {
	amp    float64
	cycles float64 // per loop, integral
	phase  float64
}

// path is the camera's motion. Position and angles are sums of waves, so the path is closed and has exact derivatives.
// The world's axes are those of the camera at rest: x right, y down, z forward.
type path struct {
	period float64    // s
	rest   [6]float64 // x y z (m), yaw pitch roll (rad)
	waves  [6][]wave
}

func newPath(period float64, rng *rand.Rand) path {
	p := path{period: period, rest: [6]float64{0, 0, 0, 0, -0.14, 0}}
	amplitudes := [6][2]float64{{0.16, 0.02}, {0.05, 0.01}, {0.14, 0.02}, {0.13, 0.02}, {0.04, 0.01}, {0.03, 0.01}}
	for i, a := range amplitudes {
		p.waves[i] = []wave{
			{a[0], 1, 2 * math.Pi * rng.Float64()},
			{a[1], 2 + float64(rng.IntN(2)), 2 * math.Pi * rng.Float64()},
		}
	}
	return p
}

// coordinate returns a coordinate and its first and second derivative.
func (p path) coordinate(i int, t float64) (x, dx, ddx float64) {
	x = p.rest[i]
	for _, w := range p.waves[i] {
		f := 2 * math.Pi * w.cycles / p.period
		s, c := math.Sincos(f*t + w.phase)
		x += w.amp * s
		dx += w.amp * f * c
		ddx -= w.amp * f * f * s
	}
	return x, dx, ddx
}

// kinematics is the depth camera's state at one instant.
type kinematics struct {
	pose     camdriver.Extrinsics // camera to world
	velocity [3]float64           // world, m/s
	accel    [3]float64           // world, m/s²
	omega    [3]float64           // angular velocity in camera axes, rad/s
	alpha    [3]float64           // angular acceleration in camera axes, rad/s²
}

// at evaluates the path at time t. The rotation is Ry(yaw)·Rx(pitch)·Rz(roll).
func (p path) at(t float64) kinematics {
	var q, v, a [6]float64
	for i := range q {
		q[i], v[i], a[i] = p.coordinate(i, t)
	}
	sa, ca := math.Sincos(q[3])
	sb, cb := math.Sincos(q[4])
	sc, cc := math.Sincos(q[5])
	da, db, dc := v[3], v[4], v[5]
	return kinematics{
		pose: camdriver.Extrinsics{
			Rotation: [9]float64{
				ca*cc + sa*sb*sc, -ca*sc + sa*sb*cc, sa * cb,
				cb * sc, cb * cc, -sb,
				-sa*cc + ca*sb*sc, sa*sc + ca*sb*cc, ca * cb,
			},
			Translation: [3]float64(q[:3]),
		},
		velocity: [3]float64(v[:3]),
		accel:    [3]float64(a[:3]),
		omega:    [3]float64{cc*db + sc*cb*da, -sc*db + cc*cb*da, dc - sb*da},
		alpha: [3]float64{
			cc*a[4] + sc*cb*a[3] - sc*dc*db + cc*dc*cb*da - sc*sb*db*da,
			-sc*a[4] + cc*cb*a[3] - cc*dc*db - sc*dc*cb*da - cc*sb*db*da,
			a[5] - sb*a[3] - cb*db*da,
		},
	}
}

// imu returns what an inertial sensor at a place of the camera measures, in camera
// axes: angular velocity in rad/s and specific force in m/s², (0, -9.8, 0) at rest.
func (k kinematics) imu(place [3]float64) (gyro, accel [3]float64) {
	back := camdriver.Extrinsics{Rotation: k.pose.Rotation}.Inverse()
	force := back.Apply([3]float64{k.accel[0], k.accel[1] - gravity, k.accel[2]})
	lever := cross(k.omega, cross(k.omega, place))
	swing := cross(k.alpha, place)
	for i := range force {
		force[i] += lever[i] + swing[i]
	}
	return k.omega, force
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
