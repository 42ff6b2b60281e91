package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// MapCall says in words whether Map works: older kernels, of many small computers,
// can't say whether a mapped page could be read.
func MapCall() string {
	if err := adviseSpare(unix.MADV_POPULATE_READ); err != nil {
		return "no: large messages are read into memory, because MADV_POPULATE_READ fails: " + err.Error()
	}
	return "yes: mmap, populated before use"
}

// adviseSpare tries an advice on a page of its own.
func adviseSpare(advice int) error {
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	defer Unmap(page)
	return unix.Madvise(page, advice)
}

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
