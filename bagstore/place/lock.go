package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"rsros/program/localfile"
)

// Lock creates a file, or opens it, and locks it until it is closed. The error is ErrLocked if a program has it,
// ErrGone if one has just removed it.
func Lock(path string) (*os.File, error) {
	f, _, err := openLocked(path, true)
	return f, err
}

// Unlock removes the file that Lock returned, unless its path refers to another one by now.
func Unlock(f *os.File) error {
	open, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return closeAfter(f, func() error { return removeSame(f.Name(), open) })
}

// InUse reports whether a program is writing a recording. File systems without locks can't tell.
func InUse(path string) bool {
	f, err := localfile.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // only read
	return locked(f)
}

// openLocked creates a file or, with existing, also opens one, for reading and writing, and locks it. Otherwise the
// error for an existing file is fs.ErrExist, and also ErrLocked if a program is writing it. The error for anything but
// a regular file, a symbolic link too, is localfile.ErrNotRegular.
func openLocked(path string, existing bool) (f *os.File, fresh bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	fresh = err == nil
	if errors.Is(err, fs.ErrExist) {
		f, err = openExisting(path, existing)
	}
	if err != nil {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			at.Path = strings.TrimSuffix(at.Path, Suffix) // the name that the user knows
		}
		return nil, false, err
	}
	if err := lockNamed(f); err != nil {
		end := f.Close
		if fresh && !errors.Is(err, ErrLocked) { // otherwise it is another program's by now
			end = func() error { return Unlock(f) }
		}
		return nil, false, errors.Join(fmt.Errorf("create %s: %w", path, err), end())
	}
	return f, fresh, nil
}

func openExisting(path string, allowed bool) (*os.File, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if err := localfile.Check(st); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	if allowed {
		return os.OpenFile(path, existingFlags(os.O_RDWR), 0)
	}
	if InUse(path) {
		return nil, fmt.Errorf("create %s: %w: %w", path, fs.ErrExist, ErrLocked)
	}
	return nil, taken(path)
}

func taken(path string) error { return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist} }

// lockNamed locks a regular file that still has its name: its writer may have finished and renamed it before the lock
// was free.
func lockNamed(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if err := localfile.Check(st); err != nil {
		return err
	}
	if err := lock(f); err != nil {
		return err
	}
	return gone(f, f.Name(), 0)
}

// gone returns ErrGone if path is no longer the name of f, or if f has fewer than least bytes.
func gone(f *os.File, path string, least int64) error {
	mine, err := f.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	named, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: nothing has its name", path, ErrGone)
	case err == nil && !os.SameFile(mine, named):
		return fmt.Errorf("%s: %w: another file has its name", path, ErrGone)
	}
	if mine.Size() < least {
		return fmt.Errorf("%s: %w: it has %d bytes, of %d that were written", path, ErrGone, mine.Size(), least)
	}
	return nil
}

// removeSame removes path if it refers to a file that was open.
func removeSame(path string, open fs.FileInfo) error {
	named, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !os.SameFile(open, named):
		return nil
	}
	return os.Remove(path)
}
