package recorded

import (
	"context"
	"sync"
	"time"

	"rsros/camdriver"
	"rsros/replay"
)

// clock is a driver's clock as a player's. It runs evenly even if the wall clock is set.
type clock struct {
	camdriver.Clock
	start time.Time

	mu     sync.Mutex
	woken  bool
	cancel context.CancelFunc // ends the wait; nil without one
}

func newClock(c camdriver.Clock) *clock { return &clock{Clock: c, start: c.Now()} }

// Now implements replay.Clock.
func (c *clock) Now() replay.Wall {
	return replay.Wall(c.start.UnixNano() + int64(c.Clock.Now().Sub(c.start)))
}

// Wait implements replay.Clock.
func (c *clock) Wait(t replay.Wall) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.mu.Lock()
	woken := c.woken
	c.woken, c.cancel = false, cancel
	c.mu.Unlock()
	if !woken {
		_ = c.SleepUntil(ctx, c.start.Add(time.Duration(t-replay.Wall(c.start.UnixNano())))) // ends early if woken
	}
	c.mu.Lock()
	c.woken, c.cancel = false, nil
	c.mu.Unlock()
}

// Wake implements replay.Clock.
func (c *clock) Wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.woken = true; c.cancel != nil {
		c.cancel()
	}
}
