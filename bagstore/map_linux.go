package bagstore

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps n bytes of a file, which the system has read when it returns. The
// result is nil if that can't be done: then reading says why, or can. Mapped once
// for each message, the file counts as the program's memory only while it is held.
func mapFile(f *os.File, off int64, n int) *block {
	if f == nil {
		return nil
	}
	start := off - off%int64(os.Getpagesize())
	skip := int(off - start)
	pages, err := unix.Mmap(int(f.Fd()), start, skip+n, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	_ = unix.Madvise(pages, unix.MADV_WILLNEED) // all at once from the disk, not page by page
	if unix.Madvise(pages, unix.MADV_POPULATE_READ) != nil {
		unmap(pages) // the file has become shorter, can't be read, or Linux is older than 5.14
		return nil
	}
	b := &block{bytes: pages[skip : skip+n : skip+n], mapping: pages}
	b.refs.Store(1)
	return b
}

func unmap(pages []byte) { unix.Munmap(pages) } //nolint:errcheck // it was mapped
