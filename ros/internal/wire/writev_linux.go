//go:build !race

package wire

import (
	"syscall"
	"unsafe"
)

// writev writes what is left, without the scheduler's accounting.
func (w *VectorWriter) writev(fd uintptr) (int, error) {
	w.vec = w.vec[:0]
	for _, b := range w.left {
		v := syscall.Iovec{Base: unsafe.SliceData(b)}
		v.SetLen(len(b))
		w.vec = append(w.vec, v)
	}
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITEV, fd, uintptr(unsafe.Pointer(&w.vec[0])), uintptr(len(w.vec)))
	clear(w.vec) // for the garbage collector
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
