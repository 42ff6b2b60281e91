package process

import (
	"fmt"

	"rsros/camdriver"
)

// othersToDepth adds all other images in depth's geometry.
func (a *Align) othersToDepth(s *Set, depth Image) error {
	for _, img := range s.Images {
		if kind := img.Frame.Stream().Kind; kind == camdriver.Depth || !kind.Video() {
			continue
		}
		if err := a.otherToDepth(s, depth, img); err != nil {
			return fmt.Errorf("frame %d of %s: %w", img.Frame.Number, img.Frame.Profile, err)
		}
	}
	return nil
}

func (a *Align) otherToDepth(s *Set, depth, other Image) error {
	if f := other.Frame.Profile.Format; f == camdriver.YUYV || f == camdriver.UYVY || f.BitsPerPixel()%8 != 0 {
		return fmt.Errorf("cannot align pixels with subsampled colour: %w", camdriver.ErrUnsupported)
	}
	var err error
	if a.other, err = planeOf(other.Frame); err != nil {
		return err
	}
	if err := a.begin(s, depth, other, other); err != nil {
		return err
	}
	if a.out.size != a.other.size {
		return fmt.Errorf("pixels have %d bytes, want %d: %w", a.other.size, a.out.size, ErrBadFrame)
	}
	a.share((*fetchRows)(a), a.depth.height)
	return nil
}

// fetchRows looks up the pixels of rows of depth in the other image. Pixels without depth
// or outside of the other image are 0.
type fetchRows Align

func (a *fetchRows) rows(slot, from, to int) {
	w, p := &a.work[slot], a.now
	for row := from; row < to; row++ {
		depth := a.depth.row16(row)
		x, y := p.topLeft.Row(row, w.y)
		p.view.Locate(w.u0, w.v0, depth, x, y, a.units)
		out := a.out.row(row)
		clear(out)
		a.fetch(out, depth, w.u0, w.v0)
	}
}

func (a *fetchRows) fetch(out []byte, depth []uint16, us, vs []int32) {
	width, height := uint32(a.other.width), uint32(a.other.height)
	data, stride, size := a.other.data, a.other.stride, a.other.size
	us, vs = us[:len(depth)], vs[:len(depth)]
	for i, d := range depth {
		u, v := uint32(us[i]), uint32(vs[i])
		if d == 0 || u >= width || v >= height {
			continue
		}
		from := data[int(v)*stride+int(u)*size:]
		switch to := out[i*size:]; size {
		case 1:
			to[0] = from[0]
		case 2:
			to[0], to[1] = from[0], from[1]
		case 3:
			to[0], to[1], to[2] = from[0], from[1], from[2]
		default:
			copy(to[:size], from)
		}
	}
}
