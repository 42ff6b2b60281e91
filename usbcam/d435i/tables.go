package d435i

import (
	"math"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// Tables is the camera's calibration.
type Tables struct {
	Depth  model.DepthTable
	Color  model.ColorTable
	Motion model.MotionTable
}

// Factory returns the calibration of a plausible D435i.
func Factory() Tables {
	const degree = math.Pi / 180
	return Tables{
		Depth: model.DepthTable{
			Baseline: -49.95,
			Rectified: map[model.ImageSize]model.Pinhole{
				{1920, 1080}: {Fx: 955.5, Fy: 955.5, Ppx: 963.2, Ppy: 538.1},
				{1280, 720}:  {Fx: 637.0, Fy: 637.0, Ppx: 642.1, Ppy: 358.7},
				{640, 480}:   {Fx: 382.2, Fy: 382.2, Ppx: 321.3, Ppy: 239.2},
				{848, 480}:   {Fx: 422.0, Fy: 422.0, Ppx: 425.4, Ppy: 239.1},
				{640, 360}:   {Fx: 318.5, Fy: 318.5, Ppx: 321.1, Ppy: 179.4},
				{424, 240}:   {Fx: 211.0, Fy: 211.0, Ppx: 212.7, Ppy: 119.6},
				{480, 270}:   {Fx: 238.9, Fy: 238.9, Ppx: 240.8, Ppy: 134.5},
				{1280, 800}:  {Fx: 637.0, Fy: 637.0, Ppx: 642.1, Ppy: 398.7},
			},
		},
		Color: model.ColorTable{
			Spanning: model.Pinhole{Fx: 1.4265625, Fy: 2.5354167, Ppx: 0.0098437, Ppy: 0.0051389},
			Coeffs:   [5]float64{-0.0555, 0.0662, -0.0005, 0.0004, -0.0213},
			Width:    1920, Height: 1080,
			ToDepth: camdriver.Extrinsics{
				// A small rotation: about (-0.003, 0.004, -0.002) rad.
				Rotation: [9]float64{0.99999, -0.002006, -0.003997, 0.001994, 0.9999935, -0.003004,
					0.004003, 0.002996, 0.9999875},
				Translation: [3]float64{0.0148, 0.0002, 0.0003},
			},
		},
		Motion: model.MotionTable{
			Accel: model.Correction{
				Scale: [9]float64{1.01, 0.002, -0.001, 0.001, 0.99, 0.003, -0.002, 0.001, 1.02},
				Bias:  [3]float64{0.05, -0.02, 0.03},
			},
			Gyro: model.Correction{
				Scale: model.NoCorrection.Scale,
				Bias:  [3]float64{0.1 * degree, -0.2 * degree, 0.05 * degree},
			},
			FromDepth: camdriver.Extrinsics{Rotation: camdriver.Identity().Rotation,
				Translation: [3]float64{-0.0055, 0.0051, 0.0117}},
		},
	}
}
