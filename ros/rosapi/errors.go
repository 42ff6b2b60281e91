package rosapi

import (
	"errors"
	"fmt"
)

// Error is an unsuccessful answer of a master or a node.
type Error struct {
	Method string
	Code   int // 0: the call failed, -1: the call was invalid
	Status string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: code %d: %s", e.Method, e.Code, e.Status) }

// ErrClosed is returned by methods after the node or the object was closed.
var ErrClosed = errors.New("ros: closed")
