package node

import "errors"

// Kinds of failure that commands turn into exit codes.
var (
	ErrNoDevice   = errors.New("no such device")              // the camera or file asked for isn't there
	ErrNoMaster   = errors.New("no ROS master")               // the master asked for can't be reached or started
	ErrIncomplete = errors.New("not everything came through") // done, but something was lost or damaged on the way
	ErrUsage      = errors.New("wrong usage")                 // settings that contradict each other or make no sense
)
