package play

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// awaitInput waits until fd can be read, for at most d. macOS's poll doesn't support
// terminals.
func awaitInput(fd int, d time.Duration) (ready bool, err error) {
	if fd >= unix.FD_SETSIZE {
		return false, fmt.Errorf("file %d: select supports files below %d", fd, unix.FD_SETSIZE)
	}
	var set unix.FdSet
	set.Set(fd)
	limit := unix.NsecToTimeval(d.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &limit)
	if err == unix.EINTR {
		return false, nil
	}
	return n > 0, err
}
