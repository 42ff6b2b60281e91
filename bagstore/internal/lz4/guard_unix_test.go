//go:build unix

package lz4

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// guarded is memory between two inaccessible pages: an access out of bounds ends the test.
type guarded []byte

func newGuarded(tb testing.TB, n int) guarded {
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
	return all[page : page+n : page+n]
}

// first and last return n bytes next to a guard page.
func (g guarded) first(n int) []byte { return g[:n:n] }
func (g guarded) last(n int) []byte  { return g[len(g)-n:] }
