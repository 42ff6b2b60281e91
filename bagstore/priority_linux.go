package bagstore

import "golang.org/x/sys/unix"

// lowerPriority lowers the priority of the thread that calls it. With this much, it gets
// a tenth of a processor that others want, too, so that it doesn't hold up the garbage
// collector for long, which waits for all threads.
func lowerPriority() {
	const by, lowest = 10, 19
	thread := unix.Gettid()
	// The system call returns 20 minus the priority.
	if now, err := unix.Getpriority(unix.PRIO_PROCESS, thread); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, thread, min(20-now+by, lowest)) // without it, reading ahead is less quiet
	}
}
