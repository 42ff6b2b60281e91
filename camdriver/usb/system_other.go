//go:build !usb || !cgo

package usb

// Available tells whether this build has libusb. It is a constant, so that without libusb no driver is linked.
const Available = false

// System returns the system's bus, which needs libusb.
func System(...uint16) Bus { return nil }
