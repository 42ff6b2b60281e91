package main

import (
	"context"
	"errors"

	"rsros/program"
)

// Exit codes, by kind of failure. Scripts rely on them.
const (
	exitOK         = 0
	exitFailed     = 1 // could not be done: unreadable file, no disk, …
	exitUsage      = 2 // flags or arguments make no sense
	exitIncomplete = 3 // done, but something was damaged, lost or changed
	exitNoDevice   = 4 // the camera or file asked for isn't there
	exitNoMaster   = 5 // the ROS master asked for can't be reached or started
)

// usageError marks an error in flags or arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil, errors.Is(err, context.Canceled): // Ctrl-C is a normal end
		return exitOK
	case errors.As(err, &usage), errors.Is(err, program.ErrUsage):
		return exitUsage
	case errors.Is(err, program.ErrIncomplete):
		return exitIncomplete
	case errors.Is(err, program.ErrNoDevice):
		return exitNoDevice
	case errors.Is(err, program.ErrNoMaster):
		return exitNoMaster
	}
	return exitFailed
}
