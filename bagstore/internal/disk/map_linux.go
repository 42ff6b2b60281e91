package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// Maps says in words whether Map works.
const Maps = "yes: mmap, populated before use"

// Map maps n bytes of a file from off into memory and waits until the system has read
// them. pages is what Unmap takes. Both are nil if mapping is not possible; reading the
// file then works, or says what is wrong. The pages count as the program's memory only
// until they are unmapped.
func Map(f *os.File, off int64, n int) (data, pages []byte) {
	start := off - off%int64(os.Getpagesize())
	skip := int(off - start)
	pages, err := unix.Mmap(int(f.Fd()), start, skip+n, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	_ = unix.Madvise(pages, unix.MADV_WILLNEED) // all at once from the disk, not page by page
	if unix.Madvise(pages, unix.MADV_POPULATE_READ) != nil {
		Unmap(pages) // the file has become shorter, can't be read, or Linux is older than 5.14
		return nil, nil
	}
	return pages[skip : skip+n : skip+n], pages
}

// Unmap ends the use of pages that Map returned.
func Unmap(pages []byte) { unix.Munmap(pages) } //nolint:errcheck // it was mapped
