package camdriver

import (
	"context"
	"time"
)

// Clock is a driver's source of time. Tests use one that they advance themselves.
type Clock interface {
	Now() time.Time
	// SleepUntil waits until t. It returns ctx's error if ctx is done first.
	SleepUntil(ctx context.Context, t time.Time) error
}

// System is the host's clock.
type System struct{}

// Now returns time.Now().
func (System) Now() time.Time { return time.Now() }

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
