package disk

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// Locks describes how files are locked.
const Locks = "yes: LockFileEx"

func existingFlags(flags int) int { return flags }

// Lock locks a file for as long as it is open, so that a second Lock, from any process,
// fails with ErrLocked. On Windows nobody can read locked bytes, so it locks the last byte
// that a file can have. File systems without locks are not locked.
func Lock(f *os.File) error {
	last := windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &last)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return nil
}

// Rename calls rename, which renames the file to path. Windows can't rename an open file,
// so the file is closed, and not locked, during the call.
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

// Hold returns nil: Windows can't rename an open file.
func Hold(*os.File) *os.File { return nil }

// closeRemoved closes a file and calls remove, which removes it: Windows can't remove an
// open file.
func closeRemoved(f *os.File, remove func() error) error {
	return errors.Join(f.Close(), remove())
}
