package process

import (
	"math/bits"
	"slices"

	"rsros/camdriver"
	"rsros/camdriver/process/internal/smooth"
)

// Temporal smooths depth or disparity over time and fills holes from previous frames.
type Temporal struct {
	block
	profile *Profile // of the history
	fading  smooth.Fading

	depth   []uint16  // last values of depth
	dispar  []float32 // last values of disparity
	history []uint8   // a bit for each of the last eight frames
	stale   bool      // an option requires a restart; guarded by mu
}

// NewTemporal returns a filter with the SDK's defaults.
func NewTemporal(res *Resources) *Temporal {
	t := &Temporal{block: newBlock(res, "Temporal Filter",
		newOption(camdriver.OptionFilterSmoothAlpha, continuous, 0, 1, 0.01, 0.4,
			"Alpha factor of Exp.moving average, 1 - no filter, 0 - strongest filter"),
		newOption(camdriver.OptionFilterSmoothDelta, integral, 1, 100, 1, 20, "Edge-preserving (gradient) Threshold"),
		newOption(camdriver.OptionHolesFill, integral, 0, 8, 1, 3, "Persistency mode"))}
	t.changed = func(id camdriver.OptionID, _ float32) {
		t.stale = t.stale || id != camdriver.OptionFilterSmoothDelta
	}
	return t
}

func (t *Temporal) Process(s *Set) error { return each(s, isDepthOrDisparity, t.apply) }

func (t *Temporal) Reset() { t.profile = nil }

func (t *Temporal) apply(img Image) (Image, error) {
	out, err := t.like(img)
	if err != nil {
		return Image{}, err
	}
	t.mu.Lock()
	t.fading.SetAlpha(t.value(camdriver.OptionFilterSmoothAlpha))
	t.fading.Delta = t.value(camdriver.OptionFilterSmoothDelta)
	persistence := int(t.value(camdriver.OptionHolesFill))
	if t.stale || t.profile != img.Profile {
		t.begin(img)
		t.stale = false
	}
	t.mu.Unlock()
	t.setRule(persistence)
	t.share(t, t.in.height)
	t.fading.Phase = (t.fading.Phase + 1) % 8
	return out, nil
}

// begin clears the history.
func (t *Temporal) begin(img Image) {
	n := t.in.width * t.in.height
	t.profile, t.fading.Phase = img.Profile, 0
	t.history = fresh(t.history, n)
	if img.Frame.Profile.Format == camdriver.Z16 {
		t.depth, t.dispar = fresh(t.depth, n), nil
	} else {
		t.depth, t.dispar = nil, fresh(t.dispar, n)
	}
}

// fresh returns n zeros, in old's memory if that is large enough.
func fresh[T any](old []T, n int) []T {
	old = slices.Grow(old[:0], n)[:n]
	clear(old)
	return old
}

// persistence is the least number of the previous frames that must have a value to fill a
// hole, by the value of Holes Fill.
var persistence = [...]struct{ least, of int }{{9, 8}, {8, 8}, {2, 3}, {2, 4}, {2, 8}, {1, 2}, {1, 5}, {1, 8}, {0, 8}}

// setRule applies a persistence to the current phase. The previous frame is in the bit
// before the phase's, and the one eight frames ago in the phase's.
func (t *Temporal) setRule(mode int) {
	p := persistence[mode]
	t.fading.Rule = smooth.Histories{}
	for h := range 256 {
		recent := bits.RotateLeft8(uint8(h), -int(t.fading.Phase)) >> (8 - p.of)
		if bits.OnesCount8(recent) >= p.least {
			t.fading.Rule.Add(uint8(h))
		}
	}
}

func (t *Temporal) rows(_, from, to int) {
	for y := from; y < to; y++ {
		history := t.history[y*t.in.width:][:t.in.width]
		if t.depth != nil {
			t.fading.Depth(t.out.row16(y), t.in.row16(y), t.depth[y*t.in.width:], history)
		} else {
			t.fading.Disparity(rowOf[float32](&t.out, y), rowOf[float32](&t.in, y), t.dispar[y*t.in.width:], history)
		}
	}
}
