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
	// ErrGone means that another program deleted, replaced or truncated the file during the
	// recording.
	ErrGone = place.ErrGone
)

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
