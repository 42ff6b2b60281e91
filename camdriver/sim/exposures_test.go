package sim

import (
	"encoding/binary"
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
				histogram[pixel(p, pix, y*width+x)/64]++
			}
		}
		dim, bright := histogram[0]+histogram[1], histogram[2]+histogram[3]
		if dim < width*height/20 || bright < width*height/20 || histogram[0] == dim || histogram[3] == bright {
			t.Errorf("%s: pixels per quarter of the brightness range: %v", p.Stream, histogram)
		}
	}
}

// pixel returns the brightness of a pixel. Far depths are bright.
func pixel(p camdriver.Profile, pix []byte, i int) int {
	switch p.Format {
	case camdriver.RGB8:
		return (int(pix[3*i]) + int(pix[3*i+1]) + int(pix[3*i+2])) / 3
	case camdriver.Y8:
		return int(pix[i])
	}
	return min(int(binary.LittleEndian.Uint16(pix[2*i:]))/20, 255) // of 5 m
}
