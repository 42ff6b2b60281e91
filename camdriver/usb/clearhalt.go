//go:build usb && cgo

package usb

/*
#cgo pkg-config: libusb-1.0
#include <libusb.h>
*/
import "C"

import (
	"reflect"

	"github.com/google/gousb"
)

// clearHalt calls libusb_clear_halt, which gousb lacks. Sending CLEAR_FEATURE instead would not reset the host's side
// of the endpoint (data toggle, sequence number), so the next packets would be discarded as duplicates. The handle is
// in an unexported field of gousb, which is read here and not retained.
func clearHalt(dev *gousb.Device, endpoint uint8) error {
	handle := reflect.ValueOf(dev).Elem().FieldByName("handle").UnsafePointer()
	if rc := C.libusb_clear_halt((*C.libusb_device_handle)(handle), C.uchar(endpoint)); rc != 0 {
		return gousb.Error(rc)
	}
	return nil
}
