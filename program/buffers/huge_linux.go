package buffers

import "golang.org/x/sys/unix"

// adviseHuge requests huge pages. Without them, memory is only slower.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
