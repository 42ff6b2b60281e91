package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// WriteFolder creates a folder that write fills. It appears at path if write returns nil; otherwise nothing is left. If
// path exists, the error is fs.ErrExist. It replaces the folder of a killed program, and fails if it is being written.
// At an address the files appear one after the other, and the one that describes the others last.
func WriteFolder(ctx context.Context, path string, write func(dir string) error) error {
	if IsAddress(path) {
		return writePrefix(ctx, path, write)
	}
	path = filepath.Clean(path)
	temp := path + Suffix
	if err := Free(ctx, path, false); err != nil {
		return err
	}
	mark, err := markFolder(temp)
	if err != nil {
		return err
	}
	err = write(temp)
	if err = errors.Join(err, Unlock(mark)); err == nil {
		err = syncFolder(temp)
	}
	if err == nil {
		err = Free(ctx, path, false)
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(unwritten(err, temp, path), os.RemoveAll(temp))
	}
	return syncFolder(filepath.Dir(path))
}

// FillFolder lets write fill a folder that is new or empty, or that an earlier FillFolder has left after an error or a
// kill.
func FillFolder(dir string, write func() error) error {
	mark, err := markFolder(dir)
	if err != nil {
		return err
	}
	if err := write(); err != nil {
		return errors.Join(err, mark.Close())
	}
	return Unlock(mark)
}

// markFolder creates a folder, or empties one that isn't finished, and puts a locked file into it that says so.
func markFolder(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	isMark := func(e fs.DirEntry) bool { return e.Name() == unfinished }
	if len(list) > 0 && !slices.ContainsFunc(list, isMark) {
		return nil, fmt.Errorf("the folder %s is not empty: %w; choose a new one", dir, fs.ErrExist)
	}
	mark, err := Lock(filepath.Join(dir, unfinished))
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if !isMark(e) && err == nil {
			err = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	if err != nil {
		return nil, errors.Join(err, mark.Close())
	}
	return mark, nil
}
