package graph

import (
	"context"
	"sync"

	"rsros/node/ros"
)

// UntilKilled returns a context that also ends when rosnode kill, or a node that
// takes n's name, asks n to end. Call done when the context is no longer needed.
func UntilKilled(ctx context.Context, n *ros.Node) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-n.Done():
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel()
		wg.Wait()
	}
}
