package dataset

import "errors"

// Errors that Run returns before it writes anything.
var (
	ErrForm    = errors.New("unknown form of data sets")
	ErrStreams = errors.New("the recording lacks streams that the form needs")
)

// ErrUnfinished means that a file isn't completed because of another error.
var ErrUnfinished = errors.New("unfinished")

// errFrames means that a recording's tf doesn't connect frames in one way.
var errFrames = errors.New("no transforms")
