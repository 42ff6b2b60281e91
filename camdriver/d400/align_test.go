package d400

import (
	"unsafe"

	"rsros/camdriver"
)

func pageOffset(b []byte) uintptr {
	return uintptr(unsafe.Pointer(&b[0])) % uintptr(camdriver.PageSize)
}
