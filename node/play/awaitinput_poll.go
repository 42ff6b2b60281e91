//go:build unix && !darwin

package play

import (
	"time"

	"golang.org/x/sys/unix"
)

// awaitInput waits until fd can be read, for at most d.
func awaitInput(fd int, d time.Duration) (ready bool, err error) {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(d.Milliseconds()))
	if err == unix.EINTR {
		return false, nil
	}
	return n > 0, err
}
