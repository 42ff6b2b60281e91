package replay

import (
	"time"

	"rsros/program/work"
)

// Wall is an instant of a Clock: nanoseconds since 1970.
type Wall int64

// never is later than every instant.
const never = Wall(1<<63 - 1)

// Clock is a player's source of time. System is the machine's clock.
type Clock interface {
	Now() Wall
	// Wait returns at t, or earlier if Wake was called since the last Wait returned. It is called by the goroutine of Run.
	Wait(t Wall)
	// Wake ends the current or the next Wait. It may be called from any goroutine.
	Wake()
}

// evenTime runs evenly from the wall clock's time, even if that is set.
type evenTime struct{ start time.Time }

func (e evenTime) Now() Wall { return Wall(e.start.UnixNano() + int64(time.Since(e.start))) }

// until returns the time left, at most a day so that it fits a timer.
func (e evenTime) until(t Wall) time.Duration {
	const most = 24 * time.Hour
	if t > e.Now()+Wall(most) {
		return most
	}
	return time.Duration(t - e.Now())
}

// Timers is the machine's clock, as precise as Go's timers: a System's but on Linux, and one for testing/synctest.
type Timers struct {
	evenTime
	wake work.Signal
}

// NewTimers returns the machine's clock.
func NewTimers() *Timers { return &Timers{evenTime{time.Now()}, work.NewSignal()} }

func (c *Timers) Wait(t Wall) {
	timer := time.NewTimer(c.until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.wake:
	}
}

func (c *Timers) Wake() { c.wake.Set() }
