package replay

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// Wall is an instant of a Clock: nanoseconds since 1970.
type Wall int64

// never is later than every instant.
const never = Wall(1<<63 - 1)

// Clock is where a player gets its time from.
type Clock interface {
	Now() Wall
	// Wait returns at t, or earlier if wake is ready or ctx has ended.
	Wait(ctx context.Context, t Wall, wake <-chan struct{})
}

// System is the machine's clock. It starts at the wall clock's time and then
// runs evenly, whatever happens to the wall clock.
type System struct{ start time.Time }

// NewSystem returns the machine's clock.
func NewSystem() *System { return &System{time.Now()} }

// Now is the time.
func (s *System) Now() Wall { return Wall(s.start.UnixNano() + int64(time.Since(s.start))) }

// coarse is how late Go's timers may be: the runtime's poller counts in
// milliseconds. What is left below it is slept in the kernel, to some 50 µs.
const coarse = Wall(1500 * time.Microsecond)

// Wait sleeps until t.
func (s *System) Wait(ctx context.Context, t Wall, wake <-chan struct{}) {
	if left := t - s.Now(); left > coarse {
		timer := time.NewTimer(time.Duration(left - coarse))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-wake:
			return
		case <-ctx.Done():
			return
		}
	}
	select {
	case <-wake:
		return
	default:
	}
	if left := t - s.Now(); left > 0 && ctx.Err() == nil {
		ts := unix.NsecToTimespec(int64(left))
		_ = unix.Nanosleep(&ts, nil) // interrupted early: the caller looks at the clock again
	}
}
