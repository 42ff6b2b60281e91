package buffers

import "golang.org/x/sys/unix"

// AdviseHuge requests huge pages. Without them, memory is only slower.
func AdviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
