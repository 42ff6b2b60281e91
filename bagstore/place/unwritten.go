package place

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// unwritten returns what the system refused to write to a temporary file or folder, such as on a full disk, under the
// name that the user knows. It stands for all of err, because a writer returns its first error again at each later
// step. Another err stays as it is.
func unwritten(err error, temp, name string) error {
	if e := refusedIn(err, temp); e != nil {
		return &fs.PathError{Op: e.Op, Path: name + strings.TrimPrefix(e.Path, temp), Err: e.Err}
	}
	return err
}

// refusedIn returns the first error of the system in a tree of errors that is about temp or a file in it; nil if there
// is none.
func refusedIn(err error, temp string) *fs.PathError {
	switch e := err.(type) {
	case *fs.PathError:
		rest, ours := strings.CutPrefix(e.Path, temp)
		if _, system := e.Err.(syscall.Errno); system && ours && (rest == "" || os.IsPathSeparator(rest[0])) {
			return e
		}
	case interface{ Unwrap() error }:
		return refusedIn(e.Unwrap(), temp)
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if found := refusedIn(one, temp); found != nil {
				return found
			}
		}
	}
	return nil
}
