package pages

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. It is a wish: without them all is the same but
// for the time that the kernel takes.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
