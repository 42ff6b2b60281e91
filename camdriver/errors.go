package camdriver

import "errors"

// Errors that every driver returns, for callers to test with errors.Is.
var (
	ErrNotFound    = errors.New("not found")           // no such device, option or stream
	ErrBusy        = errors.New("already streaming")   // Start on a started sensor
	ErrUnsupported = errors.New("not supported")       // the device lacks the profile, option or operation
	ErrClosed      = errors.New("device is closed")    // use after Close
	ErrUnplugged   = errors.New("device disconnected") // the camera was unplugged or reset
)
