package disk

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// Locks says in words how files are locked.
const Locks = "yes: LockFileEx"

func existingFlags(flags int, _ bool) int { return flags }

// Lock locks a file for as long as it is open, so that a second Lock, from any process,
// fails with ErrLocked. Windows lets nobody read bytes that are locked, so it is the last
// byte that a file can have. File systems without locks are not locked.
func Lock(f *os.File) error {
	last := windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &last)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return nil
}

// Rename calls rename, which gives the file the name path. Windows renames no file that is
// open, so this one is closed meanwhile, and not locked.
func (c *Created) Rename(path string, rename func() error) error {
	if err := errors.Join(c.Close(), rename()); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	c.File = f
	return Lock(f)
}

// closeRemoved closes a file and calls remove, which removes its name: Windows removes
// no file that is open.
func closeRemoved(f *os.File, remove func() error) error {
	return errors.Join(f.Close(), remove())
}
