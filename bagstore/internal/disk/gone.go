package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

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
