package disk

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// MapCall describes whether Map works: older kernels, common on small computers, can't
// report whether a mapped page could be read.
func MapCall() string {
	if err := populates(); err != nil {
		return "no: large messages are read into memory, because MADV_POPULATE_READ fails: " + err.Error()
	}
	return "yes: mmap, populated before use"
}

// populates returns the reason why the system can't populate mapped pages, or nil. An
// emulator (QEMU 7.2) may ignore the advice without an error, even for unreadable pages.
var populates = sync.OnceValue(func() error {
	if adviseSpare(unix.PROT_NONE, unix.MADV_POPULATE_READ) == nil {
		return errors.New("it has no effect")
	}
	return adviseSpare(unix.PROT_READ, unix.MADV_POPULATE_READ)
})

func adviseSpare(protection, advice int) error {
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), protection, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	defer Unmap(page)
	return unix.Madvise(page, advice)
}

// Map maps n bytes of a file from off into memory and waits until the system has read them. pages is the argument for
// Unmap. Both are nil if mapping fails; reading the file then works or returns the error.
func Map(f *os.File, off int64, n int) (data, pages []byte) {
	if populates() != nil {
		return nil, nil
	}
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

// Unmap unmaps pages returned by Map.
func Unmap(pages []byte) { unix.Munmap(pages) } //nolint:errcheck // it was mapped

// Fetch asks the system to read a part of a file into the page cache. It doesn't wait.
func Fetch(f *os.File, off, n int64) {
	_ = unix.Fadvise(int(f.Fd()), off, n, unix.FADV_WILLNEED) // it is only advice
}
