package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rsros/bagstore/internal/disk"
)

// Suffix is the suffix of unfinished files. A killed program's is replaced by the next one.
const Suffix = ".partial"

// Target is a final name with its temporary one, which is that of a local file. It must be ended by Commit or Discard.
type Target struct {
	ctx       context.Context // ends uploads
	name      string
	temp      string
	overwrite bool
	made      fs.FileInfo // the temporary file that Hold was told of; nil: none yet
	held      *os.File    // keeps it locked; nil: nothing does
}

// Reserve checks that a file can be written at a path, or an object at an address. Without overwrite
// the error for an existing one is fs.ErrExist. Reserve removes an abandoned temporary file, and fails
// if one is being written. The temporary file of an object is in the folder of SetTemp; Commit uploads
// it, until ctx ends. Reserve tries whether the store lets it write the object.
func Reserve(ctx context.Context, name string, overwrite bool) (*Target, error) {
	t := &Target{ctx: ctx, name: name, temp: name + Suffix, overwrite: overwrite}
	if err := Free(ctx, name, overwrite); err != nil {
		return nil, err
	}
	if IsAddress(name) {
		var err error
		if t.temp, err = temporary(name); err == nil {
			err = Probe(ctx, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, disk.Clear(t.temp)
}

// Free returns fs.ErrExist if the file or object exists and overwrite is false.
func Free(ctx context.Context, name string, overwrite bool) error {
	if IsAddress(name) {
		return freeObject(ctx, name, overwrite)
	}
	if overwrite {
		return nil
	}
	_, err := os.Lstat(name)
	if err == nil {
		return taken(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func taken(name string) error { return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist} }

// Temp returns the temporary name.
func (t *Target) Temp() string { return t.temp }

// Hold keeps the temporary file, which f has open and locked, locked until Commit or Discard. Otherwise another program
// that reserves the name could remove it once f is closed.
func (t *Target) Hold(f *os.File) {
	t.made, _ = f.Stat()
	t.held = disk.Hold(f)
}

// Commit gives the temporary file, which must be closed, its final name and makes the name survive
// a power cut, or uploads it. Without overwrite it refuses to replace a file or object. After an error
// it removes the temporary file of a path; a finished file that can't be uploaded stays, and the error names it.
func (t *Target) Commit() error {
	if !IsAddress(t.name) {
		err := Rename(t.temp, t.name, t.overwrite)
		if err != nil {
			return errors.Join(err, t.Discard())
		}
		return t.release()
	}
	err := upload(t.ctx, t.temp, t.name, !t.overwrite, t.held == nil)
	if err == nil || t.name == Stream {
		return errors.Join(err, t.Discard())
	}
	return errors.Join(keepUnsent(t.temp, t.name, err), t.release())
}

// release ends Hold.
func (t *Target) release() (err error) {
	if t.held != nil {
		err, t.held = t.held.Close(), nil
	}
	return err
}

// Rename gives a complete file its final name, and makes that survive a power cut. Without overwrite
// the error for an existing file is fs.ErrExist.
func Rename(from, to string, overwrite bool) error {
	if err := rename(from, to, overwrite); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

func rename(from, to string, overwrite bool) error {
	if overwrite {
		return os.Rename(from, to)
	}
	// A link, unlike a rename, never replaces a file.
	switch err := os.Link(from, to); {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// Some file systems have no links.
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, taken(to))
	}
	return os.Rename(from, to)
}

// Discard removes the temporary file that Hold was told of, not one that another program has made since.
func (t *Target) Discard() (err error) {
	if named, gone := os.Lstat(t.temp); gone == nil && t.made != nil && os.SameFile(t.made, named) {
		err = os.Remove(t.temp)
	}
	return errors.Join(err, t.release())
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

// Write writes a file or object with write, which must not close the file. It appears at name if
// write returns nil; otherwise nothing is left. Without overwrite the error for an existing one is
// fs.ErrExist.
func Write(ctx context.Context, name string, overwrite bool, write func(*os.File) error) error {
	t, err := Reserve(ctx, name, overwrite)
	if err != nil {
		return err
	}
	f, err := disk.Create(t.Temp(), false)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	t.Hold(f.File)
	if err := errors.Join(write(f.File), f.Close()); err != nil {
		return errors.Join(err, t.Discard())
	}
	return t.Commit()
}
