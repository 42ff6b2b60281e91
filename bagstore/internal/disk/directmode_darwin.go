package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// DirectCall describes how direct files are written on this machine.
func DirectCall() string { return "yes: F_NOCACHE, with pwrite" }

// SetDirect makes writes and reads of a file bypass the page cache. macOS accepts any
// alignment; it copies data that isn't aligned to pages.
func SetDirect(f *os.File) (grain int, err error) {
	if err := setNoCache(f, 1); err != nil {
		return 0, err
	}
	return max(Grain, os.Getpagesize()), nil
}

// SetBuffered undoes SetDirect.
func SetBuffered(f *os.File) error { return setNoCache(f, 0) }

func setNoCache(f *os.File, on int) error {
	_, err := unix.FcntlInt(f.Fd(), unix.F_NOCACHE, on)
	return err
}

// TryDirect fails: on macOS nobody has measured what direct writing gains.
func TryDirect(*os.File) (grain int, err error) { return 0, errors.New("on macOS only if asked for") }
