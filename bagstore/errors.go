package bagstore

import (
	"errors"
	"fmt"
)

var (
	ErrNotBag     = errors.New("not a bag")
	ErrVersion    = errors.New("unsupported bag version")
	ErrEncrypted  = errors.New("encrypted bags are not supported")
	ErrClosed     = errors.New("bag is closed")
	ErrConnection = errors.New("unknown connection")
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
