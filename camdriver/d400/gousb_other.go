//go:build !usb || !cgo

package d400

// newBus has no libusb to work with in this build.
func newBus() (Bus, error) { return nil, ErrNoUSB }
