package d400

import (
	"errors"
	"fmt"

	"rsros/camdriver"
)

// ErrRecovery is an error of Open.
var ErrRecovery = errors.New("camera is in recovery mode")

var (
	errRecover = fmt.Errorf("%w; install firmware with rs-fw-update -r", ErrRecovery)
	errOther   = errors.New("does not match")
	errReset   = fmt.Errorf("hardware reset: %w", camdriver.ErrUnplugged)
	errShort   = errors.New("short reply")
	errAtRest  = errors.New("the camera doesn't stream")

	// Of streams.
	errSilent   = errors.New("no frame in time")
	errRepeated = errors.New("duplicate frame")
	errNoBuffer = errors.New("consumers hold all frame memory")
	errPatience = errors.New("no more data in time") // of a report
)
