package place

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// Locks describes how files are locked.
const Locks = "yes: LockFileEx"

func existingFlags(flags int) int { return flags }

// lock locks a file for as long as it is open, so that a second lock, from any process,
// fails with ErrLocked. On Windows nobody can read locked bytes, so it locks the last byte
// that a file can have. File systems without locks are not locked.
func lock(f *os.File) error {
	last := windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &last)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return nil
}

// locked reports whether another open file has the lock. It takes the lock until the file is closed.
func locked(f *os.File) bool { return errors.Is(lock(f), ErrLocked) }

// renameOpen calls rename, which renames the file to path, and returns the file. Windows can't rename an open file,
// so the file is closed, and not locked, during the call.
func renameOpen(f *os.File, path string, rename func() error) (*os.File, error) {
	if err := errors.Join(f.Close(), rename()); err != nil {
		return f, err
	}
	next, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return f, err
	}
	return next, lock(next)
}

// closeAfter closes a file and calls do, which renames or removes it: Windows can't do that with an open file.
func closeAfter(f *os.File, do func() error) error { return errors.Join(f.Close(), do()) }
