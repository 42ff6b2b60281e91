package process

import (
	"math/bits"

	"rsros/camdriver"
)

// Temporal smooths depth or disparity over frames, and fills holes from former
// frames.
type Temporal struct {
	block
	in, out plane
	profile *Profile // whose history it is
	alpha   float32
	beta    float32 // 1 - alpha
	delta   float32
	phase   uint8
	rule    [256]bool // may a pixel with this history be filled; of the present phase

	depth   []uint16  // last values, of depth
	dispar  []float32 // or of disparity
	history []uint8   // a bit for each of the last eight frames
	stale   bool      // an option asks for a new start; guarded by mu
}

// NewTemporal smooths with the SDK's defaults.
func NewTemporal(res *Resources) *Temporal {
	t := &Temporal{block: block{name: "Temporal Filter", res: res}}
	t.list = []option{
		newOption(camdriver.OptionFilterSmoothAlpha, smooth, 0, 1, 0.01, 0.4, "Alpha factor of Exp.moving average, 1 - no filter, 0 - strongest filter"),
		newOption(camdriver.OptionFilterSmoothDelta, whole, 1, 100, 1, 20, "Edge-preserving (gradient) Threshold"),
		newOption(camdriver.OptionHolesFill, whole, 0, 8, 1, 3, "Persistency mode"),
	}
	t.changed = func(id camdriver.OptionID, _ float32) {
		t.stale = t.stale || id != camdriver.OptionFilterSmoothDelta
	}
	return t
}

// Process smooths a set's depth or disparity.
func (t *Temporal) Process(s *Set) error { return each(s, t) }

// Reset forgets former frames.
func (t *Temporal) Reset() { t.profile = nil }

func (t *Temporal) wants(img Image) bool { return depthOrDisparity(img) }

func (t *Temporal) apply(img Image) (Image, error) {
	out, err := t.like(img, &t.in, &t.out)
	if err != nil {
		return Image{}, err
	}
	t.mu.Lock()
	t.alpha, t.delta = t.value(camdriver.OptionFilterSmoothAlpha), t.value(camdriver.OptionFilterSmoothDelta)
	persistence := int(t.value(camdriver.OptionHolesFill))
	if t.stale || t.profile != img.Profile {
		t.begin(img)
		t.stale = false
	}
	t.mu.Unlock()
	t.beta = 1 - t.alpha
	t.setRule(persistence)
	t.share(t, t.in.height)
	t.phase = (t.phase + 1) % 8
	return out, nil
}

// begin starts a history.
func (t *Temporal) begin(img Image) {
	n := t.in.width * t.in.height
	t.profile, t.phase = img.Profile, 0
	t.history = fresh(t.history, n)
	if img.Frame.Profile.Format == camdriver.Z16 {
		t.depth, t.dispar = fresh(t.depth, n), nil
	} else {
		t.depth, t.dispar = nil, fresh(t.dispar, n)
	}
}

// fresh gives n zeros, in the old memory if that is large enough.
func fresh[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// persistence is how many of how many frames before this one must have had a value,
// by the value of Holes Fill.
var persistence = [...]struct{ least, of int }{{9, 8}, {8, 8}, {2, 3}, {2, 4}, {2, 8}, {1, 2}, {1, 5}, {1, 8}, {0, 8}}

// setRule applies a persistence to the present phase: the frame before this one is
// in the bit before the phase's, the one of eight frames ago in the phase's own.
func (t *Temporal) setRule(mode int) {
	p := persistence[mode]
	for h := range t.rule {
		recent := bits.RotateLeft8(uint8(h), -int(t.phase)) >> (8 - p.of)
		t.rule[h] = bits.OnesCount8(recent) >= p.least
	}
}

func (t *Temporal) rows(_, from, to int) {
	for y := from; y < to; y++ {
		history := t.history[y*t.in.width:][:t.in.width]
		if t.depth != nil {
			t.smoothDepth(t.out.row16(y), t.in.row16(y), t.depth[y*t.in.width:], history)
		} else {
			t.smoothDisparity(rowOf[float32](&t.out, y), rowOf[float32](&t.in, y), t.dispar[y*t.in.width:], history)
		}
	}
}

// smoothDepth does one row of depth.
func (t *Temporal) smoothDepth(out, in, last []uint16, history []uint8) {
	bit, delta := uint8(1)<<t.phase, uint16(t.delta)
	out, last, history = out[:len(in)], last[:len(in)], history[:len(in)]
	for x, d := range in {
		before := last[x]
		switch {
		case d == 0:
			if before != 0 && t.rule[history[x]] {
				d = before
			}
			history[x] &^= bit
		case before != 0 && distance(d, before) < delta:
			d = uint16(int32(float32(t.alpha*float32(d)) + float32(t.beta*float32(before))))
			last[x] = d
			history[x] |= bit
		default:
			last[x] = d
			history[x] = bit
		}
		out[x] = d
	}
}

// smoothDisparity does one row of disparity.
func (t *Temporal) smoothDisparity(out, in, last []float32, history []uint8) {
	bit, delta := uint8(1)<<t.phase, t.delta
	out, last, history = out[:len(in)], last[:len(in)], history[:len(in)]
	for x, p := range in {
		before := last[x]
		switch away := p - before; {
		case p == 0:
			if before != 0 && t.rule[history[x]] {
				p = before
			}
			history[x] &^= bit
		case before != 0 && away < delta && away > -delta:
			p = float32(t.alpha*p) + float32(t.beta*before)
			last[x] = p
			history[x] |= bit
		default:
			last[x] = p
			history[x] = bit
		}
		out[x] = p
	}
}
