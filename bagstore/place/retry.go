package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"time"

	"rsros/bagstore/place/internal/patience"
)

// Limits of trying again. Progress begins a new count.
const (
	maxTries   = 8
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
)

var errStalled = errors.New("the server sends nothing")

// tries counts the tries of a request.
type tries struct{ n int }

// again waits before the next try. It returns an error if there should be none.
func (t *tries) again(ctx context.Context, err error) error {
	t.n++
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrChanged), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, ErrUnusable):
		return err
	case t.n == maxTries:
		return fmt.Errorf("tried %d times: %w", t.n, err)
	}
	traffic.retries.Add(1)
	pause := patience.Of(min(firstPause<<(t.n-1), maxPause))
	timer := time.NewTimer(pause/2 + rand.N(pause))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// open opens an object of a store, with several tries.
func open(ctx context.Context, s Store, name string) (Object, error) {
	if _, local := s.(folders); local {
		return s.Open(ctx, name)
	}
	var t tries
	for {
		o, err := openOnce(ctx, s, name)
		if err == nil {
			return o, nil
		}
		if err = t.again(ctx, err); err != nil {
			return nil, err
		}
	}
}

func openOnce(ctx context.Context, s Store, name string) (Object, error) {
	ctx, _, done := stalling(ctx)
	defer done()
	traffic.requests.Add(1)
	o, err := s.Open(ctx, name)
	if err != nil {
		return nil, cause(ctx, err)
	}
	if h, ok := o.(Header); ok {
		traffic.fetched.Add(int64(len(h.Head())))
	}
	return o, nil
}

// stalling returns a context that ends if moved isn't called for patience.Silence.
func stalling(parent context.Context) (ctx context.Context, moved, done func()) {
	ctx, cancel := context.WithCancelCause(parent)
	wait := patience.Of(patience.Silence)
	timer := time.AfterFunc(wait, func() { cancel(errStalled) })
	return ctx, func() { timer.Reset(wait) }, func() {
		timer.Stop()
		cancel(nil)
	}
}

// cause returns errStalled for what that led to, and never io.EOF.
func cause(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		return errStalled
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}
