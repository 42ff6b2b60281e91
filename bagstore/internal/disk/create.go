package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rsros/program/localfile"
)

// ErrLocked means that another process, or another Create, is writing the file.
var ErrLocked = errors.New("another recorder is writing it")

const tempPrefix = "rs-ros-node-"

// Created is a file open for reading and writing, and locked until it is closed.
type Created struct {
	*os.File
	New bool // the file didn't exist before
}

// Create creates a file, or with overwrite truncates an existing one, and locks it. Without
// overwrite the error for an existing file is fs.ErrExist. The error for a device, a named
// pipe, a folder or a symbolic link is localfile.ErrNotRegular. It never changes a file that it refuses.
func Create(path string, overwrite bool) (*Created, error) {
	c, err := open(path, overwrite)
	if err != nil || c.New {
		return c, err
	}
	if err := c.Truncate(0); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Clear removes a file that Create could overwrite. It doesn't truncate it, because its writer may
// just have given it another name, too. If there is none, it checks that Create could create it.
func Clear(path string) error {
	c, err := open(path, true)
	if err != nil {
		return err
	}
	return CloseRemove(c.File)
}

// open creates or opens a file, and locks it.
func open(path string, overwrite bool) (*Created, error) {
	flags, fresh := os.O_RDWR|os.O_CREATE|os.O_EXCL, true
	switch st, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case localfile.Check(st) != nil:
		return nil, fmt.Errorf("create %s: %w", path, localfile.Check(st))
	case !overwrite:
		return nil, taken(path)
	default:
		flags, fresh = existingFlags(os.O_RDWR), false
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, err
	}
	c := &Created{f, fresh}
	if err := c.lock(); err != nil {
		return nil, errors.Join(fmt.Errorf("create %s: %w", path, err), c.Discard())
	}
	return c, nil
}

// taken returns the error for an existing file: ErrLocked if a recorder is writing it.
func taken(path string) error {
	if f, err := os.OpenFile(path, existingFlags(os.O_RDONLY), 0); err == nil {
		defer f.Close()
		if errors.Is(Lock(f), ErrLocked) {
			return fmt.Errorf("create %s: %w: %w", path, fs.ErrExist, ErrLocked)
		}
	}
	return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
}

func (c *Created) lock() error {
	st, err := c.Stat()
	if err != nil {
		return err
	}
	if err := localfile.Check(st); err != nil {
		return err
	}
	if err := Lock(c.File); err != nil {
		return err
	}
	// Its writer may have finished and renamed it before the lock was free.
	return Gone(c.File, c.Name(), 0)
}

// Discard closes the file and, if it is new and its path still refers to it, removes it.
func (c *Created) Discard() error {
	if c.New {
		return CloseRemove(c.File)
	}
	return c.Close()
}

// CloseRemove closes a file and removes it if its path still refers to it.
func CloseRemove(f *os.File) error {
	open, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return closeRemoved(f, func() error {
		named, err := os.Lstat(f.Name())
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !os.SameFile(open, named) {
			return nil
		}
		return os.Remove(f.Name())
	})
}

// ErrGone is bagstore.ErrGone.
var ErrGone = errors.New("the file being written was deleted, replaced or truncated")

// Gone returns ErrGone if path is no longer the name of f, which is being written, or if f
// has fewer than least bytes.
func Gone(f *os.File, path string, least int64) error {
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
