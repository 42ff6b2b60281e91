package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteFolder creates a folder that write fills. It appears at path if write returns nil; otherwise
// nothing is left. If path exists, the error is fs.ErrExist. It removes unfinished files of a
// killed program, and fails if they are being written.
func WriteFolder(path string, write func(dir string) error) error {
	path = filepath.Clean(path)
	temp := path + Suffix
	if err := (Target{path: path}).free(); err != nil {
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
		err = (Target{path: path}).free()
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
		path := strings.TrimSuffix(filepath.Join(temp, e.Name()), Suffix)
		if err := (Target{path: path}).removeLeftover(); err != nil {
			return err
		}
	}
	return os.Remove(temp)
}
