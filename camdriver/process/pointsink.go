package process

import (
	"fmt"

	"rsros/camdriver"
)

// PointSink takes points row by row, while they are in the processor's cache. All
// methods are called from several goroutines at once, each with a slot of its own
// between 0 and Resources.Slots()-1.
type PointSink interface {
	// Begin announces the rows from … to-1, which the slot's next calls bring in order.
	// Those before them are done, or other slots are at work on them, which wait for
	// none after theirs.
	Begin(slot, from, to int)
	// Row takes the points of a row, as Points lays them out. uv is nil unless
	// places were asked for and the set's texture is known. The slices are lent for
	// the call.
	Row(slot, row int, xyz, uv []float32)
	// End comes after the last row of those announced.
	End(slot int)
}

// Slots is how many goroutines process rows at once.
func (r *Resources) Slots() int { return r.workers.slots() }

// sinkBand is how many rows are announced at once: few enough that what is made
// of them stays in the processor's cache.
const sinkBand = 8

// Each hands the points of a set's depth to the sinks, in place of an image of them
// all. places says whether they need to know where the texture sees the points. A
// set without depth has no points: false.
func (p *PointCloud) Each(s *Set, places bool, sinks []PointSink) (bool, error) {
	depth, ok := s.First(camdriver.Depth, camdriver.Z16)
	if !ok {
		return false, nil
	}
	if err := p.begin(s, depth); err != nil {
		return false, fmt.Errorf("frame %d of %s: %w", depth.Frame.Number, depth.Frame.Profile, err)
	}
	p.sinks, p.places = sinks, places && p.geometry.texture != nil
	p.res.workers.run(&p.job, (*sinkRows)(p), (p.depth.height+sinkBand-1)/sinkBand, 1)
	p.depth, p.sinks = plane{}, nil
	return true, nil
}

// sinkRows makes the points of some bands of rows.
type sinkRows PointCloud

func (p *sinkRows) rows(slot, from, to int) {
	for band := from; band < to; band++ {
		p.band(slot, band*sinkBand, min(band*sinkBand+sinkBand, p.depth.height))
	}
}

func (p *sinkRows) band(slot, from, to int) {
	w, width := &p.work[slot], p.depth.width
	xyz, uv := w.xyz[:3*width], w.uv[:2*width]
	for _, sink := range p.sinks {
		sink.Begin(slot, from, to)
	}
	for row := from; row < to; row++ {
		(*PointCloud)(p).points(w, row, xyz, uv, p.places)
		for _, sink := range p.sinks {
			if p.places {
				sink.Row(slot, row, xyz, uv)
			} else {
				sink.Row(slot, row, xyz, nil)
			}
		}
	}
	for _, sink := range p.sinks {
		sink.End(slot)
	}
}
