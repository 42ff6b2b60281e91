package replay

import (
	"sync/atomic"
	"time"

	"rsros/bagstore"
)

// State is what a player is doing.
type State string

// The states. Bag time goes on only in Running.
const (
	Waiting  State = "waiting" // for the delay after advertising, and for subscribers
	Running  State = "running"
	Paused   State = "paused"
	Delayed  State = "delayed" // by rate control
	Finished State = "finished"
)

// Status is a player's state at one moment.
type Status struct {
	State State
	// Time is the bag time reached, as /clock shows it. Position and Length count
	// from the first message that is played.
	Time             bagstore.Time
	Position, Length time.Duration
	Rate             float64
	Loop             bool
	Range            *Range        // what is looped over; nil is all
	Round            int           // of a loop, from 0
	Jumps            int           // how often the position was set, by seeks and by loops
	Late             time.Duration // how long after its time the last message was published
	WorstLate        time.Duration // the most that any message was late
	Behind           time.Duration // how far the rate control topic lags
	Messages, Bytes  uint64        // published so far
	Dropped          uint64        // lost by slow subscribers; a message that two lost counts twice
	Skipped          uint64        // what wasn't made because the machine was too slow (Skipper)
}

// statusPeriod is the time between two reports while nothing changes.
const statusPeriod = 100 * time.Millisecond

// reports are what a player says of itself.
type reports struct {
	messages, bytes atomic.Uint64 // published so far

	counted  Status // what counts up while playing; the rest is zero
	next     Wall   // when the next report is due
	last     atomic.Pointer[Status]
	onStatus func(Status) // may be nil
}

// late counts how late a message was published.
func (r *reports) late(d time.Duration) {
	r.counted.Late = d
	r.counted.WorstLate = max(r.counted.WorstLate, d)
}

// made counts a message that was published. Any goroutine may call it.
func (r *reports) made(size int) {
	r.messages.Add(1)
	r.bytes.Add(uint64(size))
}

func (r *reports) publish(s Status) {
	s.Messages, s.Bytes = r.messages.Load(), r.bytes.Load()
	r.last.Store(&s)
	if r.onStatus != nil {
		r.onStatus(s)
	}
}

// ReadableTime formats a bag time: as a date, or as a duration in bags whose times
// count from 0, as those of the RealSense SDK do.
func ReadableTime(t bagstore.Time) string {
	if !t.Absolute() {
		return t.Sub(0).Round(time.Microsecond).String()
	}
	return t.Std().UTC().Format("2006-01-02 15:04:05.000000")
}
