package work

import (
	"context"
	"sync"
	"time"
)

// Run runs do in a goroutine. stop cancels do's context and waits until it has returned; it may be called twice.
func Run(ctx context.Context, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { do(ctx) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// Every calls do at a period until ctx ends. do may end ctx, and isn't called again then.
func Every(ctx context.Context, period time.Duration, do func(now time.Time)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case now := <-tick.C:
			do(now)
		}
	}
}
