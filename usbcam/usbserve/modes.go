package usbserve

import (
	"cmp"
	"math"
	"slices"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/usbcam/d435i"
)

// sendable reports whether a profile's size and rate fit USB's descriptors.
func sendable(p camdriver.Profile) bool {
	fits := func(n int) bool { return n > 0 && n <= math.MaxUint16 }
	return p.FPS > 0 && p.FPS <= 1000 && (!p.Stream.Kind.Video() || fits(p.Width) && fits(p.Height) && p.Width%2 == 0)
}

// maxModes bounds the modes of a format. Their descriptors must fit in 64 KiB.
const maxModes = 100

// format is a format that a Source sends, made of streams in one of some formats.
type format struct {
	code    string
	bits    int
	streams []camdriver.StreamID
	of      []camdriver.Format
}

var formats = []format{
	{model.CodeZ16, 16, []camdriver.StreamID{camdriver.DepthStream}, []camdriver.Format{camdriver.Z16}},
	{model.CodeL8, 8, []camdriver.StreamID{camdriver.LeftStream}, []camdriver.Format{camdriver.Y8}},
	{model.CodeY8I, 16, []camdriver.StreamID{camdriver.LeftStream, camdriver.RightStream},
		[]camdriver.Format{camdriver.Y8}},
	{model.CodeYUY2, 16, []camdriver.StreamID{camdriver.ColorStream}, []camdriver.Format{camdriver.YUYV, camdriver.RGB8}},
}

// listModes sets the modes, and the profiles that each is made of.
func (s *Source) listModes() {
	for _, f := range formats {
		var modes []d435i.Mode
		for _, p := range s.offers[f.streams[len(f.streams)-1]] {
			m := d435i.Mode{Code: f.code, W: p.Width, H: p.Height, Bits: f.bits, FPS: p.FPS}
			if _, ok := s.streams[f.streams[0]]; ok && slices.Contains(f.of, p.Format) && !slices.Contains(modes, m) {
				modes = append(modes, m)
			}
		}
		slices.SortFunc(modes, func(a, b d435i.Mode) int {
			return cmp.Or(cmp.Compare(a.W*a.H, b.W*b.H), cmp.Compare(a.W, b.W), cmp.Compare(b.FPS, a.FPS))
		})
		for _, m := range modes[:min(len(modes), maxModes)] {
			s.modes = append(s.modes, m)
			for _, id := range f.streams {
				s.needs[m] = append(s.needs[m], s.profile(id, f.of, m))
			}
		}
	}
}

// profile returns a stream's profile for a mode in the first of some formats that it has.
func (s *Source) profile(id camdriver.StreamID, formats []camdriver.Format, m d435i.Mode) camdriver.Profile {
	for _, f := range formats {
		p := camdriver.Profile{Stream: id, Format: f, Width: m.W, Height: m.H, FPS: m.FPS}
		if slices.Contains(s.offers[id], p) {
			return p
		}
	}
	return camdriver.Profile{}
}

// Modes implements d435i.Source.
func (s *Source) Modes() []d435i.Mode { return s.modes }

// pixels returns the frame of a mode, valid until the next call for the mode.
func (s *Source) pixels(m d435i.Mode, list []*camdriver.Frame) []byte {
	b := s.arrivals.buffer(m)
	f, size := list[0], len(b)/m.H
	for y := range m.H {
		out := b[y*size:][:size]
		switch {
		case m.Code == model.CodeY8I:
			model.JoinY8I(out, row(f, y), row(list[1], y))
		case m.Code == model.CodeYUY2 && f.Profile.Format == camdriver.RGB8:
			model.ToYUY2(out, row(f, y))
		default:
			copy(out, row(f, y))
		}
	}
	return b
}

// row returns a row of a frame, without its padding.
func row(f *camdriver.Frame, y int) []byte {
	at, size := y*f.Stride, f.Width*f.Profile.Format.BitsPerPixel()/8
	if at+size > len(f.Data) {
		return nil
	}
	return f.Data[at:][:size]
}
