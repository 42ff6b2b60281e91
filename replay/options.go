package replay

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// Options configure a player. Source, Output and Clock are required; the zero value of
// every other field is the default.
type Options struct {
	Source Source // must stay open until Run has returned
	Output Output
	Clock  Clock // a System, or a test's
	Log    zerolog.Logger

	// OnStatus, if not nil, is called at 10 Hz and at every change, by Run's goroutine. It must not block.
	OnStatus func(Status)

	// Interrupt, if not nil, is called at the end of Run, which waits for the source. It must
	// make a pending read of the source return, such as one over a network.
	Interrupt func()

	// StampShifts are added to the header stamps of connections. It may be nil.
	StampShifts map[*bagstore.Connection]bagstore.Time

	// Ahead bounds what is read ahead, in bytes and one message; 0 is 8 MiB.
	Ahead int64

	// Idle holds time until a Reselect says that there is something to play.
	Idle bool

	// RateControl delays playback while the stamps submitted as RateControlStamp
	// lag by more than Settings.RateControlMaxDelay.
	RateControl bool

	Settings
}

// Settings play everything once, at the recorded speed, if they are zero.
type Settings struct {
	Filter Filter
	Prefix string `setting:"prefix"` // of every published topic name

	Rate      float64 `setting:"rate"`      // speed; 0 means 1
	Immediate bool    `setting:"immediate"` // wait for room in the subscribers' queues instead of a message's time
	Paused    bool    `setting:"pause"`     // start paused

	ClockHz         float64 // rate of /clock; 0 disables it
	ClockPerMessage bool    `setting:"clock-per-message"` // publish /clock before each message as well
	// published names; if not empty, only before messages of these topics
	ClockTopics []string `setting:"clock-topics"`
	FollowClock bool     `setting:"follow-clock"` // bag time follows the times submitted as FollowTime

	Delay              time.Duration `setting:"delay"`                // between advertising and the first message
	WaitForSubscribers bool          `setting:"wait-for-subscribers"` // wait until every channel has a subscriber

	// where to start, if not zero; Duration counts from there even if it is before the first message
	Start     bagstore.Moment
	Duration  time.Duration   `setting:"duration"` // length to play, in bag time; 0 means all
	End       bagstore.Moment // where to stop at the latest, if not zero
	SkipEmpty time.Duration   `setting:"skip-empty"` // jump over gaps longer than this; 0 means never

	Loop          bool   `setting:"loop"`           // begin again at the end
	LoopMonotonic bool   `setting:"loop-monotonic"` // each round continues the time line instead of jumping back
	LoopRange     *Range // the part to repeat, which sets Loop; nil means all
	KeepAlive     bool   `setting:"keep-alive"` // stay after the end, with the clock running

	PauseTopics []string `setting:"pause-topics"` // recorded names; pause before each of their messages

	RateControlMaxDelay time.Duration `setting:"rate-control-max-delay"` // see Options.RateControl

	Restamp bool `setting:"restamp"` // move header stamps to the time of publishing
}

// Range is a part of what is played, counted from its first message.
type Range struct{ From, To time.Duration }

// Check returns an error if a setting is invalid. New calls it.
func (s Settings) Check() error {
	r := s.LoopRange
	switch {
	case s.Rate != 0 && !validRate(s.Rate):
		return fmt.Errorf("rate %v is not above 0", s.Rate)
	case s.Duration < 0 || s.SkipEmpty < 0 || s.Delay < 0:
		return fmt.Errorf("duration %v, skip-empty %v, delay %v: none may be negative", s.Duration, s.SkipEmpty, s.Delay)
	case !(s.ClockHz >= 0 && s.ClockHz <= 1e6):
		return fmt.Errorf("clock rate %v Hz is not between 0 and 1 MHz", s.ClockHz)
	case r != nil && (r.From < 0 || r.To <= r.From):
		return fmt.Errorf("loop range %v to %v is empty", r.From, r.To)
	}
	return nil
}

// between returns the times to play. first returns the time of the first message.
func (s Settings) between(first func() (bagstore.Time, bool)) (from, to bagstore.Time, err error) {
	if from, to = s.Start.In(first), bagstore.MaxTime; from == 0 {
		from, _ = first()
	}
	if s.Duration > 0 {
		to = from.Add(s.Duration)
	}
	if end := s.End.In(first); end != 0 {
		to = min(to, end)
	}
	if to < from {
		return 0, 0, fmt.Errorf("the end, %s, is before the start, %s", ReadableTime(to), ReadableTime(from))
	}
	return from, to, nil
}

func (o *Options) complete() {
	if o.Source == nil {
		o.Source = Bags(nil)
	}
	o.Ahead = cmp.Or(o.Ahead, aheadBytes)
	o.Rate = cmp.Or(o.Rate, 1)
	if o.LoopRange != nil {
		o.Loop = true
	}
}

// validRate limits rates to values that can't overflow times.
func validRate(r float64) bool { return r >= 1e-6 && r <= 1e6 }

// ParseRange parses FROM:TO in seconds. It returns nil for an empty text.
func ParseRange(text string) (*Range, error) {
	if text == "" {
		return nil, nil
	}
	from, to, ok := strings.Cut(text, ":")
	f, err := bagstore.ParseSeconds(from)
	t, err2 := bagstore.ParseSeconds(to)
	if !ok || err != nil || err2 != nil || f >= t {
		return nil, fmt.Errorf("range %q: want FROM:TO in seconds", text)
	}
	return &Range{f, t}, nil
}
