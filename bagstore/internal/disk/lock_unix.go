//go:build unix

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Locks describes how files are locked.
const Locks = "yes: flock"

// existingFlags adds to the flags for opening an existing file: a named pipe that replaced
// it must not block, and a symbolic link is refused.
func existingFlags(flags int) int { return flags | unix.O_NONBLOCK | unix.O_NOFOLLOW }

// Lock locks a file for as long as it is open, so that a second Lock, from any process,
// fails with ErrLocked. File systems without locks are not locked.
func Lock(f *os.File) error {
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

// Rename calls rename, which renames the file to path.
func (c *Created) Rename(_ string, rename func() error) error { return rename() }

// Hold returns a second handle of a file, with which it stays locked when the first one is closed; nil if there can't be
// one.
func Hold(f *os.File) *os.File {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), f.Name())
}

// closeRemoved calls remove, which removes the file, while the file is locked, and closes it.
func closeRemoved(f *os.File, remove func() error) error {
	return errors.Join(remove(), f.Close())
}
