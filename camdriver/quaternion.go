package camdriver

import "math"

// Quaternion returns the rotation as a unit quaternion x, y, z, w with w ≥ 0.
func (e Extrinsics) Quaternion() [4]float64 {
	r := e.Rotation
	// Each row is the quaternion times four times one of its components. That of the largest one has no divisor near zero.
	rows := [4][4]float64{
		{1 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6], r[7] - r[5]},
		{r[1] + r[3], 1 - r[0] + r[4] - r[8], r[5] + r[7], r[2] - r[6]},
		{r[2] + r[6], r[5] + r[7], 1 - r[0] - r[4] + r[8], r[3] - r[1]},
		{r[7] - r[5], r[2] - r[6], r[3] - r[1], 1 + r[0] + r[4] + r[8]},
	}
	best := 0
	for i := range rows {
		if rows[i][i] > rows[best][best] {
			best = i
		}
	}
	q := rows[best]
	scale := 0.5 / math.Sqrt(q[best])
	if q[3] < 0 {
		scale = -scale
	}
	for i := range q {
		q[i] *= scale
	}
	return q
}

// FromQuaternion returns extrinsics with a rotation and a translation in metres. The
// quaternion x, y, z, w need not have unit length; zero means no rotation.
func FromQuaternion(q [4]float64, translation [3]float64) Extrinsics {
	n := q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]
	out := Identity()
	out.Translation = translation
	if n == 0 || math.IsNaN(n) || math.IsInf(n, 0) {
		return out
	}
	s := 2 / n
	x, y, z, w := q[0], q[1], q[2], q[3]
	out.Rotation = [9]float64{
		1 - s*(y*y+z*z), s * (x*y - z*w), s * (x*z + y*w),
		s * (x*y + z*w), 1 - s*(x*x+z*z), s * (y*z - x*w),
		s * (x*z - y*w), s * (y*z + x*w), 1 - s*(x*x+y*y),
	}
	return out
}
