package bagstore

import (
	"errors"
	"fmt"

	"rsros/bagstore/place"
)

var (
	// ErrClosed means that a recording that is being written was closed.
	ErrClosed = errors.New("bag is closed")
	// ErrLocked means that another Writer, of this or another process, is writing the file.
	ErrLocked = place.ErrLocked
	// ErrGone means that another program deleted, replaced or truncated the file during the recording.
	ErrGone = place.ErrGone
)

// LostBlocks is the error for blocks of a view none of whose messages can be found.
type LostBlocks struct {
	Messages uint64 // of the selected connections, according to the blocks' descriptions
	Err      error  // of the first one
}

func (e *LostBlocks) Error() string { return fmt.Sprintf("%v (%d messages)", e.Err, e.Messages) }

// Unwrap returns e.Err.
func (e *LostBlocks) Unwrap() error { return e.Err }

// LostMessages returns how many messages couldn't be read because of an error of an iterator.
func LostMessages(err error) uint64 {
	if e, ok := errors.AsType[*LostBlocks](err); ok {
		return e.Messages
	}
	return 1
}

// FormatError is an error in the contents of a file.
type FormatError struct {
	Path   string
	Offset int64  // of the record in the file
	Kind   string // of the record: "chunk", "message", ...
	Err    error
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: %s at byte %d: %v", e.Path, e.Kind, e.Offset, e.Err)
}

// Unwrap returns e.Err.
func (e *FormatError) Unwrap() error { return e.Err }
