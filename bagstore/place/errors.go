package place

import (
	"context"
	"errors"
	"fmt"
)

// Errors beside fs.ErrNotExist, fs.ErrExist and fs.ErrPermission.
var (
	// ErrChanged means that an object isn't the one that was opened any more.
	ErrChanged = errors.New("the object was replaced while it was read")
	// ErrScheme means that the program has no store for an address.
	ErrScheme = errors.New("no store for this kind of address")
	// ErrUnusable means that an address or a server can't be used at all.
	ErrUnusable = errors.New("it can't be used")
	// ErrReadOnly is the error for everything but reading files at http and https addresses.
	ErrReadOnly = errors.New(
		"files at http and https addresses can only be read one by one; they can't be listed or written")
	// ErrLocked means that another program, or another part of this one, has the file locked, as who writes it does.
	ErrLocked = errors.New("another recorder is writing it")
	// ErrGone means that another program deleted, replaced or truncated a file that is being written.
	ErrGone = errors.New("the file being written was deleted, replaced or truncated")

	errRoom     = errors.New("no room for a temporary file") // of an object
	errTerminal = errors.New("it is a terminal or another device, not a pipe or a file")
)

// Error is an error of reading a place. It doesn't mean that the file is damaged.
type Error struct {
	Name   string
	Offset int64
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("read %s at byte %d: %v", e.Name, e.Offset, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Ended reports whether an error is a context's or an [*Error]: it ends reading and says nothing about what is read.
func Ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*Error))
}
