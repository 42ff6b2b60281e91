package dataset

import (
	"fmt"
	"strings"

	"rsros/camdriver"
)

// matrix is a transform as 16 numbers by rows.
func matrix(e camdriver.Extrinsics) [16]float64 {
	r, t := e.Rotation, e.Translation
	return [16]float64{r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2], 0, 0, 0, 1}
}

// between returns the transform of points from one stream to another; nil if it isn't known.
func between(from, to *camdriver.Extrinsics) *camdriver.Extrinsics {
	if from == nil || to == nil {
		return nil
	}
	e := camdriver.Identity()
	if *from != *to {
		e = from.Inverse().Then(*to)
	}
	return &e
}

// inertial returns the snapshot of the gyroscope, or of a combined stream; nil if there is none.
func (s *Input) inertial() *camdriver.StreamSnapshot {
	for _, kind := range []camdriver.StreamKind{camdriver.Gyro, camdriver.Motion} {
		for i := range s.snap.Streams {
			if id := s.snap.Streams[i].Profile.Stream; id.Kind == kind && s.File.Frames(id) > 0 {
				return &s.snap.Streams[i]
			}
		}
	}
	return nil
}

// numbers prints values in brackets, separated by commas.
func numbers[T int | float64](values ...T) string {
	return strings.ReplaceAll(fmt.Sprint(values), " ", ", ")
}

// lens returns the words of a lens model, those of EuRoC and Kalibr, and its four coefficients. why is
// not empty if they are approximate.
func lens(in *camdriver.Intrinsics) (euroc, kalibr string, coefficients []float64, why string) {
	euroc, kalibr = "radial-tangential", "radtan"
	k := in.Coeffs
	zero := k == [5]float64{}
	switch {
	case zero:
		return euroc, kalibr, make([]float64, 4), ""
	case in.Model == camdriver.KannalaBrandt4:
		return "equidistant", "equidistant", k[:4], ""
	case in.Model == camdriver.Ftheta:
		return euroc, kalibr, make([]float64, 4), "the lens model F-theta has no counterpart: the coefficients are left out"
	case in.Model == camdriver.InverseBrownConrady:
		fitted, worst := invert(in)
		return euroc, kalibr, fitted,
			fmt.Sprintf("the camera's model, Inverse Brown Conrady, was fitted; the largest error is %.2g pixels", worst)
	case in.Model == camdriver.ModifiedBrownConrady:
		return euroc, kalibr, k[:4], "the camera's model, Modified Brown Conrady, differs in its tangential terms"
	case k[4] != 0:
		return euroc, kalibr, k[:4], fmt.Sprintf("the layout has no place for k3, %v", k[4])
	}
	return euroc, kalibr, k[:4], ""
}
