//go:build !linux && !darwin

package disk

import (
	"errors"
	"os"
)

// DirectCall describes how direct files are written on this machine.
func DirectCall() string { return "no: files are written through the page cache" }

// SetDirect is not supported.
func SetDirect(*os.File) (grain int, err error) {
	return 0, errors.New("direct writing is supported on Linux and macOS only")
}

// SetBuffered does nothing.
func SetBuffered(*os.File) error { return nil }

// TryDirect is not supported.
func TryDirect(f *os.File) (grain int, err error) { return SetDirect(f) }
