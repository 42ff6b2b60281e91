//go:build unix

package main

import (
	"os"
	"syscall"
)

// plugSignals pull the cameras of usb-serve out, and plug them in.
var plugSignals = []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}
