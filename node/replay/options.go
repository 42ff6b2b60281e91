package replay

import (
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// Options are a player's settings. The zero value of a field is the default.
type Options struct {
	Source Source // such as Bags; open until Run has returned
	Output Output
	Clock  Clock // such as a System
	Log    zerolog.Logger

	Filter Filter
	Prefix string // before every topic name

	Rate      float64 // default 1
	Immediate bool    // don't wait for a message's time, but for room at the subscribers
	Paused    bool    // start paused

	ClockHz         float64  // rate of /clock; 0 is off
	ClockPerMessage bool     // also before each message
	ClockTopics     []string // only before messages of these (published names)
	FollowClock     bool     // bag time follows the times given to FollowTime

	Delay              time.Duration // after advertising
	WaitForSubscribers bool          // until each channel has one

	Start     time.Duration // from the first message of all bags
	StartAt   bagstore.Time // or this time, if not 0
	Duration  time.Duration // from the start; 0 is all
	Until     bagstore.Time // or up to this time, if not 0
	SkipEmpty time.Duration // jump over gaps longer than this; 0 is none

	Loop          bool
	LoopMonotonic bool   // each round continues the time line instead of jumping back
	LoopRange     *Range // the part that is repeated; nil is all
	KeepAlive     bool   // stay after the end, with the clock running

	PauseTopics []string // recorded names; pause before each of their messages

	RateControl         bool          // wait for the stamps given to RateControlStamp
	RateControlMaxDelay time.Duration // default 1 s

	Restamp bool // move header stamps to the time of publishing

	// OnStatus, if not nil, is called by Run's goroutine at 10 Hz and at every
	// change. It must not block.
	OnStatus func(Status)
}

// Range is a part of the bags, from the start of playing.
type Range struct{ From, To time.Duration }

func (o *Options) check() error {
	if o.Source == nil {
		o.Source = Bags(nil)
	}
	if o.Rate == 0 {
		o.Rate = 1
	}
	if o.RateControlMaxDelay == 0 {
		o.RateControlMaxDelay = time.Second
	}
	if o.LoopRange != nil {
		o.Loop = true
	}
	switch {
	case !validRate(o.Rate):
		return fmt.Errorf("rate %v is not above 0", o.Rate)
	case o.Duration < 0 || o.Start < 0 || o.SkipEmpty < 0 || o.Delay < 0:
		return fmt.Errorf("start %v, duration %v, skip-empty %v, delay %v: none may be negative", o.Start, o.Duration, o.SkipEmpty, o.Delay)
	case o.ClockHz < 0 || o.ClockHz > 1e6:
		return fmt.Errorf("clock rate %v Hz is not between 0 and 1 MHz", o.ClockHz)
	case o.LoopRange != nil && (o.LoopRange.From < 0 || o.LoopRange.To <= o.LoopRange.From):
		return fmt.Errorf("loop range %v to %v is empty", o.LoopRange.From, o.LoopRange.To)
	}
	return nil
}

// validRate keeps rates to what makes sense and can't overflow times.
func validRate(r float64) bool { return r >= 1e-6 && r <= 1e6 }
