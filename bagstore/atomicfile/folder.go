package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFolder makes a folder and has write fill it. The folder appears at path when write
// has returned nil; otherwise nothing is left. It never replaces anything: the error is
// fs.ErrExist if path exists, or if another program is writing it or was killed meanwhile.
func WriteFolder(path string, write func(dir string) error) error {
	path = filepath.Clean(path)
	temp := path + Suffix
	if err := (Place{path: path}).free(); err != nil {
		return err
	}
	if err := os.Mkdir(temp, 0o777); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w; if no program is writing there any more, remove it", err)
		}
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
