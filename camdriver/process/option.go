package process

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"rsros/camdriver"
)

// kind determines how values between two steps are handled.
type kind uint8

const (
	continuous kind = iota // accepted
	integral               // truncated to an integer
	strict                 // rejected
)

// option is a setting of a block.
type option struct {
	camdriver.Option
	kind kind
}

func newOption(id camdriver.OptionID, k kind, from, to, step, initial float32, description string) option {
	return option{camdriver.Option{
		ID: id, Value: initial, Min: from, Max: to, Step: step, Default: initial, Description: description,
	}, k}
}

// options are the settings of a block. They are safe for concurrent use.
type options struct {
	mu      sync.Mutex
	list    []option
	changed func(id camdriver.OptionID, value float32) // called with mu held, after each SetOption
}

// Options are in OptionID order.
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

func (o *options) SetOption(id camdriver.OptionID, value float32) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.find(id)
	if p == nil {
		return fmt.Errorf("option %s: %w", id, camdriver.ErrNotFound)
	}
	if !(value >= p.Min && value <= p.Max) {
		return fmt.Errorf("option %s: %g is outside %g … %g", id, value, p.Min, p.Max)
	}
	if p.kind == integral {
		value = float32(math.Trunc(float64(value)))
	}
	if steps := (value - p.Min) / p.Step; p.kind == strict && steps != float32(math.Trunc(float64(steps))) {
		return fmt.Errorf("option %s: %g is not a multiple of %g from %g", id, value, p.Step, p.Min)
	}
	p.Value = value
	if o.changed != nil {
		o.changed(id, value)
	}
	return nil
}

// CopyOptions copies the options of a block to another of its type, which must not have processed anything.
func CopyOptions(to, from Block) {
	if o, ok := to.(interface{ setAll([]camdriver.Option) }); ok {
		o.setAll(from.Options())
	}
}

// setAll sets options without changing dependent ones.
func (o *options) setAll(list []camdriver.Option) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range list {
		o.put(p.ID, p.Value)
	}
}

// find returns an option, or nil. mu must be held.
func (o *options) find(id camdriver.OptionID) *option {
	for i := range o.list {
		if o.list[i].ID == id {
			return &o.list[i]
		}
	}
	return nil
}

// get returns the value of an option that the block has.
func (o *options) get(id camdriver.OptionID) float32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.value(id)
}

// value is get with mu held.
func (o *options) value(id camdriver.OptionID) float32 { return o.find(id).Value }

// put sets an option, if the block has it, without checks and without calling changed. mu must be held.
func (o *options) put(id camdriver.OptionID, value float32) {
	if p := o.find(id); p != nil {
		p.Value = value
	}
}

// pushDistances keeps Min Distance and Max Distance in order: setting one past the other
// moves that to its end of the range.
func (o *options) pushDistances(id camdriver.OptionID, value float32) {
	switch {
	case id == camdriver.OptionMinDistance && value > o.value(camdriver.OptionMaxDistance):
		o.put(camdriver.OptionMaxDistance, farthest)
	case id == camdriver.OptionMaxDistance && value < o.value(camdriver.OptionMinDistance):
		o.put(camdriver.OptionMinDistance, 0)
	}
}

const farthest = 16 // m; upper limit of all distance options
