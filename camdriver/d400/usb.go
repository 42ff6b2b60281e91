package d400

import (
	"context"
	"errors"
)

// Errors that a Bus reports, so that the driver can act on them. A camera that
// went away is camdriver.ErrUnplugged.
var (
	ErrStall      = errors.New("request refused (stall)")
	ErrTimeout    = errors.New("transfer timed out")
	ErrInUse      = errors.New("in use by another program")
	ErrPermission = errors.New("no permission for the USB device")
	ErrMemory     = errors.New("the kernel's memory for USB transfers is used up; " +
		"raise /sys/module/usbcore/parameters/usbfs_memory_mb")
	// ErrNoUSB is all that List and Open return in a build without libusb.
	ErrNoUSB = errors.New("built without USB support: " +
		"install libusb-1.0-0-dev and pkg-config, then build with CGO_ENABLED=1 go build -tags usb")
)

// Bus finds and opens USB devices. It is the whole of what this package wants
// from the operating system; methods may be called from any goroutine.
type Bus interface {
	// Scan lists the devices of the cameras' vendors that are plugged in now,
	// without opening them.
	Scan(ctx context.Context) ([]USBDevice, error)
	// Open takes one of them: kernel drivers are detached and every interface
	// is claimed. ErrPermission, ErrInUse or camdriver.ErrUnplugged.
	Open(dev USBDevice) (Handle, error)
}

// USBDevice is one plugged device, as the bus enumerated it.
type USBDevice struct {
	Product uint16
	Bus     int
	Address int    // changes with each enumeration
	Port    string // "2-1.4": bus, then the ports on the way
	Spec    uint16 // bcdUSB: 0x0320 on a USB 3 link, 0x0210 on a USB 2 one
}

// Handle is one opened device.
type Handle interface {
	// Control runs one control transfer. The top bit of requestType gives the
	// direction. ErrStall, ErrTimeout, camdriver.ErrUnplugged or other errors.
	Control(requestType, request uint8, value, index uint16, data []byte) (int, error)
	// ClearHalt clears a stall of an endpoint on both sides of the cable.
	ClearHalt(endpoint uint8) error
	// Stream keeps count transfers of size bytes each in flight on an IN
	// endpoint of an interface, until its Close.
	Stream(iface, endpoint uint8, size, count int) (Stream, error)
	// Close gives the interfaces back, streaming ones before their control
	// interface: uvcvideo binds on the latter and must then find the former free.
	// All Streams must be closed before.
	Close() error
}

// Stream reads one IN endpoint. It belongs to one goroutine.
type Stream interface {
	// Read waits for the next transfer and copies it to p, which must be of the
	// transfers' size. One that has ended already is given even if ctx has, too.
	// After an error (ctx's end too) the stream is dead and no transfer is in
	// flight any more.
	Read(ctx context.Context, p []byte) (int, error)
	// Close ends the transfers in flight.
	Close()
}
