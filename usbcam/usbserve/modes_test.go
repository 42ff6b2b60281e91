package usbserve

import (
	"slices"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/usbcam/d435i"
)

// TestPaddedRows sends frames whose rows have padding, as recordings may have, in each way in which pixels are sent.
func TestPaddedRows(t *testing.T) {
	const width, height, padding = 4, 3, 5
	for _, test := range []struct {
		code    string
		bits    int
		formats []camdriver.Format // of the frames
	}{
		{model.CodeZ16, 16, []camdriver.Format{camdriver.Z16}},
		{model.CodeY8I, 16, []camdriver.Format{camdriver.Y8, camdriver.Y8}},
		{model.CodeYUY2, 16, []camdriver.Format{camdriver.YUYV}},
		{model.CodeYUY2, 16, []camdriver.Format{camdriver.RGB8}},
	} {
		frames := func(padding int) (list []*camdriver.Frame) {
			for i, format := range test.formats {
				f := camdriver.NewFrame(nil)
				f.Profile = camdriver.Profile{Format: format, Width: width, Height: height, FPS: 30}
				size := width * format.BitsPerPixel() / 8
				f.Width, f.Height, f.Stride = width, height, size+padding
				for y := range height {
					f.Data = append(f.Data, slices.Repeat([]byte{byte(10*y + 40*i + 20)}, size)...)
					f.Data = append(f.Data, slices.Repeat([]byte{255}, padding)...)
				}
				list = append(list, f)
			}
			return list
		}
		s, m := &Source{arrivals: newArrivals()}, d435i.Mode{Code: test.code, W: width, H: height, Bits: test.bits, FPS: 30}
		want := slices.Clone(s.pixels(m, frames(0)))
		if got := s.pixels(m, frames(padding)); !slices.Equal(got, want) || slices.Equal(want[:8], want[16:]) {
			t.Errorf("%v: padded frames are sent as %v, want %v", test.formats, got, want)
		}
	}
}
