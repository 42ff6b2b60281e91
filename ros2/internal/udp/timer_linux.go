package udp

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Timer waits to some 50 µs, where time.Sleep rounds up to the milliseconds of epoll_wait. The zero value is ready, and
// one goroutine may use it.
type Timer struct {
	fd   int
	file *os.File // readable once the time has passed; nil: not opened yet
}

// Sleep waits.
func (t *Timer) Sleep(d time.Duration) {
	if t.file == nil {
		fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
		if err != nil {
			time.Sleep(d) // out of file descriptors
			return
		}
		t.fd, t.file = fd, os.NewFile(uintptr(fd), "timerfd")
	}
	var expired [8]byte
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	if unix.TimerfdSettime(t.fd, 0, &spec, nil) != nil {
		time.Sleep(d)
	} else if _, err := t.file.Read(expired[:]); err != nil {
		time.Sleep(d)
	}
}

// Close frees the timer.
func (t *Timer) Close() {
	if t.file != nil {
		t.file.Close() //nolint:errcheck // nothing is buffered
	}
}
