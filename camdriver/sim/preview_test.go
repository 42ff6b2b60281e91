package sim

import (
	"encoding/binary"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"

	"rsros/camdriver"
)

var preview = flag.String("preview", "", "write a contact sheet of all imagers to this PNG file")

// TestPreview writes what the imagers see, for people to look at.
func TestPreview(t *testing.T) {
	if *preview == "" {
		t.Skip("no -preview FILE.png")
	}
	w := newWorld(Options{}.withDefaults())
	sheet := image.NewRGBA(image.Rect(0, 0, 2*848, 2*480))
	for i, p := range []camdriver.Profile{
		{Stream: depthID, Format: camdriver.Z16, Width: 848, Height: 480, FPS: 30},
		{Stream: colorID, Format: camdriver.RGB8, Width: 848, Height: 480, FPS: 30},
		{Stream: leftID, Format: camdriver.Y8, Width: 848, Height: 480, FPS: 30},
		{Stream: rightID, Format: camdriver.Y8, Width: 848, Height: 480, FPS: 30},
	} {
		pix := make([]byte, p.FrameSize())
		w.render(p, 0.4, look{gain: 1, saturation: 1, laser: 1}, pix)
		for y := range p.Height {
			for x := range p.Width {
				sheet.Set(i%2*848+x, i/2*480+y, pixel(p, pix, y*p.Width+x))
			}
		}
	}
	f, err := os.Create(*preview)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, sheet); err != nil {
		t.Fatal(err)
	}
}

// pixel is what a person is shown: near depths are red, far ones blue.
func pixel(p camdriver.Profile, pix []byte, i int) color.Color {
	switch p.Format {
	case camdriver.RGB8:
		return color.RGBA{pix[3*i], pix[3*i+1], pix[3*i+2], 255}
	case camdriver.Y8:
		return color.Gray{pix[i]}
	}
	mm := float64(binary.LittleEndian.Uint16(pix[2*i:]))
	if mm == 0 {
		return color.Black
	}
	f := min(max((mm-700)/4000, 0), 1)
	return color.RGBA{uint8(255 * (1 - f)), uint8(255 * 4 * f * (1 - f)), uint8(255 * f), 255}
}
