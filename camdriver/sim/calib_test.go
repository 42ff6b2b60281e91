package sim

import (
	"math"
	"testing"

	"rsros/camdriver"
	"rsros/test/need"
)

// TestExtrinsics compares with the signs and lengths that a real D435i reports.
func TestExtrinsics(t *testing.T) {
	dev, err := Open(Options{})
	need.Must(t, err)
	defer dev.Close()
	for _, c := range []struct {
		from, to camdriver.StreamID
		want     [3]float64 // m
	}{
		{camdriver.DepthStream, camdriver.LeftStream, [3]float64{}},
		{camdriver.DepthStream, camdriver.RightStream, [3]float64{-0.050, 0, 0}},
		{camdriver.RightStream, camdriver.LeftStream, [3]float64{0.050, 0, 0}},
		{camdriver.DepthStream, camdriver.ColorStream, [3]float64{0.01482, 0.00021, 0.00034}},
		{camdriver.DepthStream, camdriver.GyroStream, [3]float64{-0.00552, 0.0051, 0.01174}},
		{camdriver.GyroStream, camdriver.AccelStream, [3]float64{}},
	} {
		e, err := dev.Extrinsics(c.from, c.to)
		if err != nil || !near(e.Translation, c.want, 1e-9) {
			t.Errorf("%s to %s: %v (%v), want %v", c.from, c.to, e.Translation, err, c.want)
		}
	}
	color, _ := dev.Extrinsics(camdriver.DepthStream, camdriver.ColorStream)
	if trace := color.Rotation[0] + color.Rotation[4] + color.Rotation[8]; trace > 3-1e-6 || trace < 3-1e-3 {
		t.Errorf("rotation of colour is not small: %v", color.Rotation)
	}
}

// TestIntrinsics compares with the focal lengths of real cameras.
func TestIntrinsics(t *testing.T) {
	for _, c := range []struct {
		id            camdriver.StreamID
		width, height int
		fx            float64 // pixels
	}{
		{camdriver.DepthStream, 1280, 720, 642.7},
		{camdriver.DepthStream, 848, 480, 425.8},
		{camdriver.DepthStream, 640, 480, 385.6},
		{camdriver.LeftStream, 424, 240, 212.9},
		{camdriver.DepthStream, 848, 100, 425.8},
		{camdriver.DepthStream, 256, 144, 964.1},
		{camdriver.ColorStream, 1920, 1080, 1369.8},
		{camdriver.ColorStream, 1280, 720, 913.2},
		{camdriver.ColorStream, 640, 480, 608.8},
	} {
		in := intrinsics(camdriver.Profile{Stream: c.id, Width: c.width, Height: c.height})
		if math.Abs(in.Fx-c.fx) > 0.1 || math.Abs(in.Fy/in.Fx-1) > 0.01 {
			t.Errorf("%s %dx%d: fx %g, fy %g, want %g", c.id, c.width, c.height, in.Fx, in.Fy, c.fx)
		}
	}
}
