//go:build unix

package cputime

import "syscall"

// Used is the time of this process in seconds, in user mode and in the kernel; zeros if
// the system doesn't tell.
func Used() (user, system float64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return float64(u.Utime.Nano()) / 1e9, float64(u.Stime.Nano()) / 1e9
}
