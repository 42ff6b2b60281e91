package program

import "errors"

// Errors with their own exit codes.
var (
	ErrNoDevice   = errors.New("no such device")                // the requested camera or file doesn't exist
	ErrNoMaster   = errors.New("no ROS master")                 // the master cannot be reached or started
	ErrIncomplete = errors.New("some data was lost or damaged") // done, but data was lost or damaged
	ErrUsage      = errors.New("wrong usage")                   // invalid or contradictory settings
)
