package bagstore

import "golang.org/x/sys/unix"

// lowerPriority lowers the priority of the calling thread. On a contended processor it still gets a tenth of the time,
// so that it doesn't hold up the garbage collector, which waits for all threads.
func lowerPriority() {
	const by, lowest = 10, 19
	thread := unix.Gettid()
	// The system call returns 20 minus the priority.
	if now, err := unix.Getpriority(unix.PRIO_PROCESS, thread); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, thread, min(20-now+by, lowest)) // without it, reading ahead is less quiet
	}
}
