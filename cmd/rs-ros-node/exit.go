package main

import (
	"context"
	"errors"

	"rsros/bagstore/tools/bagset"
	"rsros/bagstore/tools/export"
	"rsros/bagstore/tools/reprocess"
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
	var loss *bagset.LossError
	switch {
	case err == nil, errors.Is(err, context.Canceled): // Ctrl-C is a normal end
		return exitOK
	case errors.As(err, &usage), errors.Is(err, program.ErrUsage),
		errors.Is(err, bagset.ErrSelection), errors.Is(err, export.ErrTarget), errors.Is(err, reprocess.ErrDisparity):
		return exitUsage
	case errors.Is(err, program.ErrIncomplete), errors.As(err, &loss):
		return exitIncomplete
	case errors.Is(err, program.ErrNoDevice):
		return exitNoDevice
	case errors.Is(err, program.ErrNoMaster):
		return exitNoMaster
	}
	return exitFailed
}
