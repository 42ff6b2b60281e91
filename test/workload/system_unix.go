//go:build unix

package workload

import (
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/test/need"
)

// Guarded returns at least n bytes, which are valid until the test ends.
func Guarded(tb testing.TB, n int) GuardedMemory {
	page := os.Getpagesize()
	n = (n + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, page+n+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	need.Must(tb, err)
	tb.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			tb.Error(err)
		}
	})
	for _, guard := range [][]byte{all[:page], all[page+n:]} {
		need.Must(tb, unix.Mprotect(guard, unix.PROT_NONE))
	}
	return GuardedMemory(all[page : page+n : page+n])
}

// CPUTime is the time of this process in seconds, in user mode and in the kernel; zeros if
// the system doesn't tell.
func CPUTime() (user, system float64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return float64(u.Utime.Nano()) / 1e9, float64(u.Stime.Nano()) / 1e9
}
