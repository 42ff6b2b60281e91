package replay

import (
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/test/need"
)

// slowIterator takes a while until the first message.
type slowIterator struct {
	Iterator
	clock *fakeClock
	begun bool
}

func (it *slowIterator) Next() bool {
	if !it.begun {
		it.begun = true
		it.clock.now += 50 * ms
	}
	return it.Iterator.Next()
}

// TestSlowStart: time begins when the first message is there, so that it isn't late, nor are
// those that follow it.
func TestSlowStart(t *testing.T) {
	clock := &fakeClock{now: wall0}
	source := wrapped{Bags([]*bagstore.Recording{counting(t, 5)}), func(it Iterator) Iterator { return &slowIterator{Iterator: it, clock: clock} }}
	p, err := New(Options{Clock: clock, Source: source, Output: &journal{clock: clock}, Log: zerolog.Nop()})
	need.Must(t, err)
	need.Must(t, p.Run(t.Context()))
	if s := p.Status(); s.Messages != 5 || s.WorstLate != 0 {
		t.Errorf("%d messages, at worst %v late", s.Messages, s.WorstLate)
	}
}
