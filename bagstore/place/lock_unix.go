//go:build unix

package place

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// existingFlags adds to the flags for opening an existing file: a named pipe that replaced
// it must not block, and a symbolic link is refused.
func existingFlags(flags int) int { return flags | unix.O_NONBLOCK | unix.O_NOFOLLOW }

// renameOpen calls rename, which renames the file to path, and returns the file.
func renameOpen(f *os.File, _ string, rename func() error) (*os.File, error) { return f, rename() }

// closeAfter calls do, which renames or removes the file, while the file is locked, and closes it.
func closeAfter(f *os.File, do func() error) error { return errors.Join(do(), f.Close()) }
