package naming

import (
	"runtime"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
)

// processor computes filtered and aligned depth and points from frame sets. It computes only what has subscribers, and
// only once. It is not safe for concurrent use, except for setting options of filters.
type processor struct {
	options *WrapperOptions
	res     *process.Resources
	filters *filters
	depth   *streamSinks // nil without depth
	results *results
}

// newProcessor bounds the memory of its frames to memory bytes.
func newProcessor(l *layout, snap camdriver.DeviceSnapshot, memory int64, depth *streamSinks,
	open openSink) (*processor, error) {
	p := &processor{
		options: &l.options, res: process.NewResources(memory, runtime.GOMAXPROCS(0)), depth: depth,
	}
	p.filters = newFilters(p.res, p.options)
	var err error
	p.results, err = newResults(l, snap, p.res.Slots(), open)
	return p, err
}

// fresh returns a processor with new blocks, to be reset after use, not closed.
func (p *processor) fresh() *processor {
	out := *p
	out.filters = p.filters.fresh(p.res, p.options)
	return &out
}

func (p *processor) reset() { p.filters.reset() }

// wanted reports whether any result has subscribers.
func (p *processor) wanted() bool {
	return p.results.wanted() || p.options.changesDepth() && p.depth != nil && p.depth.wanted()
}

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
	case p.options.changesDepth():
		p.publishDepth(p.depth, set, stamp)
	}
	return p.results.publishCloud(f.cloud, set, stamp)
}

// publishDepth publishes a set's depth, or its coloured form if there is one.
func (p *processor) publishDepth(to *streamSinks, set *process.Set, stamp msgs.Time) {
	img, ok := set.First(camdriver.Depth, camdriver.RGB8)
	if !ok {
		if img, ok = set.First(camdriver.Depth, camdriver.Z16); !ok {
			return
		}
	}
	to.publish(img.Frame, stamp, &img.Profile.Intrinsics)
}

// close withdraws the filters' options and ends the goroutines of the blocks.
func (p *processor) close() {
	p.filters.close()
	p.res.Close()
}
