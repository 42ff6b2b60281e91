package process

import (
	"math"

	"rsros/camdriver"
)

// HDRMerge merges pairs of depth frames with different exposures, sequence ids 0 and 1. Infrared frames of the same
// exposures determine which of the two to trust. A merged frame replaces depth until the next pair is complete.
//
// HDRMerge needs both exposures, so don't use SequenceID before it. Use it before
// Decimation, after which depth and infrared have different sizes.
type HDRMerge struct {
	block
	first  exposure // of an incomplete pair
	merged Image    // retained; Frame is nil if none

	second plane // depth; that of the first is in
	i0, i1 plane // infrared; empty if not used
}

// exposure is half of a pair.
type exposure struct {
	depth, infrared Image // retained; Frame is nil if none
}

func (e *exposure) release() {
	e.depth.drop()
	e.infrared.drop()
}

// NewHDRMerge returns the block. It has no options.
func NewHDRMerge(res *Resources) *HDRMerge { return &HDRMerge{block: newBlock(res, "HDR Merge")} }

func (h *HDRMerge) Reset() {
	h.first.release()
	h.merged.drop()
}

func (h *HDRMerge) Process(s *Set) error {
	depth, ok := s.First(camdriver.Depth, camdriver.Z16)
	if !ok {
		return nil
	}
	size, _ := depth.Frame.Meta(camdriver.MetaSequenceSize)
	id, numbered := depth.Frame.Meta(camdriver.MetaSequenceId)
	if size != 2 || !numbered {
		return nil
	}
	h.expire(depth)
	if err := h.take(s, depth, id); err != nil {
		return err
	}
	if h.merged.Frame != nil {
		h.merged.Frame.Retain()
		s.result(h.merged)
		s.merge()
	}
	return nil
}

// take keeps the first of a pair, or merges it with the second.
func (h *HDRMerge) take(s *Set, depth Image, id int64) error {
	infrared, _ := s.First(camdriver.Infrared, camdriver.AnyFormat)
	if id == 0 && h.first.depth.Frame == nil {
		depth.Frame.Retain()
		if infrared.Frame != nil {
			infrared.Frame.Retain()
		}
		h.first = exposure{depth, infrared}
		return nil
	}
	if id != 1 || h.first.depth.Frame == nil {
		return nil
	}
	first := h.first
	h.first = exposure{}
	defer first.release()
	return h.merge(first, exposure{depth, infrared})
}

// counter returns the camera's number of a frame.
func counter(f *camdriver.Frame) int64 {
	if n, ok := f.Meta(camdriver.MetaFrameCounter); ok {
		return n
	}
	return int64(f.Number)
}

// maxMergedAge is the number of frames that a merged frame may replace.
const maxMergedAge = 4

// expire drops a merged frame that is too old or of another run.
func (h *HDRMerge) expire(depth Image) {
	if h.merged.Frame == nil {
		return
	}
	ahead := counter(depth.Frame) - counter(h.merged.Frame)
	if ahead < 0 || ahead >= maxMergedAge || depth.Frame.Width != h.merged.Frame.Width ||
		depth.Frame.Height != h.merged.Frame.Height ||
		depth.Profile != h.merged.Profile {
		h.merged.drop()
	}
}

// merge merges a pair if its frames are consecutive.
func (h *HDRMerge) merge(a, b exposure) error {
	if counter(a.depth.Frame)+1 != counter(b.depth.Frame) || a.depth.Profile != b.depth.Profile {
		return nil
	}
	first, err := planeOf(a.depth.Frame)
	if err != nil {
		return err
	}
	if h.second, err = planeOf(b.depth.Frame); err != nil {
		return err
	}
	if first.width != h.second.width || first.height != h.second.height {
		return nil
	}
	h.i0, h.i1 = plane{}, plane{}
	if sameExposure(a) && sameExposure(b) && a.infrared.Frame.Profile.Format == b.infrared.Frame.Profile.Format {
		i0, err0 := planeOf(a.infrared.Frame)
		i1, err1 := planeOf(b.infrared.Frame)
		if f := a.infrared.Frame.Profile.Format; err0 == nil && err1 == nil && (f == camdriver.Y8 || f == camdriver.Y16) {
			h.i0, h.i1 = i0, i1
		}
	}
	out, err := h.make(a.depth, a.depth.Profile)
	if err != nil {
		return err
	}
	h.share(h, h.out.height)
	h.merged.drop()
	h.merged = out
	return nil
}

// sameExposure reports whether infrared has depth's exposure and size.
func sameExposure(e exposure) bool {
	if e.infrared.Frame == nil {
		return false
	}
	d, i := e.depth.Frame, e.infrared.Frame
	a, _ := d.Meta(camdriver.MetaSequenceId)
	b, _ := i.Meta(camdriver.MetaSequenceId)
	return d.Width == i.Width && d.Height == i.Height && counter(d) == counter(i) && a == b
}

// The range of infrared values for which depth is trusted.
const (
	dark8, bright8   = 5, 250
	dark16, bright16 = 20, 1003
)

func (h *HDRMerge) rows(_, from, to int) {
	for y := from; y < to; y++ {
		out, d0, d1 := h.out.row16(y), h.in.row16(y), h.second.row16(y)
		switch h.i0.size {
		case 1:
			mergeTrusted(out, d0, d1, h.i0.row(y), h.i1.row(y), dark8, bright8)
		case 2:
			mergeTrusted(out, d0, d1, h.i0.row16(y), h.i1.row16(y), dark16, bright16)
		default: // depth is trusted unless it is 0
			mergeTrusted(out, d0, d1, d0, d1, 0, math.MaxUint16+1)
		}
	}
}

// mergeTrusted selects the first depth whose infrared is neither dark nor bright.
func mergeTrusted[T uint8 | uint16](out, d0, d1 []uint16, i0, i1 []T, dark, bright int) {
	d0, d1, i0, i1 = d0[:len(out)], d1[:len(out)], i0[:len(out)], i1[:len(out)]
	for x := range out {
		d := d0[x]
		if v := int(i0[x]); d == 0 || v <= dark || v >= bright {
			d = d1[x]
			if v := int(i1[x]); v <= dark || v >= bright {
				d = 0
			}
		}
		out[x] = d
	}
}
