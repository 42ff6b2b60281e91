package usb

import "errors"

// Errors that a Bus returns, in addition to camdriver.ErrUnplugged.
var (
	ErrStall      = errors.New("request refused (stall)")
	ErrTimeout    = errors.New("transfer timed out")
	ErrInUse      = errors.New("in use by another program")
	ErrPermission = errors.New("no permission to open the USB device")
	ErrMemory     = errors.New("the kernel's memory for USB transfers is exhausted; " +
		"raise /sys/module/usbcore/parameters/usbfs_memory_mb")
	// ErrNoUSB is the error of drivers in builds without libusb.
	ErrNoUSB = errors.New("built without USB support; " +
		"install libusb-1.0-0-dev and pkg-config, then build with CGO_ENABLED=1 go build -tags usb")
)
