package sim

import (
	"fmt"
	"math"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

const (
	depthUnits = 0.001 // m
	baseline   = 0.050 // m from the left to the right imager
	minDepth   = 0.17  // m; nearer surfaces have no depth value
	maxDepth   = 10.0  // m
)

// imuPlace is the position of the inertial sensor in depth coordinates, from the D435i's default extrinsics.
var imuPlace = [3]float64{-model.D435IMU[0], -model.D435IMU[1], -model.D435IMU[2]}

// intrinsics returns the calibration of a video profile. The stereo imagers have 1280x800 pixels and 89 degrees, colour
// has 1280x720 and 70 degrees. Other sizes are scaled and cropped; two fast depth modes are cropped to the middle only.
func intrinsics(p camdriver.Profile) camdriver.Intrinsics {
	w, h := float64(p.Width), float64(p.Height)
	in := camdriver.Intrinsics{Width: p.Width, Height: p.Height, Model: camdriver.BrownConrady}
	focal, scale := 642.7, max(w/1280, h/800)
	dx, dy := 2.1, -3.4
	switch {
	case p.Stream.Kind == camdriver.Color:
		focal, scale, dx, dy = 913.2, max(w/1280, h/720), 3.7, 5.2
		in.Model = camdriver.InverseBrownConrady
	case p.Width == 848 && p.Height == 100:
		scale = 848.0 / 1280
	case p.Width == 256 && p.Height == 144:
		scale = 1920.0 / 1280
	}
	in.Fx, in.Fy = focal*scale, focal*scale*0.9994
	in.Ppx, in.Ppy = w/2+dx*scale, h/2+dy*scale
	return in
}

// tracking converts between the axes of images (x right, y down, z forward) and those
// of tracking cameras (x right, y up, z back). It is its own inverse.
var tracking = [9]float64{1, 0, 0, 0, -1, 0, 0, 0, -1}

// fromDepth returns the map from depth coordinates to those of a stream.
func fromDepth(s camdriver.StreamID) (camdriver.Extrinsics, error) {
	e := camdriver.Identity()
	switch s {
	case camdriver.DepthStream, camdriver.LeftStream:
	case camdriver.PoseStream:
		e.Rotation = tracking
	case camdriver.RightStream:
		e.Translation[0] = -baseline
	case camdriver.ColorStream:
		e.Rotation = rotation(0.0031, -0.0042, 0.0019)
		e.Translation = [3]float64{0.01482, 0.00021, 0.00034}
	case camdriver.GyroStream, camdriver.AccelStream:
		e.Translation = model.D435IMU
	default:
		return e, fmt.Errorf("stream %s: %w", s, camdriver.ErrNotFound)
	}
	return e, nil
}

// rotation returns the matrix of a rotation vector (axis times angle in rad).
func rotation(x, y, z float64) [9]float64 {
	angle := math.Sqrt(x*x + y*y + z*z)
	x, y, z = x/angle, y/angle, z/angle
	s, c := math.Sincos(angle)
	d := 1 - c
	return [9]float64{
		c + x*x*d, x*y*d - z*s, x*z*d + y*s,
		y*x*d + z*s, c + y*y*d, y*z*d - x*s,
		z*x*d - y*s, z*y*d + x*s, c + z*z*d,
	}
}

// motionIntrinsics describes an ideal sensor with the simulated noise.
func motionIntrinsics(kind camdriver.StreamKind) camdriver.MotionIntrinsics {
	v := float32(accelNoise * accelNoise)
	if kind == camdriver.Gyro {
		v = gyroNoise * gyroNoise
	}
	return camdriver.MotionIntrinsics{
		Data:           [12]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
		NoiseVariances: [3]float32{v, v, v},
	}
}
