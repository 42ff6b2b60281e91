package camdriver

import (
	"context"
	"time"
)

// Clock is where a driver gets its time. Tests move it by hand; System is the
// machine's.
type Clock interface {
	Now() time.Time
	// SleepUntil returns at t, or earlier with ctx's error.
	SleepUntil(ctx context.Context, t time.Time) error
}

// System is the machine's clock.
type System struct{}

// Now is time.Now.
func (System) Now() time.Time { return time.Now() }

// SleepUntil waits on a timer.
func (System) SleepUntil(ctx context.Context, t time.Time) error {
	d := time.Until(t)
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
