package d400

import (
	"unsafe"

	"rsros/camdriver"
)

// pageOffset returns the offset of b in its page.
func pageOffset(b []byte) uintptr {
	return uintptr(unsafe.Pointer(&b[0])) % uintptr(camdriver.PageSize)
}
