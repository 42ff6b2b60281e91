package live

import (
	"context"
	"errors"
	"time"
)

// steps end the parts of something that was started step by step.
type steps []func() error

// later adds a step.
func (s *steps) later(undo func() error) { *s = append(*s, undo) }

// laterDo adds a step that can't fail.
func (s *steps) laterDo(undo func()) { s.later(func() error { undo(); return nil }) }

// run runs do in a goroutine, and adds the step that cancels its context and waits for it.
func (s *steps) run(do func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(ctx)
	}()
	s.laterDo(func() { cancel(); <-done })
}

// undo removes the steps after the first keep, the last one first, and runs each.
func (s *steps) undo(keep int) error {
	var errs []error
	for i := len(*s) - 1; i >= keep; i-- {
		undo := (*s)[i]
		*s = (*s)[:i]
		errs = append(errs, undo())
	}
	return errors.Join(errs...)
}

// every calls do at a period until ctx ends.
func every(ctx context.Context, period time.Duration, do func(now time.Time)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			do(now)
		}
	}
}
