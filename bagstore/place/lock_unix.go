//go:build unix

package place

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

// renameOpen calls rename, which renames the file to path, and returns the file.
func renameOpen(f *os.File, _ string, rename func() error) (*os.File, error) { return f, rename() }

// closeAfter calls do, which renames or removes the file, while the file is locked, and closes it.
func closeAfter(f *os.File, do func() error) error { return errors.Join(do(), f.Close()) }
