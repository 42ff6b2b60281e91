package replay

import (
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/test/need"
)

// slowStart is a source whose iterators take a while until the first message.
type slowStart struct {
	Source
	clock *fakeClock
}

func (s slowStart) View(q bagstore.Query) View { return slowView{s.Source.View(q), s.clock} }

type slowView struct {
	View
	clock *fakeClock
}

func (v slowView) Iterator() Iterator {
	return &slowIterator{Iterator: v.View.Iterator(), clock: v.clock}
}

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
	p, err := New(Options{Clock: clock, Source: slowStart{Bags([]*bagstore.Recording{counting(t, 5)}), clock}, Output: &journal{clock: clock}, Log: zerolog.Nop()})
	need.Must(t, err)
	need.Must(t, p.Run(t.Context()))
	if s := p.Status(); s.Messages != 5 || s.WorstLate != 0 {
		t.Errorf("%d messages, at worst %v late", s.Messages, s.WorstLate)
	}
}
