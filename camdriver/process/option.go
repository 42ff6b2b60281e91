package process

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"rsros/camdriver"
)

// kind says what becomes of a value between two steps.
type kind uint8

const (
	continuous kind = iota // any value in the range
	whole                  // cut down to a whole number
	strict                 // refused
)

// option is one setting of a block.
type option struct {
	camdriver.Option
	kind kind
}

func newOption(id camdriver.OptionID, k kind, from, to, step, initial float32, description string) option {
	return option{camdriver.Option{
		ID: id, Value: initial, Min: from, Max: to, Step: step, Default: initial, Description: description,
	}, k}
}

// options are the settings of a block, safe for use from any goroutine.
type options struct {
	mu      sync.Mutex
	list    []option
	changed func(id camdriver.OptionID, value float32) // called with mu held, after each SetOption
}

// Options gives the present state, in the order of their numbers.
func (o *options) Options() []camdriver.Option {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := make([]camdriver.Option, len(o.list))
	for i := range o.list {
		out[i] = o.list[i].Option
	}
	slices.SortFunc(out, func(a, b camdriver.Option) int { return int(a.ID) - int(b.ID) })
	return out
}

// SetOption changes one setting.
func (o *options) SetOption(id camdriver.OptionID, value float32) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, func(p option) bool { return p.ID == id })
	if i < 0 {
		return fmt.Errorf("option %s: %w", id, camdriver.ErrNotFound)
	}
	p := &o.list[i]
	if !(value >= p.Min && value <= p.Max) {
		return fmt.Errorf("option %s: %g is outside %g … %g", id, value, p.Min, p.Max)
	}
	if p.kind == whole {
		value = float32(math.Trunc(float64(value)))
	}
	if steps := (value - p.Min) / p.Step; p.kind == strict && steps != float32(math.Trunc(float64(steps))) {
		return fmt.Errorf("option %s: %g is no step of %g from %g", id, value, p.Step, p.Min)
	}
	p.Value = value
	if o.changed != nil {
		o.changed(id, value)
	}
	return nil
}

// CopyOptions gives a block the options of another one of its kind, as they are now. The
// block must not have processed anything.
func CopyOptions(to, from Block) {
	if o, ok := to.(interface{ adopt([]camdriver.Option) }); ok {
		o.adopt(from.Options())
	}
}

// adopt sets each option by itself: none hangs on another.
func (o *options) adopt(list []camdriver.Option) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range list {
		o.put(p.ID, p.Value)
	}
}

// value is for blocks, with mu held.
func (o *options) value(id camdriver.OptionID) float32 {
	for i := range o.list {
		if o.list[i].ID == id {
			return o.list[i].Value
		}
	}
	return 0
}

// put is for blocks, with mu held: no check, no call of changed.
func (o *options) put(id camdriver.OptionID, value float32) {
	for i := range o.list {
		if o.list[i].ID == id {
			o.list[i].Value = value
		}
	}
}

// pushDistances keeps Min Distance and Max Distance in order: the one that is set
// moves the other to its end of the range.
func (o *options) pushDistances(id camdriver.OptionID, value float32) {
	switch {
	case id == camdriver.OptionMinDistance && value > o.value(camdriver.OptionMaxDistance):
		o.put(camdriver.OptionMaxDistance, farthest)
	case id == camdriver.OptionMaxDistance && value < o.value(camdriver.OptionMinDistance):
		o.put(camdriver.OptionMinDistance, 0)
	}
}

const farthest = 16 // m, the end of all distance options
