package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"rsros/camdriver"
)

func testPath() path { return newPath(2, rand.New(rand.NewPCG(3, 4))) }

// near reports whether vectors are equal within tolerance.
func near(a, b [3]float64, tolerance float64) bool {
	d := add(a, b, -1)
	return math.Sqrt(dot(d, d)) <= tolerance
}

// TestPathIsClosed checks that a loop ends where it starts.
func TestPathIsClosed(t *testing.T) {
	p := testPath()
	a, b := p.at(0), p.at(p.period)
	if !near(a.pose.Translation, b.pose.Translation, 1e-9) || !near(a.velocity, b.velocity, 1e-9) || !near(a.omega, b.omega, 1e-9) {
		t.Errorf("starts as %+v, ends as %+v", a, b)
	}
}

// TestDerivatives compares the path's derivatives with finite differences.
func TestDerivatives(t *testing.T) {
	p := testPath()
	const h = 1e-4
	for at := 0.0; at < 2; at += 0.13 {
		k, before, after := p.at(at), p.at(at-h), p.at(at+h)
		slope := func(a, b [3]float64) [3]float64 {
			d := add(b, a, -1)
			return [3]float64{d[0] / (2 * h), d[1] / (2 * h), d[2] / (2 * h)}
		}
		if v := slope(before.pose.Translation, after.pose.Translation); !near(v, k.velocity, 1e-4) {
			t.Errorf("t=%g: velocity %v, want %v", at, k.velocity, v)
		}
		if a := slope(before.velocity, after.velocity); !near(a, k.accel, 1e-4) {
			t.Errorf("t=%g: acceleration %v, want %v", at, k.accel, a)
		}
		if a := slope(before.omega, after.omega); !near(a, k.alpha, 1e-4) {
			t.Errorf("t=%g: angular acceleration %v, want %v", at, k.alpha, a)
		}
	}
}

// TestGyroIntegral checks that integrated gyro samples rotate one pose into a later one.
func TestGyroIntegral(t *testing.T) {
	w := quiet()
	const fps = 400
	turned := camdriver.Extrinsics{Rotation: w.path.at(0).pose.Rotation}
	for i := range 300 { // sample the middle of each step
		g := w.motion(camdriver.Gyro, (float64(i)+0.5)/fps, uint64(i)).Gyro
		step := camdriver.Extrinsics{Rotation: rotation(g[0]/fps, g[1]/fps, g[2]/fps)}
		turned = step.Then(turned)
	}
	want := w.path.at(300.0 / fps).pose.Rotation
	for i := range want {
		if math.Abs(turned.Rotation[i]-want[i]) > 1e-4 {
			t.Fatalf("integrated rotation %v, want %v", turned.Rotation, want)
		}
	}
	moved := camdriver.Extrinsics{Rotation: w.path.at(0).pose.Rotation}.Inverse().Then(camdriver.Extrinsics{Rotation: want})
	if moved.Rotation[0]+moved.Rotation[4]+moved.Rotation[8] > 3-1e-3 {
		t.Error("camera hardly rotated, so the test is meaningless")
	}
}

// TestAccel checks that the accelerometer measures the second difference of its own
// position, which is not the camera's centre, minus gravity.
func TestAccel(t *testing.T) {
	w := quiet()
	const h = 1e-4
	place := func(t float64) [3]float64 { return w.path.at(t).pose.Apply(imuPlace) }
	for at := 0.1; at < 2; at += 0.17 {
		a, b, c := place(at-h), place(at), place(at+h)
		var force [3]float64
		for i := range force {
			force[i] = (a[i] - 2*b[i] + c[i]) / (h * h)
		}
		force[1] -= gravity
		want := camdriver.Extrinsics{Rotation: w.path.at(at).pose.Rotation}.Inverse().Apply(force)
		if got := w.motion(camdriver.Accel, at, 0).Accel; !near(got, want, 1e-3) {
			t.Errorf("t=%g: accel %v, want %v", at, got, want)
		}
	}
	still := path{period: 1}
	if _, rest := still.at(0).imu(imuPlace); !near(rest, [3]float64{0, -gravity, 0}, 1e-12) {
		t.Errorf("at rest: %v", rest)
	}
}

// TestPose compares a pose sample with the path.
func TestPose(t *testing.T) {
	w := quiet()
	k, p := w.path.at(0.7), w.pose(0.7)
	x, y, z, s := float64(p.Rotation[0]), float64(p.Rotation[1]), float64(p.Rotation[2]), float64(p.Rotation[3])
	back := [3]float64{2 * (x*z + s*y), 2 * (y*z - s*x), 1 - 2*(x*x+y*y)}
	r := k.pose.Rotation
	// z is back and y is up, in the camera's axes and in the world's.
	if !near(back, [3]float64{-r[2], r[5], r[8]}, 1e-6) {
		t.Errorf("quaternion has z axis %v, matrix has %v, %v, %v", back, r[2], r[5], r[8])
	}
	at := k.pose.Translation
	if got := (camdriver.Vec3{float32(at[0]), -float32(at[1]), -float32(at[2])}); p.Translation != got {
		t.Errorf("position %v, want %v", p.Translation, got)
	}
}
