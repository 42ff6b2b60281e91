package rslayout

import (
	"math"

	"rsros/camdriver"
	"rsros/msgs"
)

// transform writes extrinsics: metres and a unit quaternion.
func transform(e camdriver.Extrinsics) *msgs.Transform {
	return &msgs.Transform{
		Translation: msgs.Vector3{X: e.Translation[0], Y: e.Translation[1], Z: e.Translation[2]},
		Rotation:    quaternion(e.Rotation),
	}
}

// Extrinsics returns a stream's pose. A quaternion of length zero reads as identity.
func Extrinsics(t *msgs.Transform) camdriver.Extrinsics {
	e := camdriver.Identity()
	e.Translation = [3]float64{t.Translation.X, t.Translation.Y, t.Translation.Z}
	q := t.Rotation
	n := q.X*q.X + q.Y*q.Y + q.Z*q.Z + q.W*q.W
	if !(n > 0) || math.IsInf(n, 1) {
		return e
	}
	s := 2 / n // also takes quaternions that are not quite of length 1
	e.Rotation = [9]float64{
		1 - s*(q.Y*q.Y+q.Z*q.Z), s * (q.X*q.Y - q.W*q.Z), s * (q.X*q.Z + q.W*q.Y),
		s * (q.X*q.Y + q.W*q.Z), 1 - s*(q.X*q.X+q.Z*q.Z), s * (q.Y*q.Z - q.W*q.X),
		s * (q.X*q.Z - q.W*q.Y), s * (q.Y*q.Z + q.W*q.X), 1 - s*(q.X*q.X+q.Y*q.Y),
	}
	return e
}

// quaternion converts a row-major rotation matrix. It divides by the largest component.
func quaternion(r [9]float64) msgs.Quaternion {
	four := [4]float64{ // 4·x², 4·y², 4·z², 4·w²
		1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8], 1 - r[0] - r[4] + r[8], 1 + r[0] + r[4] + r[8],
	}
	best := 3
	for i, v := range four {
		if v > four[best] {
			best = i
		}
	}
	var q msgs.Quaternion
	switch best {
	case 0:
		q = msgs.Quaternion{X: four[0], Y: r[1] + r[3], Z: r[2] + r[6], W: r[7] - r[5]}
	case 1:
		q = msgs.Quaternion{X: r[1] + r[3], Y: four[1], Z: r[5] + r[7], W: r[2] - r[6]}
	case 2:
		q = msgs.Quaternion{X: r[2] + r[6], Y: r[5] + r[7], Z: four[2], W: r[3] - r[1]}
	default:
		q = msgs.Quaternion{X: r[7] - r[5], Y: r[2] - r[6], Z: r[3] - r[1], W: four[3]}
	}
	n := math.Sqrt(q.X*q.X + q.Y*q.Y + q.Z*q.Z + q.W*q.W)
	return msgs.Quaternion{X: q.X / n, Y: q.Y / n, Z: q.Z / n, W: q.W / n}
}
