//go:build !race

package wire

import (
	"syscall"
	"unsafe"
)

// System calls without the scheduler's accounting, which wakes the runtime's monitor thread for every image. Sockets
// are non-blocking, so the calls can't block. With the accounting, a publisher of 1280x720 images takes 16 % more CPU
// time, and a subscriber a tenth more. The race detector doesn't see them: builds with it have those of race_linux.go.

// writev writes what is left.
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

// read reads into p, which must not be empty.
func read(fd uintptr, p []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
