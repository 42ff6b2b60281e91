package d400

import (
	"encoding/binary"
	"fmt"
	"math"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

func float32At(b []byte, at int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[at:])))
}

// focal is a pinhole camera, in pixels.
type focal struct{ fx, fy, ppx, ppy float64 }

func focalAt(b []byte, at int) focal {
	return focal{float32At(b, at), float32At(b, at+4), float32At(b, at+8), float32At(b, at+12)}
}

type size struct{ w, h int }

// stereoCalibration is table 25: the rectified stereo pair.
type stereoCalibration struct {
	baseline float64 // mm; negative if the right imager is to the right of the left one
	rect     map[size]focal
}

func parseStereo(b []byte) (stereoCalibration, error) {
	b, err := model.CheckTable(model.TableDepth, b, model.RectifiedAt+16*len(model.RectifiedSizes))
	if err != nil {
		return stereoCalibration{}, err
	}
	c := stereoCalibration{baseline: float32At(b, model.BaselineAt), rect: make(map[size]focal)}
	for i, at := range model.RectifiedSizes {
		s := size{at[0], at[1]}
		if f := focalAt(b, model.RectifiedAt+16*i); s.w > 0 && f.fx > 0 && f.fy > 0 {
			c.rect[s] = f
		}
	}
	if math.IsNaN(c.baseline) || math.IsInf(c.baseline, 0) {
		return c, fmt.Errorf("calibration table %d: baseline is %g mm", model.TableDepth, c.baseline)
	}
	return c, nil
}

// parseModes parses the reply to model.OpIntrinsics: the depth intrinsics of each mode.
func parseModes(b []byte) map[size]focal {
	modes := make(map[size]focal)
	for ; len(b) >= 20; b = b[20:] {
		s := size{int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))}
		if f := focalAt(b, 4); s.w > 0 && s.h > 0 && f.fx > 0 && f.fy > 0 {
			modes[s] = f
		}
	}
	return modes
}

// intrinsics returns the intrinsics of depth and rectified infrared images: those of
// modes, or else of the table, or else cropped or scaled from the largest size.
func (c stereoCalibration) intrinsics(s size, modes map[size]focal) (camdriver.Intrinsics, error) {
	f, ok := modes[s]
	if !ok {
		f, ok = c.rect[s]
	}
	if !ok {
		f, ok = c.derived(s)
	}
	if !ok {
		return camdriver.Intrinsics{}, fmt.Errorf("no calibration for %dx%d: %w", s.w, s.h, camdriver.ErrNotFound)
	}
	return camdriver.Intrinsics{
		Width: s.w, Height: s.h, Fx: f.fx, Fy: f.fy, Ppx: f.ppx, Ppy: f.ppy, Model: camdriver.BrownConrady,
	}, nil
}

func (c stereoCalibration) derived(s size) (focal, bool) {
	if f, ok := c.rect[size{848, 480}]; ok && s == (size{848, 100}) {
		f.ppy -= 190 // middle 100 rows
		return f, true
	}
	f, ok := c.rect[size{1920, 1080}]
	if s == (size{256, 144}) {
		f.ppx, f.ppy = f.ppx-832, f.ppy-468 // middle of the largest size
		return f, ok
	}
	kx, ky := float64(s.w)/1920, float64(s.h)/1080
	return focal{f.fx * kx, f.fy * ky, f.ppx * kx, f.ppy * ky}, ok
}

// rightFromLeft returns the map from the left imager (depth's origin) to the right one.
func (c stereoCalibration) rightFromLeft() camdriver.Extrinsics {
	e := camdriver.Identity()
	e.Translation[0] = 0.001 * c.baseline
	return e
}

// colorCalibration is table 32.
type colorCalibration struct {
	k         focal // of an image with coordinates -1 … 1
	distorted [5]float64
	w, h      int // image size of the calibration
	depth     camdriver.Extrinsics
	hasPose   bool
}

func parseColor(b []byte) (colorCalibration, error) {
	b, err := model.CheckTable(model.TableColor, b, model.ColorTranslationAt+12)
	if err != nil {
		return colorCalibration{}, err
	}
	c := colorCalibration{
		k: focal{fx: float32At(b, model.ColorMatrixAt), ppx: float32At(b, model.ColorMatrixAt+8), fy: float32At(b, model.ColorMatrixAt+16), ppy: float32At(b, model.ColorMatrixAt+20)},
		w: int(binary.LittleEndian.Uint16(b[model.ColorSizeAt:])),
		h: int(binary.LittleEndian.Uint16(b[model.ColorSizeAt+2:])),
	}
	for i := range c.distorted {
		c.distorted[i] = float32At(b, model.ColorCoeffsAt+4*i)
	}
	if c.w == 0 || c.h == 0 {
		c.w, c.h = 1920, 1080
	}
	version := binary.BigEndian.Uint16(b)
	length := 0.0
	for i := range 9 {
		// The map from colour to depth, column-major.
		c.depth.Rotation[3*(i%3)+i/3] = float32At(b, model.ColorRotationAt+4*i)
	}
	for i := range 3 {
		c.depth.Translation[i] = -0.001 * float32At(b, model.ColorTranslationAt+4*i)
		length += math.Abs(c.depth.Translation[i])
	}
	c.hasPose = version != 0 && version != 0xffff && length > 0 && !math.IsNaN(length) && !math.IsInf(length, 0)
	return c, nil
}

// intrinsics returns the intrinsics of colour images. If the aspect ratio differs from
// the calibration's, the sensor is cropped.
func (c colorCalibration) intrinsics(s size) camdriver.Intrinsics {
	k := c.k
	aspect, calibrated := float64(s.h)/float64(s.w), float64(c.h)/float64(c.w)
	if aspect < calibrated {
		k.fy *= calibrated / aspect
		k.ppy *= calibrated / aspect
	} else {
		k.fx *= aspect / calibrated
		k.ppx *= aspect / calibrated
	}
	return c.describe(s, k.pixels(s))
}

// d405Intrinsics does the same for the D405, whose image pipeline scales images to cover
// the output and crops them to the middle.
func (c colorCalibration) d405Intrinsics(s size) camdriver.Intrinsics {
	k := c.k
	switch s {
	case size{1280, 720}:
		return c.describe(s, k.pixels(s))
	case size{640, 480}: // via 1280x800 and 770x480
		raw, middle := size{1280, 800}, size{770, 480}
		k.fy *= float64(c.h) / float64(raw.h)
		k.ppy *= float64(c.h) / float64(raw.h)
		k = k.pixels(raw).cover(raw, middle)
		k.ppx -= float64(middle.w-s.w) / 2
		return c.describe(s, k)
	}
	calibrated := size{c.w, c.h}
	return c.describe(s, k.pixels(calibrated).cover(calibrated, s))
}

func (c colorCalibration) describe(s size, k focal) camdriver.Intrinsics {
	return camdriver.Intrinsics{
		Width: s.w, Height: s.h, Fx: k.fx, Fy: k.fy, Ppx: k.ppx, Ppy: k.ppy,
		Model: camdriver.InverseBrownConrady, Coeffs: c.distorted,
	}
}

// pixels converts from image coordinates -1 … 1 to pixels of an image of size s.
func (f focal) pixels(s size) focal {
	w, h := float64(s.w)/2, float64(s.h)/2
	return focal{f.fx * w, f.fy * h, (1 + f.ppx) * w, (1 + f.ppy) * h}
}

// cover scales images of size from to cover size to and crops them to the middle.
func (f focal) cover(from, to size) focal {
	k := max(float64(to.w)/float64(from.w), float64(to.h)/float64(from.h))
	return focal{
		f.fx * k, f.fy * k,
		f.ppx*k - (float64(from.w)*k-float64(to.w))/2,
		f.ppy*k - (float64(from.h)*k-float64(to.h))/2,
	}
}
