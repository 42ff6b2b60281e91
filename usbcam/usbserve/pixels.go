package usbserve

import (
	"math"

	"rsros/camdriver"
	"rsros/usbcam/d435i"
)

// pixels returns the frame of a mode, valid until the next call for the mode.
func (s *Source) pixels(m d435i.Mode, list []*arrival) []byte {
	s.mu.Lock()
	b := s.scratch[m]
	if len(b) != m.Bytes() {
		b = make([]byte, m.Bytes())
		s.scratch[m] = b
	}
	s.mu.Unlock()
	f := list[0].frame
	switch {
	case m.Code == codePair:
		Interlace(b, list[0].frame.Data, list[1].frame.Data)
	case m.Code == codeColor && f.Profile.Format == camdriver.RGB8:
		ToYUY2(b, f.Data)
	default:
		copy(b, f.Data)
	}
	return b
}

// Interlace writes Y8I: pairs of left and right pixels.
func Interlace(dst, left, right []byte) {
	for i := range min(len(left), len(right), len(dst)/2) {
		dst[2*i], dst[2*i+1] = left[i], right[i]
	}
}

// ToYUY2 converts RGB to BT.601 studio range. Two pixels share their chroma.
func ToYUY2(dst, rgb []byte) {
	for i := 0; i+6 <= len(rgb) && i/3*2+4 <= len(dst); i += 6 {
		a, b := rgb[i:i+3], rgb[i+3:i+6]
		out := dst[i/3*2:]
		out[0], out[2] = luma(a), luma(b)
		red, green, blue := mean(a[0], b[0]), mean(a[1], b[1]), mean(a[2], b[2])
		out[1] = level(128 - 0.148223*red - 0.290993*green + 0.439216*blue)
		out[3] = level(128 + 0.439216*red - 0.367788*green - 0.071427*blue)
	}
}

func mean(a, b byte) float64 { return (float64(a) + float64(b)) / 2 }

func luma(p []byte) byte {
	return level(16 + 0.256788*float64(p[0]) + 0.504129*float64(p[1]) + 0.097906*float64(p[2]))
}

func level(v float64) byte { return byte(math.Round(min(max(v, 0), 255))) }
