package replay

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// State is a player's state.
type State string

// The states. Bag time advances only in Running.
const (
	Waiting  State = "waiting" // for the delay after advertising, and for subscribers
	Running  State = "running"
	Paused   State = "paused"
	Delayed  State = "delayed" // by rate control
	Stalled  State = "stalled" // until messages are read
	Finished State = "finished"
)

// Status is a player's state at one moment.
type Status struct {
	State State
	// Time is the current bag time, as published on /clock. Position and Length count
	// from the first message that is played.
	Time             bagstore.Time
	Position, Length time.Duration
	Rate             float64
	Loop             bool
	Range            *Range        // loop range; nil means all
	Round            int           // of a loop, from 0
	Jumps            int           // number of seeks and loop restarts
	Late             time.Duration // lateness of the last message
	WorstLate        time.Duration // largest lateness of any message
	Stalls           int           // number of times that bag time was held because a message wasn't read in time
	Stalled          time.Duration // total time of stalls
	Behind           time.Duration // lag of the rate control topic
	// published so far; without the bytes that a Deferred didn't make, for lack of subscribers
	Messages, Bytes uint64
	Dropped         uint64 // drops, counted per subscriber
	Skipped         uint64 // computations skipped because the machine was too slow
	HeldUp          string // the subscriber that the next message waits for, with Settings.Immediate
}

// statusPeriod is the interval of reports while nothing changes.
const statusPeriod = 100 * time.Millisecond

type reports struct {
	messages, bytes atomic.Uint64 // published so far

	counted    Status    // counters and HeldUp; other fields are zero
	warnHeldUp sync.Once // many subscribers take long
	next       Wall      // when the next report is due
	last       atomic.Pointer[Status]
	onStatus   func(Status) // may be nil
}

func (r *reports) late(d time.Duration) {
	r.counted.Late = d
	r.counted.WorstLate = max(r.counted.WorstLate, d)
}

// countPublished counts a published message. It may be called from any goroutine.
func (r *reports) countPublished(size int) {
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

// problems lists what couldn't be played. Each entry is logged once, as a warning.
type problems struct {
	log  zerolog.Logger
	mu   sync.Mutex
	list []string
}

const maxProblems = 100

func (p *problems) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) < maxProblems && !slices.Contains(p.list, text) {
		p.list = append(p.list, text)
		p.log.Warn().Msg(text)
	}
}

func (p *problems) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}
