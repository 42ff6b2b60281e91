package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rsros/bagstore/internal/disk"
)

// WriteFolder creates a folder that write fills. It appears at path if write returns nil; otherwise
// nothing is left. If path exists, the error is fs.ErrExist. It removes unfinished files of a
// killed program, and fails if they are being written. At an address the files appear one after the
// other, and the one that describes the others last.
func WriteFolder(ctx context.Context, path string, write func(dir string) error) error {
	if IsAddress(path) {
		return writePrefix(ctx, path, write)
	}
	path = filepath.Clean(path)
	temp := path + Suffix
	if err := Free(ctx, path, false); err != nil {
		return err
	}
	if err := removeUnfinished(temp); err != nil {
		return err
	}
	if err := os.Mkdir(temp, 0o777); err != nil {
		return err
	}
	err := write(temp)
	if err == nil {
		err = syncFolder(temp)
	}
	if err == nil {
		err = Free(ctx, path, false)
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	return syncFolder(filepath.Dir(path))
}

// removeUnfinished removes the folder of a program that was killed.
func removeUnfinished(temp string) error {
	list, err := os.ReadDir(temp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), Suffix) {
			return fmt.Errorf("%s has %s, which is no unfinished file: %w", temp, e.Name(), fs.ErrExist)
		}
	}
	for _, e := range list {
		if err := disk.Clear(filepath.Join(temp, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(temp)
}
