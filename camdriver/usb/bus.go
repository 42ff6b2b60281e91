// Package usb finds and opens USB devices. A driver talks to a device through Bus, Handle and Stream, which tests
// implement with virtual cameras. With the build tag usb and cgo, System is libusb.
//
// The data of a transfer is copied to memory of the caller.
package usb

import (
	"context"
	"fmt"
)

// Bus finds and opens USB devices. It must be safe for concurrent use.
type Bus interface {
	// Scan returns the connected devices, of some vendors only, without opening them.
	Scan(ctx context.Context) ([]Device, error)
	// Open detaches kernel drivers and claims all interfaces of a device. It returns
	// ErrPermission, ErrInUse or camdriver.ErrUnplugged.
	Open(dev Device) (Handle, error)
}

// Device is a connected device.
type Device struct {
	Product uint16
	Bus     int
	Address int    // changes with each enumeration
	Port    string // "2-1.4": bus, then ports
	Spec    uint16 // bcdUSB: 0x0320 on a USB 3 link, 0x0210 on a USB 2 one
	Speed   string // of the link, as libusb names it: "super"
	Serial  string // its string descriptor, as far as the kernel knows it; a D400's is the serial number of its ASIC
}

// Handle is an open device.
type Handle interface {
	// Control runs a control transfer. The top bit of requestType is its direction. It
	// returns ErrStall, ErrTimeout, camdriver.ErrUnplugged or other errors.
	Control(requestType, request uint8, value, index uint16, data []byte) (int, error)
	// ClearHalt clears a stall of an endpoint on the device and on the host.
	ClearHalt(endpoint uint8) error
	// Stream keeps count transfers of size bytes in flight on an IN endpoint until the Stream is closed.
	Stream(iface, endpoint uint8, size, count int) (Stream, error)
	// Close releases the interfaces. It releases control interfaces last, because uvcvideo binds to those and then needs
	// the streaming interfaces. All Streams must have been closed, and no other method may be running or called later.
	Close() error
}

// Stream reads an IN endpoint. It is not safe for concurrent use.
type Stream interface {
	// Read waits for the next transfer and copies it to p, which must have the size of
	// transfers. It may return a completed transfer even if ctx is done. After an
	// error, including ctx's, the stream is dead and no transfer is in flight.
	Read(ctx context.Context, p []byte) (int, error)
	// Close cancels the transfers in flight.
	Close()
}

// Version returns the USB version of the link as the SDK writes it: "3.2", "2.1".
func (d Device) Version() string { return fmt.Sprintf("%d.%d", d.Spec>>8, d.Spec>>4&0xf) }

// USB2 reports whether the link is slower than USB 3.
func (d Device) USB2() bool { return d.Spec < 0x0300 }
