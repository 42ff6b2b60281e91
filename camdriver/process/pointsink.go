package process

import (
	"rsros/camdriver"
)

// PointSink receives points by rows, while they are in the processor's cache. Its methods
// are called from several goroutines, each with its own slot in [0, Resources.Slots()).
type PointSink interface {
	// Begin announces the rows [from, to), which are passed in order to Row by the same slot. Earlier rows are done or in
	// progress in other slots, which don't wait for later rows.
	Begin(slot, from, to int)
	// Row receives the points of a row, in the layout of Points. uv is nil unless places were requested and the set's
	// texture is known. The slices are valid during the call.
	Row(slot, row int, xyz, uv []float32)
	// End follows the last of the announced rows.
	End(slot int)
}

// Slots returns the number of goroutines that process rows concurrently.
func (r *Resources) Slots() int { return r.workers.slots() }

// sinkBand is the number of rows per Begin: few enough that their points stay in the processor's cache.
const sinkBand = 8

// Each passes the points of a set's depth to the sinks instead of making an image. If places is set, the sinks get
// texture coordinates. Each returns false if the set has no depth.
func (p *PointCloud) Each(s *Set, places bool, sinks []PointSink) (bool, error) {
	depth, ok := s.First(camdriver.Depth, camdriver.Z16)
	if !ok {
		return false, nil
	}
	if err := p.begin(depth, p.textureOf(s)); err != nil {
		return false, failed(depth, err)
	}
	p.sinks, p.places = sinks, places && p.geometry.other != nil
	p.res.workers.run(&p.job, (*sinkRows)(p), (p.in.height+sinkBand-1)/sinkBand, 1)
	p.sinks = nil
	return true, nil
}

// sinkRows computes the points of bands of rows.
type sinkRows PointCloud

func (p *sinkRows) rows(slot, from, to int) {
	for band := from; band < to; band++ {
		p.band(slot, band*sinkBand, min(band*sinkBand+sinkBand, p.in.height))
	}
}

func (p *sinkRows) band(slot, from, to int) {
	w, width := &p.work[slot], p.in.width
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
