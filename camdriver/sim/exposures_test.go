package sim

import (
	"encoding/binary"
	"image/color"
	"testing"

	"rsros/camdriver"
)

// TestExposures draws an exposure of each imager, and checks that none is uniform, too
// dark or too bright.
func TestExposures(t *testing.T) {
	w := newWorld(Options{}.withDefaults())
	const width, height = 480, 270
	for _, p := range []camdriver.Profile{
		{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: width, Height: height, FPS: 30},
		{Stream: camdriver.ColorStream, Format: camdriver.RGB8, Width: width, Height: height, FPS: 30},
		{Stream: camdriver.LeftStream, Format: camdriver.Y8, Width: width, Height: height, FPS: 30},
		{Stream: camdriver.RightStream, Format: camdriver.Y8, Width: width, Height: height, FPS: 30},
	} {
		pix := make([]byte, p.FrameSize())
		w.render(p, 0.4, normal, pix)
		var histogram [4]int
		for y := range height {
			for x := range width {
				histogram[color.GrayModel.Convert(pixel(p, pix, y*width+x)).(color.Gray).Y/64]++
			}
		}
		dim, bright := histogram[0]+histogram[1], histogram[2]+histogram[3]
		if dim < width*height/20 || bright < width*height/20 || histogram[0] == dim || histogram[3] == bright {
			t.Errorf("%s: pixels per quarter of the brightness range: %v", p.Stream, histogram)
		}
	}
}

// pixel returns the colour to show. Near depths are red, far ones blue.
func pixel(p camdriver.Profile, pix []byte, i int) color.Color {
	switch p.Format {
	case camdriver.RGB8:
		return color.RGBA{pix[3*i], pix[3*i+1], pix[3*i+2], 255}
	case camdriver.Y8:
		return color.Gray{Y: pix[i]}
	}
	mm := float64(binary.LittleEndian.Uint16(pix[2*i:]))
	if mm == 0 {
		return color.Black
	}
	f := min(max((mm-700)/4000, 0), 1)
	return color.RGBA{uint8(255 * (1 - f)), uint8(255 * 4 * f * (1 - f)), uint8(255 * f), 255}
}
