package place

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Commits makes a Target safe from a power cut while it is written, one commit at a time. It is for one goroutine.
type Commits struct {
	*Target
	every time.Duration
	now   func() time.Time
	next  time.Time // when a commit is due

	busy    atomic.Bool
	running sync.WaitGroup // the commit in the background
	mu      sync.Mutex
	// mu guards:
	err error // of commits in the background
}

// usualCommit is how often files are made safe while they are written.
const usualCommit = 500 * time.Millisecond

// NewCommits returns the commits of a file. One is due after each interval: 0 is half a second, a negative one means
// never. now is the clock; nil is the machine's.
func NewCommits(t *Target, every time.Duration, now func() time.Time) *Commits {
	if now == nil {
		now = time.Now
	}
	every = cmp.Or(every, usualCommit)
	return &Commits{Target: t, every: every, now: now, next: now().Add(every)}
}

// Due reports whether it is time for a commit and none is running. The error is that of an earlier one, or ErrGone if
// another program has taken the file away or it has fewer than least bytes.
func (c *Commits) Due(least int64) (bool, error) {
	now := c.now()
	if err := c.failed(); err != nil || now.Before(c.next) || c.busy.Load() || c.every < 0 {
		return false, err
	}
	c.next = now.Add(c.every)
	err := c.Gone(least)
	return err == nil, err
}

// Go commits in the background. None must be running.
func (c *Commits) Go(commit func() error) {
	c.busy.Store(true)
	c.running.Go(func() {
		defer c.busy.Store(false)
		if err := commit(); err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.err = fmt.Errorf("commit: %w", err)
		}
	})
}

// Wait waits for the commit in the background, and returns the error of an earlier one, too.
func (c *Commits) Wait() error {
	c.running.Wait()
	return c.failed()
}

func (c *Commits) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
