package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rsros/bagstore/internal/disk"
)

// Suffix is the suffix of unfinished files. A killed program's is replaced by the next one.
const Suffix = ".partial"

// Target is a final name with its temporary one. It must not be used after Commit or Discard.
type Target struct {
	path      string
	overwrite bool
}

// Reserve checks that a file can be written at path. Without overwrite the error for an existing
// file is fs.ErrExist. Reserve removes an abandoned temporary file, and fails if one is being
// written.
func Reserve(path string, overwrite bool) (Target, error) {
	t := Target{path, overwrite}
	if err := t.free(); err != nil {
		return t, err
	}
	return t, t.removeLeftover()
}

// Free returns fs.ErrExist if the file exists and overwrite is false.
func Free(path string, overwrite bool) error { return Target{path, overwrite}.free() }

func (t Target) free() error {
	if t.overwrite {
		return nil
	}
	_, err := os.Lstat(t.path)
	if err == nil {
		return &fs.PathError{Op: "create", Path: t.path, Err: fs.ErrExist}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeLeftover removes the temporary file of a program that was killed.
func (t Target) removeLeftover() error {
	f, err := disk.Create(t.Temp(), true)
	if err != nil {
		return err
	}
	return disk.CloseRemove(f.File)
}

// Temp returns the temporary name.
func (t Target) Temp() string { return t.path + Suffix }

// Commit gives the temporary file, which must be closed, its final name and makes the name survive
// a power cut. Without overwrite it refuses to replace a file. After an error it removes the
// temporary file.
func (t Target) Commit() error {
	err := t.rename()
	if err != nil {
		return errors.Join(err, t.Discard())
	}
	return syncFolder(filepath.Dir(t.path))
}

func (t Target) rename() error {
	if t.overwrite {
		return os.Rename(t.Temp(), t.path)
	}
	// A link, unlike a rename, never replaces a file.
	switch err := os.Link(t.Temp(), t.path); {
	case err == nil:
		return os.Remove(t.Temp())
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// Some file systems have no links.
	if err := t.free(); err != nil {
		return err
	}
	return os.Rename(t.Temp(), t.path)
}

// Discard removes the temporary file.
func (t Target) Discard() error {
	if err := os.Remove(t.Temp()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFolder makes a new name safe from a power cut, on systems that can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}

// Write writes a file with write, which must not close it. The file appears at path if write
// returns nil; otherwise nothing is left. Without overwrite the error for an existing file is
// fs.ErrExist.
func Write(path string, overwrite bool, write func(*os.File) error) error {
	t, err := Reserve(path, overwrite)
	if err != nil {
		return err
	}
	f, err := disk.Create(t.Temp(), false)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := errors.Join(write(f.File), f.Close()); err != nil {
		return errors.Join(err, t.Discard())
	}
	return t.Commit()
}
