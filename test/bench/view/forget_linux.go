package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget has the system drop a file from the page cache.
func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()                  //nolint:errcheck // only read
	if err := f.Sync(); err != nil { // what isn't on the disk yet can't be dropped
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
