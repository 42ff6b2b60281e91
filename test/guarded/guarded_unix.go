//go:build unix

package guarded

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// New returns at least n bytes, which are valid until the test ends.
func New(tb testing.TB, n int) Memory {
	page := os.Getpagesize()
	n = (n + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, page+n+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			tb.Error(err)
		}
	})
	for _, guard := range [][]byte{all[:page], all[page+n:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			tb.Fatal(err)
		}
	}
	return Memory(all[page : page+n : page+n])
}
