package process

import "fmt"

// depthToOther makes a depth image in the geometry of another stream.
func (a *Align) depthToOther(s *Set, depth, target Image) error {
	p, err := a.pair(depth.Profile, target.Profile)
	if err != nil {
		return err
	}
	if a.depth.width != p.topLeft.width || a.depth.height != p.topLeft.height {
		return errSize(depth, p.topLeft)
	}
	img, err := a.res.frame(depth.Frame, p.out, 0)
	if err != nil {
		return err
	}
	s.result(img)
	if a.out, err = planeOf(img.Frame); err != nil {
		return err
	}
	a.now = p
	a.large.reset(a.out.width, a.out.height)
	for i := range a.work {
		a.work[i].clear(a.out.width * a.out.height)
	}
	a.share((*splatRows)(a), a.depth.height)
	a.large.paint(&a.work[0])
	a.share((*gatherRows)(a), a.out.height)
	return nil
}

// clear makes an empty target of n pixels. The memory is written when the first
// row comes.
func (w *alignScratch) clear(n int) {
	if cap(w.target) < n {
		w.target = make([]uint16, n)
	}
	w.target = w.target[:n]
	w.first, w.last = 1, 0
	w.walked, w.budget = 0, maxCover*n
}

// touch notes that rows of a target of some width are written, and empties those
// that were not.
func (w *alignScratch) touch(from, to, width int) {
	if w.first > w.last {
		w.first, w.last = from, from-1
	}
	if from < w.first {
		fillNone(w.target[from*width : w.first*width])
		w.first = from
	}
	if to > w.last {
		fillNone(w.target[(w.last+1)*width : (to+1)*width])
		w.last = to
	}
}

func fillNone(t []uint16) {
	for i := range t {
		t[i] = none
	}
}

// none is the largest value, so that a smaller depth replaces it.
const none = 65535

// splatRows spreads rows of depth over the slot's target.
type splatRows Align

func (a *splatRows) rows(slot, from, to int) {
	w, p := &a.work[slot], a.now
	w.prepare(a.depth.width)
	for row := from; row < to; row++ {
		depth := a.depth.row16(row)
		x, y := p.topLeft.row(row, w.y)
		p.locate(w.u0, w.v0, depth, x, y, a.units, a.rounding)
		u1, v1 := w.u0, w.v0
		if p.bottomRight != nil {
			x, y = p.bottomRight.row(row, w.y)
			p.locate(w.u1, w.v1, depth, x, y, a.units, a.rounding)
			u1, v1 = w.u1, w.v1
		}
		a.splat(w, depth, w.u0, w.v0, u1, v1)
	}
}

// splat gives every pixel of the closed rectangles the least depth. Rectangles are
// clipped before they are walked; those that would take long are put aside.
func (a *splatRows) splat(w *alignScratch, depth []uint16, u0, v0, u1, v1 []int32) {
	width, height := int32(a.out.width), int32(a.out.height)
	n := len(depth)
	u0, v0, u1, v1 = u0[:n], v0[:n], u1[:n], v1[:n]
	for i, d := range depth {
		if d == 0 {
			continue
		}
		left, top := max(u0[i], 0), max(v0[i], 0)
		right, bottom := min(u1[i], width-1), min(v1[i], height-1)
		if left > right || top > bottom {
			continue
		}
		area := int(right-left+1) * int(bottom-top+1)
		if w.walked += area; area > smallSplat && w.walked > w.budget {
			a.large.add(left, top, right, bottom, d-1)
			continue
		}
		if int(top) < w.first || int(bottom) > w.last {
			w.touch(int(top), int(bottom), a.out.width)
		}
		for y := top; y <= bottom; y++ {
			t := w.target[int(y)*int(width)+int(left):][:right-left+1]
			for x := range t {
				t[x] = min(t[x], d-1)
			}
		}
	}
}

// gatherRows joins the slots' targets.
type gatherRows Align

func (a *gatherRows) rows(_, from, to int) {
	for y := from; y < to; y++ {
		out, first := a.out.row16(y), true
		for i := range a.work {
			w := &a.work[i]
			if y < w.first || y > w.last {
				continue
			}
			t := w.target[y*len(out):][:len(out)]
			if first {
				for x, d := range t {
					out[x] = d + 1 // 65535 becomes 0
				}
				first = false
				continue
			}
			for x, d := range t {
				out[x] = min(out[x]-1, d) + 1
			}
		}
		if first {
			clear(out)
		}
	}
}

func errSize(img Image, r *rays) error {
	return fmt.Errorf("%s with %d×%d pixels, intrinsics for %d×%d: %w",
		img.Frame.Profile, img.Frame.Width, img.Frame.Height, r.width, r.height, ErrBadFrame)
}
