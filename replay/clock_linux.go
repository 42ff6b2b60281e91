package replay

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Precision describes the precision of System's waits.
const Precision = "yes: timerfd, 50 µs"

// System is the machine's clock. Its waits end within some 50 µs of their time: Go's own timers
// are rounded to the milliseconds of epoll_wait, a timerfd is not.
type System struct {
	evenTime
	fd    int
	timer *os.File // readable once the time set has passed
	raw   syscall.RawConn
	woken atomic.Bool

	step  func(fd uintptr) bool
	left  time.Duration // of the wait
	armed bool          // the timer is set for it
}

// NewSystem returns the machine's clock. The caller closes it after Run.
func NewSystem() (*System, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	s := &System{evenTime: evenTime{time.Now()}, fd: fd, timer: os.NewFile(uintptr(fd), "timerfd")}
	s.step = s.wait
	if s.raw, err = s.timer.SyscallConn(); err != nil {
		s.timer.Close() //nolint:errcheck // never used
		return nil, err
	}
	return s, nil
}

// Close frees the clock's timer.
func (s *System) Close() error { return s.timer.Close() }

func (s *System) Wait(t Wall) {
	for s.left = s.until(t); s.left > 0 && !s.woken.Swap(false); s.left = s.until(t) {
		s.armed = false
		if err := s.raw.Read(s.step); err != nil {
			return
		}
	}
}

// wait is called before waiting, when it sets the timer, and again when the timer is readable. It returns true to end
// the wait. It reads nothing, because setting the timer again makes it unreadable.
func (s *System) wait(uintptr) bool {
	if s.armed {
		return true
	}
	s.armed = true
	s.set(s.left)
	return s.woken.Load() // before the timer was set
}

func (s *System) Wake() {
	s.woken.Store(true)
	s.set(1)
}

// set makes the timer readable after d. On a timerfd with these values the call can't fail, and it doesn't block: as a
// call that may block, it would wake the Go runtime's monitor thread for every message.
func (s *System) set(d time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(s.fd), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}
