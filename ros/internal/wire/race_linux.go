//go:build race

package wire

import (
	"runtime"
	"syscall"
	"unsafe"
)

// sending shows the race detector, which doesn't see direct system calls, that vec is read, and that what happened
// before comes before its arrival. Package syscall orders its writes before its reads; an empty write sends nothing.
func sending(fd uintptr, vec []syscall.Iovec) {
	for _, v := range vec {
		runtime.RaceReadRange(unsafe.Pointer(v.Base), int(v.Len))
	}
	syscall.Write(int(fd), nil) //nolint:errcheck // see above
}

// received shows it that p was written, after it was sent.
func received(fd uintptr, p []byte) {
	syscall.Read(int(fd), nil) //nolint:errcheck // as for sending: it takes nothing
	runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(p)), len(p))
}
