package usbserve

import (
	"cmp"
	"math"
	"slices"

	"rsros/camdriver"
	"rsros/usbcam/d435i"
)

// Codes of the formats that a Source sends.
const (
	codeDepth = "Z16 "
	codeLeft  = "\x32\x00\x00\x00"
	codePair  = "Y8I "
	codeColor = "YUY2"
)

// sendable reports whether a profile's size and rate fit USB's descriptors.
func sendable(p camdriver.Profile) bool {
	fits := func(n int) bool { return n > 0 && n <= math.MaxUint16 }
	return p.FPS > 0 && p.FPS <= 1000 && (!p.Stream.Kind.Video() || fits(p.Width) && fits(p.Height) && p.Width%2 == 0)
}

// maxModes bounds the modes of a format. Their descriptors must fit in 64 KiB.
const maxModes = 100

func (s *Source) listModes() []d435i.Mode {
	var list []d435i.Mode
	add := func(code string, bits int, id camdriver.StreamID, formats ...camdriver.Format) {
		var modes []d435i.Mode
		for _, p := range s.offers[id] {
			m := d435i.Mode{Code: code, W: p.Width, H: p.Height, Bits: bits, FPS: p.FPS}
			if slices.Contains(formats, p.Format) && !slices.Contains(modes, m) {
				modes = append(modes, m)
			}
		}
		slices.SortFunc(modes, func(a, b d435i.Mode) int {
			return cmp.Or(cmp.Compare(a.W*a.H, b.W*b.H), cmp.Compare(a.W, b.W), cmp.Compare(b.FPS, a.FPS))
		})
		list = append(list, modes[:min(len(modes), maxModes)]...)
	}
	add(codeDepth, 16, camdriver.DepthStream, camdriver.Z16)
	add(codeLeft, 8, camdriver.LeftStream, camdriver.Y8)
	if _, ok := s.streams[camdriver.LeftStream]; ok {
		add(codePair, 16, camdriver.RightStream, camdriver.Y8)
	}
	add(codeColor, 16, camdriver.ColorStream, camdriver.YUYV, camdriver.RGB8)
	return list
}

// Modes implements d435i.Source.
func (s *Source) Modes() []d435i.Mode { return s.modes }

func (s *Source) profilesOf(m d435i.Mode) []camdriver.Profile {
	find := func(id camdriver.StreamID, formats ...camdriver.Format) camdriver.Profile {
		for _, f := range formats {
			want := camdriver.Profile{Stream: id, Format: f, Width: m.W, Height: m.H, FPS: m.FPS}
			if slices.Contains(s.offers[id], want) {
				return want
			}
		}
		return camdriver.Profile{}
	}
	switch m.Code {
	case codeDepth:
		return []camdriver.Profile{find(camdriver.DepthStream, camdriver.Z16)}
	case codeLeft:
		return []camdriver.Profile{find(camdriver.LeftStream, camdriver.Y8)}
	case codePair:
		return []camdriver.Profile{find(camdriver.LeftStream, camdriver.Y8), find(camdriver.RightStream, camdriver.Y8)}
	}
	return []camdriver.Profile{find(camdriver.ColorStream, camdriver.YUYV, camdriver.RGB8)}
}
