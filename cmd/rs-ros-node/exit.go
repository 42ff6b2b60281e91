package main

import (
	"context"
	"errors"

	"rsros/bagstore/tools/bagset"
	"rsros/bagstore/tools/export"
	"rsros/bagstore/tools/reprocess"
	"rsros/program"
)

// Exit codes. Scripts rely on them.
const (
	exitOK         = 0
	exitFailed     = 1 // not done: unreadable file, full disk, …
	exitUsage      = 2 // wrong flags or arguments
	exitIncomplete = 3 // done, but with damage, loss or change
	exitNoDevice   = 4 // no such camera or file
	exitNoMaster   = 5 // the ROS master can't be reached or started
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
