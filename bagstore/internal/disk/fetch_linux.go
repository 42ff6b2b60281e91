package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// Fetch asks the system to read a part of a file into the page cache. It doesn't wait.
func Fetch(f *os.File, off, n int64) {
	_ = unix.Fadvise(int(f.Fd()), off, n, unix.FADV_WILLNEED) // it is only advice
}
