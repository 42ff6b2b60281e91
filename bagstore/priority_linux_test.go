package bagstore

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLowerPriority checks that only the thread's priority changes, not the program's.
func TestLowerPriority(t *testing.T) {
	type pair struct{ before, after int }
	got := make(chan pair)
	go func() {
		runtime.LockOSThread() // never unlocked, so the thread ends with the goroutine
		var p pair
		p.before, _ = unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		lowerPriority()
		p.after, _ = unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		got <- p
	}()
	if p := <-got; p.after != max(p.before-10, 1) {
		t.Errorf("from %d to %d", 20-p.before, 20-p.after)
	}
}
