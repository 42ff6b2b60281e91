package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"rsros/bagstore/place/internal/server"
)

// maxTries bounds the tries of a request. Progress begins a new count.
const maxTries = 8

// retry calls do until it has no error, or one that doesn't pass. do reports whether it made progress.
func retry(ctx context.Context, do func() (moved bool, err error)) error {
	for n := 1; ; n++ {
		moved, err := do()
		if moved {
			n = 1
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrChanged), errors.Is(err, fs.ErrNotExist),
			errors.Is(err, fs.ErrPermission), errors.Is(err, ErrUnusable):
			return err
		case n == maxTries:
			return fmt.Errorf("tried %d times: %w", n, err)
		}
		traffic.retries.Add(1)
		if err := server.Pause(ctx, n); err != nil {
			return err
		}
	}
}

// open opens an object of a store, with several tries.
func open(ctx context.Context, s Store, name string) (o Object, err error) {
	if _, local := s.(folders); local {
		return s.Open(ctx, name)
	}
	err = retry(ctx, func() (bool, error) {
		o, err = openOnce(ctx, s, name)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

func openOnce(ctx context.Context, s Store, name string) (Object, error) {
	ctx, _, done := server.Within(ctx, server.Silence)
	defer done()
	traffic.requests.Add(1)
	o, err := s.Open(ctx, name)
	if err != nil {
		return nil, cause(ctx, err)
	}
	if err := checkSize(o.Info()); err != nil {
		return nil, err
	}
	if h, ok := o.(Header); ok {
		traffic.fetched.Add(int64(len(h.Head())))
	}
	return o, nil
}

// maxSize bounds sizes, so that nothing computed from offsets overflows. Stores have 50 TB at most.
const maxSize = 1 << 50

// checkSize checks the size that a server says an object has.
func checkSize(i Info) error {
	if i.Size < 0 || i.Size > maxSize {
		return fmt.Errorf("%s: the server says it has %d bytes: %w", i.Name, i.Size, ErrUnusable)
	}
	return nil
}

// cause returns server.ErrStalled for what that led to, and never io.EOF.
func cause(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), server.ErrStalled):
		return server.ErrStalled
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}
