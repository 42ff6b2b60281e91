package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// DirectCall says how direct files are written on this machine.
func DirectCall() string { return "yes: F_NOCACHE, with pwrite" }

// SetDirect has a file written and read past the page cache. macOS takes any alignment;
// it copies what isn't aligned to pages.
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

// TryDirect leaves the choice to the user: here nobody has measured what direct writing
// gains.
func TryDirect(*os.File) (grain int, err error) {
	return 0, errors.New("on macOS only if asked for")
}
