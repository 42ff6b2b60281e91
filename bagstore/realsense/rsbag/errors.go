package rsbag

import (
	"errors"
	"fmt"
)

// What can't be done is camdriver.ErrUnsupported, and what isn't there is camdriver.ErrNotFound.
var (
	// ErrNoRecording means that a bag has no topics of the layout.
	ErrNoRecording = errors.New("no RealSense recording")
	// ErrCamera means that a recording has no camera of the name that was chosen, ErrSeveral that one has to be named.
	ErrCamera  = errors.New("choose a camera of the recording")
	ErrSeveral = fmt.Errorf("%w, which has several", ErrCamera)
	// ErrReserved is returned for topics that a recording of devices uses itself.
	ErrReserved = errors.New("the topic belongs to the recording's devices")
)

// TypeError is a message of another type than its topic says.
type TypeError struct{ Topic, Want, Have string }

func (e *TypeError) Error() string { return "expected " + e.Want + ", found " + e.Have }
