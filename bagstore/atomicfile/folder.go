package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteFolder makes a folder and has write fill it. The folder appears at path when write
// has returned nil; otherwise nothing is left. It never replaces anything: the error is
// fs.ErrExist if path exists. What a killed program left is removed if it is unfinished
// files only; if somebody is writing them, that is an error.
func WriteFolder(path string, write func(dir string) error) error {
	path = filepath.Clean(path)
	temp := path + Suffix
	if err := (Place{path: path}).free(); err != nil {
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
		err = (Place{path: path}).free()
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
		if err := (Place{path: path}).removeLeftover(); err != nil {
			return err
		}
	}
	return os.Remove(temp)
}
