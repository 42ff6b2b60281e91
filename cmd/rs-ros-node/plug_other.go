//go:build !unix

package main

import "os"

// plugSignals is empty on systems without such signals.
var plugSignals []os.Signal
