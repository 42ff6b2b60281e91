package process

import "errors"

// Errors of blocks.
var (
	ErrUncalibrated = errors.New("unknown calibration") // intrinsics or extrinsics are missing
	ErrNoBuffer     = errors.New("all buffers in use")  // drop the frame set
	ErrBadFrame     = errors.New("inconsistent frame")  // for example, too few bytes for its size
)
