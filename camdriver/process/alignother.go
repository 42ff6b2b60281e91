package process

import (
	"fmt"

	"rsros/camdriver"
)

// otherToDepth returns another image in depth's geometry.
func (a *Align) otherToDepth(other Image) (Image, error) {
	f := other.Profile.Format
	if f == camdriver.YUYV || f == camdriver.UYVY || f.BitsPerPixel()%8 != 0 {
		return Image{}, fmt.Errorf("cannot align pixels with subsampled colour: %w", camdriver.ErrUnsupported)
	}
	var err error
	if a.from, err = planeOf(other.Frame); err != nil {
		return Image{}, err
	}
	if size := f.BitsPerPixel() / 8; size != a.from.size {
		return Image{}, fmt.Errorf("pixels have %d bytes, want %d: %w", a.from.size, size, ErrBadFrame)
	}
	img, err := a.begin(other.Profile, other)
	if err != nil {
		return Image{}, err
	}
	a.share((*fetchRows)(a), a.in.height)
	return img, nil
}

// fetchRows looks up the pixels of rows of depth in the other image. Pixels without depth
// or outside of the other image are 0.
type fetchRows Align

func (a *fetchRows) rows(slot, from, to int) {
	w, p := &a.work[slot], a.now
	for row := from; row < to; row++ {
		depth := a.in.row16(row)
		x, y := p.rays.Row(row, w.y)
		p.view.Locate(w.u0, w.v0, depth, x, y, a.units)
		out := a.out.row(row)
		clear(out)
		a.fetch(out, depth, w.u0, w.v0)
	}
}

func (a *fetchRows) fetch(out []byte, depth []uint16, us, vs []int32) {
	width, height := uint32(a.from.width), uint32(a.from.height)
	data, stride, size := a.from.data, a.from.stride, a.from.size
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
