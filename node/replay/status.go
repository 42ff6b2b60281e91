package replay

import (
	"time"

	"rsros/bagstore"
)

// State is what a player does.
type State string

// The states. Bag time stands still in all but Running.
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
	// Time is the bag time reached, as /clock gives it; Position and Length count
	// from the first message played.
	Time             bagstore.Time
	Position, Length time.Duration
	Rate             float64
	Loop             bool
	Round            int           // of a loop, from 0
	Late             time.Duration // of the last message, behind its time
	WorstLate        time.Duration
	Behind           time.Duration // of the rate control topic
	Messages, Bytes  uint64        // published
	Dropped          uint64        // by slow subscribers' queues
}

// statusPeriod is the time between two reports while nothing changes.
const statusPeriod = 100 * time.Millisecond

// ReadableTime shows a bag time: as a date, or as an offset where the bag counts
// from 0, as the SDK's do.
func ReadableTime(t bagstore.Time) string {
	if t < firstEpoch {
		return t.Sub(0).Round(time.Microsecond).String()
	}
	return t.Std().UTC().Format("2006-01-02 15:04:05.000000")
}
