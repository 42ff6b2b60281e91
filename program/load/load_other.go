//go:build !linux

package load

import "time"

// Now returns the Usage until now, of which only the time is known.
func Now() Usage { return Usage{At: time.Now()} }
