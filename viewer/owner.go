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
	done := make(chan string, 1) // a panic
	run := func() {
		panicked := ""
		defer func() {
			if p := recover(); p != nil {
				panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			done <- panicked
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
	if p := <-done; p != "" {
		panic(p)
	}
	return err
}

// attempt executes f on the owner's goroutine, unless that is busy. It doesn't wait.
func (s *Server) attempt(f func()) {
	select {
	case s.inbox <- f:
	default:
	}
}
