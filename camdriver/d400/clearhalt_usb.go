//go:build usb && cgo

package d400

/*
#cgo pkg-config: libusb-1.0
#include <libusb.h>
*/
import "C"

import (
	"reflect"

	"github.com/google/gousb"
)

// clearHalt is the one call of libusb that gousb lacks. A CLEAR_FEATURE request
// by hand would not do: it leaves the host's side of the endpoint (data toggle,
// sequence number) as it was, and the next packets are taken for old ones. The
// handle is in a field that gousb keeps to itself; it is read, never kept.
func clearHalt(dev *gousb.Device, endpoint uint8) error {
	handle := reflect.ValueOf(dev).Elem().FieldByName("handle").UnsafePointer()
	if rc := C.libusb_clear_halt((*C.libusb_device_handle)(handle), C.uchar(endpoint)); rc != 0 {
		return gousb.Error(rc)
	}
	return nil
}
