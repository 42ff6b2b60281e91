package viewer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// errEnded is returned for requests after Close.
var errEnded = errors.New("the viewer's server has been closed")

// own executes functions that change the stage or what it does, one after the other, until Close.
func (s *Server) own() {
	for {
		select {
		case f := <-s.inbox:
			f()
		case <-s.ctx.Done():
			return
		}
	}
}

// do executes f on the owner's goroutine and returns its error, or an error if ctx ends before it is f's
// turn. A panic of f is one of the caller.
func (s *Server) do(ctx context.Context, f func() error) (err error) {
	panicked, done := "", make(chan struct{})
	run := func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		err = f()
	}
	select {
	case s.inbox <- run:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.ctx.Done():
		return errEnded
	}
	if <-done; panicked != "" {
		panic(panicked)
	}
	return err
}
