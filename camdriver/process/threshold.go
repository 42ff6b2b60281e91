package process

import (
	"sort"

	"rsros/camdriver"
)

// Threshold keeps depth between two distances.
type Threshold struct {
	block
	least, most uint16
}

// NewThreshold returns a block that keeps 0.1 … 4 m.
func NewThreshold(res *Resources) *Threshold {
	t := &Threshold{block: newBlock(res, "Threshold Filter",
		newOption(camdriver.OptionMinDistance, continuous, 0, farthest, 0.1, 0.1, "Min range in meters"),
		newOption(camdriver.OptionMaxDistance, continuous, 0, farthest, 0.1, 4, "Max range in meters"))}
	t.changed = t.pushDistances
	return t
}

func (t *Threshold) Process(s *Set) error { return each(s, isDepth, t.apply) }

func (t *Threshold) apply(img Image) (Image, error) {
	t.mu.Lock()
	least, most := t.value(camdriver.OptionMinDistance), t.value(camdriver.OptionMaxDistance)
	t.mu.Unlock()
	// Distances increase with depth, so find both limits once.
	units := img.Frame.DepthUnits
	from := sort.Search(65536, func(d int) bool { return units*float32(d) >= least })
	to := sort.Search(65536, func(d int) bool { return units*float32(d) > most })
	out, err := t.like(img)
	if err != nil {
		return Image{}, err
	}
	t.least, t.most = 1, 0 // nothing
	if from < to {
		t.least, t.most = uint16(from), uint16(to-1)
	}
	t.share(t, t.in.height)
	return out, nil
}

func (t *Threshold) rows(_, from, to int) {
	for y := from; y < to; y++ {
		in, out := t.in.row16(y), t.out.row16(y)
		out = out[:len(in)]
		width := t.most - t.least
		if t.most < t.least {
			clear(out)
			continue
		}
		for x, d := range in {
			if d-t.least > width {
				d = 0
			}
			out[x] = d
		}
	}
}
