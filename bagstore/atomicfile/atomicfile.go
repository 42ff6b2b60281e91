// Package atomicfile writes files that get their names only when they are complete: it writes under
// a temporary name next to the final one. Place is for programs that open the temporary file
// themselves, Write for others. Neither starts a goroutine.
package atomicfile

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

// Place is a final name with its temporary one. It must not be used after Commit or Discard.
type Place struct {
	path      string
	overwrite bool
}

// Reserve checks that a file can be written at path. Without overwrite the error for an existing
// file is fs.ErrExist. Reserve removes an abandoned temporary file, and fails if one is being
// written.
func Reserve(path string, overwrite bool) (Place, error) {
	p := Place{path, overwrite}
	if err := p.free(); err != nil {
		return p, err
	}
	return p, p.removeLeftover()
}

// Free returns fs.ErrExist if the file exists and overwrite is false.
func Free(path string, overwrite bool) error { return Place{path, overwrite}.free() }

func (p Place) free() error {
	if p.overwrite {
		return nil
	}
	_, err := os.Lstat(p.path)
	if err == nil {
		return &fs.PathError{Op: "create", Path: p.path, Err: fs.ErrExist}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeLeftover removes the temporary file of a program that was killed.
func (p Place) removeLeftover() error {
	f, err := disk.Create(p.Temp(), true)
	if err != nil {
		return err
	}
	return disk.CloseRemove(f.File)
}

// Temp returns the temporary name.
func (p Place) Temp() string { return p.path + Suffix }

// Commit gives the temporary file, which must be closed, its final name and makes the name survive
// a power cut. Without overwrite it refuses to replace a file. After an error it removes the
// temporary file.
func (p Place) Commit() error {
	err := p.rename()
	if err != nil {
		return errors.Join(err, p.Discard())
	}
	return syncFolder(filepath.Dir(p.path))
}

func (p Place) rename() error {
	if p.overwrite {
		return os.Rename(p.Temp(), p.path)
	}
	// A link, unlike a rename, never replaces a file.
	switch err := os.Link(p.Temp(), p.path); {
	case err == nil:
		return os.Remove(p.Temp())
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// Some file systems have no links.
	if err := p.free(); err != nil {
		return err
	}
	return os.Rename(p.Temp(), p.path)
}

// Discard removes the temporary file.
func (p Place) Discard() error {
	if err := os.Remove(p.Temp()); !errors.Is(err, fs.ErrNotExist) {
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
	p, err := Reserve(path, overwrite)
	if err != nil {
		return err
	}
	f, err := disk.Create(p.Temp(), false)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := errors.Join(write(f.File), f.Close()); err != nil {
		return errors.Join(err, p.Discard())
	}
	return p.Commit()
}
