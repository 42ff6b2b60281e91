package model

import (
	"encoding/binary"
	"fmt"

	"rsros/camdriver"
)

// Pinhole is a camera without distortion, in pixels.
type Pinhole struct{ Fx, Fy, Ppx, Ppy float64 }

func (f *Pinhole) fields() []*float64 { return []*float64{&f.Fx, &f.Fy, &f.Ppx, &f.Ppy} }

// ImageSize is a width and a height.
type ImageSize [2]int

// DepthTable is table 25: the rectified stereo pair.
type DepthTable struct {
	Baseline  float64 // mm; negative if the right imager is to the right of the left one
	Rectified map[ImageSize]Pinhole
}

// rectifiedSizes are the image sizes in the depth table, in its order.
var rectifiedSizes = [16]ImageSize{
	{1920, 1080}, {1280, 720}, {640, 480}, {848, 480}, {640, 360}, {424, 240}, {320, 240}, {480, 270},
	{1280, 800}, {960, 540}, {}, {}, {640, 400}, {576, 576}, {720, 720}, {1152, 1152},
}

const rectifiedAt = 256

func (t *DepthTable) visit(c codec) {
	c.floats(160, &t.Baseline)
	for i, size := range rectifiedSizes {
		f := t.Rectified[size]
		c.floats(rectifiedAt+16*i, f.fields()...)
		if !c.write && size[0] > 0 && f.Fx > 0 && f.Fy > 0 {
			t.Rectified[size] = f
		}
	}
}

// ParseDepthTable parses table 25.
func ParseDepthTable(b []byte) (DepthTable, error) {
	b, err := CheckTable(TableDepth, b, rectifiedAt+16*len(rectifiedSizes))
	if err != nil {
		return DepthTable{}, err
	}
	t := DepthTable{Rectified: make(map[ImageSize]Pinhole)}
	t.visit(codec{b, false})
	if !finite(t.Baseline) {
		return t, fmt.Errorf("calibration table %d: baseline is %g mm", TableDepth, t.Baseline)
	}
	return t, nil
}

// Encode returns table 25.
func (t DepthTable) Encode() []byte {
	b := make([]byte, rectifiedAt+16*len(rectifiedSizes))
	t.visit(codec{b, true})
	return SealTable(b, TableDepth)
}

const modeSize = 20

// ParseModes parses the reply to OpIntrinsics: the depth intrinsics of each mode.
func ParseModes(b []byte) map[ImageSize]Pinhole {
	modes := make(map[ImageSize]Pinhole)
	for ; len(b) >= modeSize; b = b[modeSize:] {
		s := ImageSize{int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))}
		var f Pinhole
		codec{b, false}.floats(4, f.fields()...)
		if s[0] > 0 && s[1] > 0 && f.Fx > 0 && f.Fy > 0 {
			modes[s] = f
		}
	}
	return modes
}

// Modes returns the reply to OpIntrinsics. Some sizes are only in the table.
func (t DepthTable) Modes() (b []byte) {
	add := func(s ImageSize) {
		f := t.Rectified[s]
		item := codec{make([]byte, modeSize), true}
		item.size(0, &s[0], &s[1])
		item.floats(4, f.fields()...)
		b = append(b, item.b...)
	}
	listed := map[ImageSize]bool{}
	for _, s := range rectifiedSizes {
		if listed[s] = true; s[0] >= 640 && t.Rectified[s] != (Pinhole{}) {
			add(s)
		}
	}
	for s := range t.Rectified { // sizes without a place in the table
		if !listed[s] {
			add(s)
		}
	}
	return b
}

// Intrinsics returns the intrinsics of depth and rectified infrared images: those of
// modes, or else of the table, or else cropped or scaled from the largest size.
func (t DepthTable) Intrinsics(s ImageSize, modes map[ImageSize]Pinhole) (camdriver.Intrinsics, error) {
	f, ok := modes[s]
	if !ok {
		f, ok = t.Rectified[s]
	}
	if !ok {
		f, ok = t.derived(s)
	}
	if !ok {
		return camdriver.Intrinsics{}, fmt.Errorf("no calibration for %dx%d: %w", s[0], s[1], camdriver.ErrNotFound)
	}
	return camdriver.Intrinsics{
		Width: s[0], Height: s[1], Fx: f.Fx, Fy: f.Fy, Ppx: f.Ppx, Ppy: f.Ppy, Model: camdriver.BrownConrady,
	}, nil
}

func (t DepthTable) derived(s ImageSize) (Pinhole, bool) {
	if f, ok := t.Rectified[ImageSize{848, 480}]; ok && s == (ImageSize{848, 100}) {
		f.Ppy -= 190 // middle 100 rows
		return f, true
	}
	f, ok := t.Rectified[ImageSize{1920, 1080}]
	if s == (ImageSize{256, 144}) {
		f.Ppx, f.Ppy = f.Ppx-832, f.Ppy-468 // middle of the largest size
		return f, ok
	}
	kx, ky := float64(s[0])/1920, float64(s[1])/1080
	return Pinhole{f.Fx * kx, f.Fy * ky, f.Ppx * kx, f.Ppy * ky}, ok
}

// RightFromLeft returns the map from the left imager (depth's origin) to the right one.
func (t DepthTable) RightFromLeft() camdriver.Extrinsics {
	e := camdriver.Identity()
	e.Translation[0] = 0.001 * t.Baseline
	return e
}
