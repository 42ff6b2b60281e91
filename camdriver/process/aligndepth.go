package process

// depthToOther returns depth in the geometry of another stream.
func (a *Align) depthToOther(depth Image) (Image, error) {
	img, err := a.begin(a.other, depth)
	if err != nil {
		return Image{}, err
	}
	a.canvas.Begin(a.out.width, a.out.height, a.res.workers.slots())
	a.share((*splatRows)(a), a.in.height)
	a.canvas.Finish()
	a.share((*gatherRows)(a), a.out.height)
	return img, nil
}

// splatRows draws rows of depth on the canvas.
type splatRows Align

func (a *splatRows) rows(slot, from, to int) {
	w, p, layer := &a.work[slot], a.now, a.canvas.Layer(slot)
	for row := from; row < to; row++ {
		depth := a.in.row16(row)
		x, y := p.rays.Row(row, w.y)
		p.view.Locate(w.u0, w.v0, depth, x, y, a.units)
		u1, v1 := w.u0, w.v0
		if p.bottomRight != nil {
			x, y = p.bottomRight.Row(row, w.y)
			p.view.Locate(w.u1, w.v1, depth, x, y, a.units)
			u1, v1 = w.u1, w.v1
		}
		layer.Rectangles(depth, w.u0, w.v0, u1, v1)
	}
}

// gatherRows copies rows from the canvas.
type gatherRows Align

func (a *gatherRows) rows(_, from, to int) {
	for y := from; y < to; y++ {
		a.canvas.Row(a.out.row16(y), y)
	}
}
