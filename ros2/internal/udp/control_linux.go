package udp

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// cmsgHeader returns the header of a control message in b, which is large enough.
func cmsgHeader(b []byte) *unix.Cmsghdr { return (*unix.Cmsghdr)(unsafe.Pointer(&b[0])) }
