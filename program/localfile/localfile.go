// Package localfile opens and lists files, creates temporary ones, and finds the free space of disks. Whatever isn't a
// regular file is refused: opening a named pipe would block until a process writes to it, which neither a signal nor a
// context ends, and no recording can be read from a device or a pipe.
package localfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNotRegular is the error for a path of another kind of file.
var ErrNotRegular = errors.New("not a regular file")

// flags open a named pipe at once. They have no effect on regular files.
const flags = os.O_RDONLY | syscall.O_NONBLOCK

// Open opens a file for reading.
func Open(path string) (*os.File, error) { return checked(os.OpenFile(path, flags, 0)) }

// OpenIn opens a file below root for reading.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	return checked(root.OpenFile(name, flags, 0))
}

// Read reads a file of at most max bytes.
func Read(path string, max int) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, int64(max)+1))
	if err == nil && len(b) > max {
		err = fmt.Errorf("read %s: it has more than %d bytes", path, max)
	}
	return b, err
}

func checked(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		err = Check(st)
	}
	if err != nil {
		f.Close() //nolint:errcheck // nothing was read
		return nil, fmt.Errorf("open %s: %w", f.Name(), err)
	}
	return f, nil
}

// Check returns an error that names the kind of a file that isn't regular.
func Check(st fs.FileInfo) error {
	kind := "device"
	switch m := st.Mode(); {
	case m.IsRegular():
		return nil
	case m&fs.ModeSymlink != 0:
		kind = "symbolic link"
	case m.IsDir():
		kind = "folder"
	case m&fs.ModeNamedPipe != 0:
		kind = "named pipe"
	case m&fs.ModeSocket != 0:
		kind = "socket"
	}
	return fmt.Errorf("it is a %s: %w", kind, ErrNotRegular)
}

// List returns, in the order of their names, the paths that begin with prefix and end with suffix, of what is in the
// folder of prefix. Unlike filepath.Glob, it takes no character for a pattern, and returns the folder's error.
func List(prefix, suffix string) (paths []string, err error) {
	dir, first := filepath.Split(prefix)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), first); ok && strings.HasSuffix(rest, suffix) {
			paths = append(paths, dir+e.Name())
		}
	}
	return paths, err
}
