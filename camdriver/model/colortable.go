package model

import (
	"encoding/binary"
	"math"

	"rsros/camdriver"
)

// ColorTable is table 32.
type ColorTable struct {
	Spanning      Pinhole // of an image with coordinates -1 … 1
	Coeffs        [5]float64
	Width, Height int                  // image size of the calibration
	ToDepth       camdriver.Extrinsics // from colour to depth
	HasPose       bool
}

const (
	poseAt    = 220
	colorSize = 256
)

func (t *ColorTable) visit(c codec) {
	k := &t.Spanning
	zero, one := 0.0, 1.0
	c.floats(16, &k.Fx, &zero, &k.Ppx, &zero, &k.Fy, &k.Ppy, &zero, &zero, &one) // a matrix by rows
	for i := range t.Coeffs {
		c.floats(52+4*i, &t.Coeffs[i])
	}
	c.size(144, &t.Width, &t.Height)
	c.matrix(184, &t.ToDepth.Rotation)
	c.scaled(poseAt, &t.ToDepth.Translation, -0.001)
}

// ParseColorTable parses table 32.
func ParseColorTable(b []byte) (t ColorTable, err error) {
	if b, err = CheckTable(TableColor, b, poseAt+12); err != nil {
		return t, err
	}
	t.visit(codec{b, false})
	if t.Width == 0 || t.Height == 0 {
		t.Width, t.Height = 1920, 1080
	}
	version := binary.BigEndian.Uint16(b)
	length := 0.0
	for _, v := range t.ToDepth.Translation {
		length += math.Abs(v)
	}
	t.HasPose = version != 0 && version != 0xffff && length > 0 && finite(length)
	return t, nil
}

// Encode returns table 32.
func (t ColorTable) Encode() []byte {
	b := make([]byte, colorSize)
	t.visit(codec{b, true})
	return SealTable(b, TableColor)
}

// SetIntrinsics sets the intrinsics, of which those of all sizes are derived.
func (t *ColorTable) SetIntrinsics(in camdriver.Intrinsics) {
	t.Width, t.Height, t.Coeffs = in.Width, in.Height, in.Coeffs
	w, h := float64(in.Width)/2, float64(in.Height)/2
	t.Spanning = Pinhole{in.Fx / w, in.Fy / h, in.Ppx/w - 1, in.Ppy/h - 1}
}

// Intrinsics returns the intrinsics of colour images. If the aspect ratio differs from
// the calibration's, the sensor is cropped.
func (t ColorTable) Intrinsics(s ImageSize) camdriver.Intrinsics {
	k := t.Spanning
	aspect, calibrated := float64(s[1])/float64(s[0]), float64(t.Height)/float64(t.Width)
	if aspect < calibrated {
		k.Fy *= calibrated / aspect
		k.Ppy *= calibrated / aspect
	} else {
		k.Fx *= aspect / calibrated
		k.Ppx *= aspect / calibrated
	}
	return t.describe(s, k.pixels(s))
}

// D405Intrinsics does the same for the D405, whose image pipeline scales images to cover
// the output and crops them to the middle.
func (t ColorTable) D405Intrinsics(s ImageSize) camdriver.Intrinsics {
	k := t.Spanning
	switch s {
	case ImageSize{1280, 720}:
		return t.describe(s, k.pixels(s))
	case ImageSize{640, 480}: // via 1280x800 and 770x480
		raw, middle := ImageSize{1280, 800}, ImageSize{770, 480}
		k.Fy *= float64(t.Height) / float64(raw[1])
		k.Ppy *= float64(t.Height) / float64(raw[1])
		k = k.pixels(raw).cover(raw, middle)
		k.Ppx -= float64(middle[0]-s[0]) / 2
		return t.describe(s, k)
	}
	calibrated := ImageSize{t.Width, t.Height}
	return t.describe(s, k.pixels(calibrated).cover(calibrated, s))
}

func (t ColorTable) describe(s ImageSize, k Pinhole) camdriver.Intrinsics {
	return camdriver.Intrinsics{
		Width: s[0], Height: s[1], Fx: k.Fx, Fy: k.Fy, Ppx: k.Ppx, Ppy: k.Ppy,
		Model: camdriver.InverseBrownConrady, Coeffs: t.Coeffs,
	}
}

// pixels converts from image coordinates -1 … 1 to pixels of an image of size s.
func (f Pinhole) pixels(s ImageSize) Pinhole {
	w, h := float64(s[0])/2, float64(s[1])/2
	return Pinhole{f.Fx * w, f.Fy * h, (1 + f.Ppx) * w, (1 + f.Ppy) * h}
}

// cover scales images of size from to cover size to and crops them to the middle.
func (f Pinhole) cover(from, to ImageSize) Pinhole {
	k := max(float64(to[0])/float64(from[0]), float64(to[1])/float64(from[1]))
	return Pinhole{
		f.Fx * k, f.Fy * k,
		f.Ppx*k - (float64(from[0])*k-float64(to[0]))/2,
		f.Ppy*k - (float64(from[1])*k-float64(to[1]))/2,
	}
}
