package disk

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Cached implements ColdFile. For a file that the process neither owns nor may write, the
// kernel may report everything as cached.
func (c *coldFile) Cached(off int64, n int) bool {
	cached, err := c.countCached(off, n)
	if err != nil {
		cached = c.countResident(off, n)
	}
	page := int64(os.Getpagesize())
	return cached >= (off+int64(n)+page-1)/page-off/page
}

// countCached returns the number of cached pages of n bytes at off. It fails before Linux
// 6.5, and if the kernel doesn't report it.
func (c *coldFile) countCached(off int64, n int) (pages int64, err error) {
	var st unix.Cachestat_t
	err = unix.Cachestat(uint(c.Fd()), &unix.CachestatRange{Off: uint64(off), Len: uint64(n)}, &st, 0)
	return int64(st.Cache), err
}

// countResident is like countCached but uses a mapping and mincore. If that fails, it returns
// the number of all pages. off must be a multiple of the page size.
func (c *coldFile) countResident(off int64, n int) (pages int64) {
	page := os.Getpagesize()
	all := (n + page - 1) / page
	m, err := unix.Mmap(int(c.Fd()), off, n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return int64(all)
	}
	defer Unmap(m)
	if len(c.resident) < all {
		c.resident = make([]byte, all)
	}
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&m[0])), uintptr(n),
		uintptr(unsafe.Pointer(&c.resident[0]))); errno != 0 {
		return int64(all)
	}
	for _, p := range c.resident[:all] {
		pages += int64(p & 1)
	}
	return pages
}
