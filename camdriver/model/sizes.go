package model

import "slices"

// Size is an image size and its frame rates, fastest first.
type Size struct {
	W, H int
	FPS  []int
}

// StereoSizes and ColorSizes are those of a D435i on USB 3. They must not be changed.
var (
	StereoSizes = []Size{
		{256, 144, []int{300, 90}},
		{424, 240, []int{90, 60, 30, 15, 6}},
		{480, 270, []int{90, 60, 30, 15, 6}},
		{640, 360, []int{90, 60, 30, 15, 6}},
		{640, 480, []int{90, 60, 30, 15, 6}},
		{848, 100, []int{300, 100}},
		{848, 480, []int{90, 60, 30, 15, 6}},
		{1280, 720, []int{30, 15, 6}},
	}
	ColorSizes = []Size{
		{320, 180, []int{60, 30, 6}},
		{320, 240, []int{60, 30, 6}},
		{424, 240, []int{60, 30, 15, 6}},
		{640, 360, []int{60, 30, 15, 6}},
		{640, 480, []int{60, 30, 15, 6}},
		{848, 480, []int{60, 30, 15, 6}},
		{960, 540, []int{60, 30, 15, 6}},
		{1280, 720, []int{30, 15, 6}},
		{1920, 1080, []int{30, 15, 6}},
	}
)

// Format is a pixel format of a streaming interface.
type Format struct {
	Code  string // first bytes of the GUID
	Bits  int    // a pixel
	Sizes []Size
}

var slowStereoSizes = []Size{
	{480, 270, []int{60, 30, 15, 6}},
	{640, 480, []int{30, 15, 6}},
	{1280, 720, []int{6}},
}

// DepthFormats has one format. Its name by Direct3D (d3d), which firmware of 2019 and
// later uses, is unknown to Linux' uvcvideo, which then refuses the function.
func DepthFormats(usb2, d3d bool) []Format {
	code := CodeZ16
	if d3d {
		code = CodeD16
	}
	if usb2 {
		return []Format{{code, 16, slowStereoSizes}}
	}
	return []Format{{code, 16, StereoSizes}}
}

// InfraredFormats are listed as firmware of 2019 and later names them.
func InfraredFormats(usb2 bool) []Format {
	if usb2 {
		return []Format{{CodeL8, 8, slowStereoSizes}, {CodeUYVY, 16, slowStereoSizes}, {CodeY8I, 16, slowStereoSizes}}
	}
	grey := append(slices.Clone(StereoSizes), Size{1280, 800, []int{30, 15}})
	return []Format{
		{CodeL8, 8, grey},
		{CodeUYVY, 16, StereoSizes},
		{CodeY8I, 16, grey},
		{CodeY12I, 24, []Size{{640, 400, []int{25, 15}}, {1280, 800, []int{25, 15}}}},
	}
}

// ColorFormats are those of the colour function.
func ColorFormats(usb2 bool) []Format {
	if usb2 {
		return []Format{{CodeYUY2, 16, []Size{{640, 480, []int{30, 15, 6}}, {1280, 720, []int{6}}}}}
	}
	return []Format{
		{CodeYUY2, 16, ColorSizes},
		{CodeBYR2, 16, []Size{{1920, 1080, []int{30}}}},
	}
}
