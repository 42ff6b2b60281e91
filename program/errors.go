package program

import "errors"

// Kinds of failure. Each has its own exit code. Any other error means that the
// work could not be done.
var (
	ErrNoDevice   = errors.New("no such device")              // the camera or file asked for isn't there
	ErrNoMaster   = errors.New("no ROS master")               // the master asked for can't be reached or started
	ErrIncomplete = errors.New("not everything came through") // done, but something was lost or damaged on the way
	ErrUsage      = errors.New("wrong usage")                 // settings that contradict each other or make no sense
)
