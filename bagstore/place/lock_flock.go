//go:build unix && !linux

package place

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Locks describes how files are locked.
const Locks = "yes: flock"

// lock locks a file for as long as it is open, so that a second lock, from any process,
// fails with ErrLocked. File systems without locks are not locked.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		}
		return nil
	}
}

// locked reports whether another open file has the lock. It takes the lock until the file is closed.
func locked(f *os.File) bool { return errors.Is(lock(f), ErrLocked) }
