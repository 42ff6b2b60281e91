package server

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"rsros/program/work"
)

const (
	// Silence is how long a server may send nothing.
	Silence = 30 * time.Second
	// WriteStallTimeout is how long a server may take nothing of what is sent, and send nothing. Slow links hold
	// megabytes in their queues.
	WriteStallTimeout = 2 * time.Minute

	firstPause = 150 * time.Millisecond
	maxPause   = 7500 * time.Millisecond
)

// ErrStalled means that there was no progress for too long.
var ErrStalled = errors.New("the server sends nothing")

var testScale atomic.Int64

// Scaled returns how long to wait instead of d: d, divided by the factor of ScaleForTest.
func Scaled(d time.Duration) time.Duration { return d / time.Duration(max(1, testScale.Load())) }

// ScaleForTest divides all waits by a factor, until the returned function is called. It is for tests.
func ScaleForTest(factor int64) (restore func()) {
	before := testScale.Swap(factor)
	return func() { testScale.Store(before) }
}

// Pause waits after the n-th try that failed, counted from 1. It returns the error of ctx if that ends.
func Pause(ctx context.Context, n int) error {
	timer := time.NewTimer(Scaled(work.Backoff(n, firstPause, maxPause)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Within returns a context that ends with ErrStalled as its cause if moved isn't called for d.
func Within(parent context.Context, d time.Duration) (ctx context.Context, moved, done func()) {
	ctx, cancel := context.WithCancelCause(parent)
	d = Scaled(d)
	timer := time.AfterFunc(d, func() { cancel(ErrStalled) })
	return ctx, func() { timer.Reset(d) }, func() {
		timer.Stop()
		cancel(nil)
	}
}
