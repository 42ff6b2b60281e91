//go:build !usb || !cgo

package d400

func newBus() (Bus, error) { return nil, ErrNoUSB }
