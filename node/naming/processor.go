package naming

import (
	"encoding/binary"
	"math"
	"runtime"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
)

// processor makes what the parameters ask for of frame sets: filtered and aligned
// depth, points. Nothing is computed that nobody wants, and what several topics need
// is computed once. It is for one goroutine; options of filters may be set by others.
type processor struct {
	options *WrapperOptions
	res     *process.Resources
	pool    *camdriver.Pool // of messages
	filters *filters
	depth   *outlets // nil without depth
	results *results
}

// newProcessor makes a processor whose results go to outlets that open makes.
// memory bounds the frames that it makes, in bytes.
func newProcessor(l *layout, snap camdriver.DeviceSnapshot, memory int64, depth *outlets, open openOutlet) (*processor, error) {
	p := &processor{
		options: &l.options, res: process.NewResources(memory, runtime.GOMAXPROCS(0)), pool: l.pool, depth: depth,
	}
	p.filters = newFilters(p.res, p.options)
	var err error
	p.results, err = newResults(l, snap, p.res.Slots(), open)
	return p, err
}

// alone returns a processor with blocks that have seen no frame, with the same options and
// for the same goroutine. It has to be reset after use, not closed.
func (p *processor) alone() *processor {
	out := *p
	out.filters = p.filters.fresh(p.res, p.options)
	return &out
}

// reset makes the blocks forget former frames.
func (p *processor) reset() { p.filters.reset() }

// compute makes what the parameters ask for of one set and publishes it.
func (p *processor) compute(set *process.Set, stamp msgs.Time) error {
	f := p.filters
	original, hasDepth := set.First(camdriver.Depth, camdriver.Z16)
	if !hasDepth {
		return nil
	}
	if f.original != nil && p.depth.wanted() {
		var alone process.Set
		alone.Add(original)
		original.Frame.Retain()
		defer alone.Release()
		if err := f.original.Process(&alone); err != nil {
			return err
		}
		p.publishDepth(p.depth, &alone, stamp)
	}
	if !p.results.wanted() && (f.align != nil || !p.depth.wanted()) {
		return nil
	}
	if err := f.depth.Process(set); err != nil {
		return err
	}
	_, colour := set.First(camdriver.Color, camdriver.AnyFormat)
	if f.align != nil {
		if !colour {
			return nil // nothing to align to in this set
		}
		if err := f.align.Process(set); err != nil {
			return err
		}
	}
	if f.colorizer != nil {
		if err := f.colorizer.Process(set); err != nil {
			return err
		}
	}
	switch {
	case f.align != nil:
		p.publishDepth(p.results.aligned, set, stamp)
	case f.changesDepth():
		p.publishDepth(p.depth, set, stamp)
	}
	return p.results.publishCloud(f.cloud, set, stamp)
}

// computeAll is compute for a set whose depth has to be clipped and published first.
func (p *processor) computeAll(set *process.Set, stamp msgs.Time) error {
	for i, img := range set.Images {
		if p.options.Clip == 0 || img.Frame.Stream().Kind != camdriver.Depth {
			continue
		}
		f := p.clip(img.Frame)
		img.Frame.Release()
		set.Images[i].Frame = f
		if !p.filters.changesDepth() {
			p.depth.publish(f, stamp, nil)
		}
	}
	return p.compute(set, stamp)
}

// publishDepth sends a set's depth, in colours where it was given some.
func (p *processor) publishDepth(to *outlets, set *process.Set, stamp msgs.Time) {
	picture, ok := set.First(camdriver.Depth, camdriver.RGB8)
	if !ok {
		if picture, ok = set.First(camdriver.Depth, camdriver.Z16); !ok {
			return
		}
	}
	to.publish(picture.Frame, stamp, &picture.Profile.Intrinsics)
}

// clip makes a copy of depth in which what is too far is 0; where there is no memory
// for it, the whole picture is what it was.
func (p *processor) clip(f *camdriver.Frame) *camdriver.Frame {
	limit := p.options.Clip / float64(f.DepthUnits)
	if !(limit < math.MaxUint16) || f.Profile.Format != camdriver.Z16 {
		return f.Retain()
	}
	buffer := p.pool.Get(len(f.Data))
	if buffer == nil {
		return f.Retain()
	}
	out := camdriver.NewFrame(buffer)
	out.Profile, out.Number, out.Timestamp, out.Domain, out.Arrival, out.Metadata = f.Profile, f.Number, f.Timestamp, f.Domain, f.Arrival, f.Metadata
	out.Width, out.Height, out.Stride, out.DepthUnits, out.Data = f.Width, f.Height, f.Stride, f.DepthUnits, buffer.Bytes
	farthest := uint16(limit)
	for i := 0; i+1 < len(f.Data); i += 2 {
		v := binary.LittleEndian.Uint16(f.Data[i:])
		if v > farthest {
			v = 0
		}
		binary.LittleEndian.PutUint16(out.Data[i:], v)
	}
	return out
}

// close withdraws the filters' options and ends the goroutines of the blocks.
func (p *processor) close() {
	p.filters.close()
	p.res.Close()
}
