package replay

import (
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// System is the machine's clock. Its waits end within some 50 µs: Go's own
// timers are rounded to the milliseconds of epoll_wait, a timerfd isn't.
type System struct {
	evenTime
	fd    int
	timer *os.File // reads when the time set is over
	woken atomic.Bool
}

// NewSystem returns the machine's clock. Close gives it back.
func NewSystem() (*System, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &System{evenTime: evenTime{time.Now()}, fd: fd, timer: os.NewFile(uintptr(fd), "timerfd")}, nil
}

// Close ends the clock after its last use.
func (s *System) Close() error { return s.timer.Close() }

// Wait sleeps until t.
func (s *System) Wait(t Wall) {
	for left := s.until(t); left > 0; left = s.until(t) {
		s.set(left)
		if s.woken.Swap(false) { // before the timer was set, or it reads at once
			return
		}
		var expirations [8]byte
		if _, err := s.timer.Read(expirations[:]); err != nil {
			return
		}
		if s.woken.Swap(false) {
			return
		}
	}
}

// Wake ends a Wait.
func (s *System) Wake() {
	s.woken.Store(true)
	s.set(1)
}

// set makes the timer read after d. It can't fail on a timerfd with these values.
func (s *System) set(d time.Duration) {
	_ = unix.TimerfdSettime(s.fd, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}, nil)
}
