package place

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

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

// RenameDurably is Rename to a name that survives a power cut.
func RenameDurably(from, to string, overwrite bool) error {
	if err := Rename(from, to, overwrite); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// Rename gives a file another name. Without overwrite the error for an existing file is fs.ErrExist.
func Rename(from, to string, overwrite bool) error {
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

// fsync is os.File.Sync, but in a test of the order of events.
var fsync = (*os.File).Sync

// syncFolder makes a new name safe from a power cut, on systems that can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	switch {
	case errors.Is(err, fs.ErrPermission): // one that may be written, but not read
		return nil
	case err != nil:
		return err
	}
	_ = fsync(d)
	return d.Close()
}
