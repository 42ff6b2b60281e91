package rstext

import (
	"errors"
	"fmt"
	"strconv"

	"rsros/camdriver"
)

// fields reads the values of keys that must all be there.
type fields struct {
	text string
	err  error
}

func (f *fields) value(key string) string {
	v, ok := find(f.text, key)
	if !ok {
		f.fail(key, errors.New("missing"))
	}
	return v
}

func (f *fields) fail(key string, err error) {
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", key, err)
	}
}

func (f *fields) int(key string) int {
	v, err := strconv.ParseUint(f.value(key), 10, 31)
	f.fail(key, err)
	return int(v)
}

func (f *fields) intrinsic(key string) float64 {
	v, err := intrinsic(f.value(key))
	f.fail(key, err)
	return v
}

func (f *fields) list(key string, least int, out []float64, parse func(string) (float64, error)) {
	f.fail(key, numbers(f.value(key), least, out, parse))
}

func (f *fields) singles(key string, out []float32) {
	list := make([]float64, len(out))
	f.list(key, len(out), list, ParseNumber)
	for i, v := range list {
		out[i] = float32(v)
	}
}

// ParseStreamInfo parses a stream's description: the name of its format and its rate in Hz.
func ParseStreamInfo(s string) (encoding string, fps int, err error) {
	f := fields{text: s}
	encoding, fps = f.value("encoding"), f.int("fps")
	return encoding, fps, f.err
}

// StreamInfo is the inverse of ParseStreamInfo.
func StreamInfo(format camdriver.Format, fps int) string {
	return Join(Pair{"encoding", format.String()}, Pair{"fps", strconv.Itoa(max(fps, 0))})
}

// ParseIntrinsics parses a video stream's calibration. Unknown models read as none.
func ParseIntrinsics(s string) (camdriver.Intrinsics, error) {
	f := fields{text: s}
	in := camdriver.Intrinsics{
		Width: f.int("width"), Height: f.int("height"),
		Fx: f.intrinsic("fx"), Fy: f.intrinsic("fy"), Ppx: f.intrinsic("ppx"), Ppy: f.intrinsic("ppy"),
	}
	in.Model, _ = camdriver.ParseDistortion(f.value("model"))
	f.list("coeffs", 0, in.Coeffs[:], intrinsic)
	return in, f.err
}

// Intrinsics is the inverse of ParseIntrinsics.
func Intrinsics(in camdriver.Intrinsics) string {
	return Join(
		Pair{"width", strconv.Itoa(in.Width)}, Pair{"height", strconv.Itoa(in.Height)},
		Pair{"fx", writeIntrinsic(in.Fx)}, Pair{"ppx", writeIntrinsic(in.Ppx)},
		Pair{"fy", writeIntrinsic(in.Fy)}, Pair{"ppy", writeIntrinsic(in.Ppy)},
		Pair{"model", in.Model.String()}, Pair{"coeffs", writeNumbers(in.Coeffs[:], writeIntrinsic)},
	)
}

// ParseMotionIntrinsics reads an inertial stream's calibration.
func ParseMotionIntrinsics(s string) (camdriver.MotionIntrinsics, error) {
	f := fields{text: s}
	var in camdriver.MotionIntrinsics
	f.singles("data", in.Data[:])
	f.singles("bias_variances", in.BiasVariances[:])
	f.singles("noise_variances", in.NoiseVariances[:])
	return in, f.err
}

// MotionIntrinsics is the inverse of ParseMotionIntrinsics.
func MotionIntrinsics(in camdriver.MotionIntrinsics) string {
	return Join(Pair{"data", writeNumbers(in.Data[:], Single)},
		Pair{"bias_variances", writeNumbers(in.BiasVariances[:], Single)},
		Pair{"noise_variances", writeNumbers(in.NoiseVariances[:], Single)})
}

// ParseExtrinsics parses a stream's pose. Like rs2_extrinsics, the text has the rotation by columns.
func ParseExtrinsics(s string) (camdriver.Extrinsics, error) {
	f := fields{text: s}
	var e camdriver.Extrinsics
	f.list("rotation", 9, e.Rotation[:], ParseNumber)
	f.list("translation", 3, e.Translation[:], ParseNumber)
	e.Rotation = camdriver.Transpose(e.Rotation)
	return e, f.err
}

// Extrinsics is the inverse of ParseExtrinsics.
func Extrinsics(e camdriver.Extrinsics) string {
	r := camdriver.Transpose(e.Rotation)
	return Join(Pair{"rotation", writeNumbers(r[:], Number)}, Pair{"translation", writeNumbers(e.Translation[:], Number)})
}
