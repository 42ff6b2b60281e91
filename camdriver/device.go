package camdriver

import (
	"context"
	"errors"
)

// Errors that callers of every driver decide on.
var (
	ErrNotFound    = errors.New("not found")           // no such device, option or stream
	ErrBusy        = errors.New("already streaming")   // Start on a started sensor
	ErrUnsupported = errors.New("not supported")       // profile, option or operation the device lacks
	ErrClosed      = errors.New("device is closed")    // any use after Close
	ErrUnplugged   = errors.New("device disconnected") // the camera went away
)

// Device is one opened camera. It is owned by whoever opened it, who calls
// Close; Close stops all sensors first and may be called twice.
type Device interface {
	// Info gives what the device says of itself, in InfoKey order.
	Info() []Info
	// Sensors gives the device's sensors; a sensor's place here is its number
	// in topics (sensor_0, sensor_1, …).
	Sensors() []Sensor
	// Extrinsics maps points in from's coordinate system to to's.
	Extrinsics(from, to StreamID) (Extrinsics, error)
	// Reset restarts the hardware; streams end with StatusDisconnected and come
	// back where the driver can reconnect. ErrUnsupported where there is nothing
	// to reset.
	Reset() error
	Close() error
}

// Returning is a Device that may go away and come back: a camera that can be
// unplugged, or Reset.
type Returning interface {
	Device
	// AwaitReturn returns when the camera is there: at once, unless it was unplugged
	// or Reset before. It returns ErrClosed if the device is closed, or ctx's error.
	AwaitReturn(ctx context.Context) error
}

// Sensor is one part of a device that streams and has options of its own.
type Sensor interface {
	Name() string
	Info() []Info
	// Profiles lists every way this sensor's streams can run.
	Profiles() []Profile
	// Options gives the present state of all options, in OptionID order.
	Options() []Option
	// SetOption changes a writable option and raises Handler.OptionChanged if
	// the sensor is streaming. ErrNotFound, ErrUnsupported (read-only) or a
	// range error otherwise.
	SetOption(id OptionID, value float32) error
	// Filters names the recommended post-processing filters, in order.
	Filters() []string
	// Intrinsics of a video profile, MotionIntrinsics of an inertial one.
	Intrinsics(p Profile) (Intrinsics, error)
	MotionIntrinsics(p Profile) (MotionIntrinsics, error)
	// Start begins streaming the given profiles (at most one per stream) into h.
	Start(profiles []Profile, h Handler) error
	// Stop ends streaming and waits for the last Handler call. Stopping a
	// stopped sensor does nothing.
	Stop() error
}

// StatusKind says what became of a device's streams.
type StatusKind uint8

// What a device reports of itself while sensors are started.
const (
	StatusStreaming    StatusKind = iota // frames come (again)
	StatusPaused                         // a playback device holds still
	StatusEnded                          // end of file; raised once for each run
	StatusDisconnected                   // the camera went away; Err says why
	StatusFailed                         // streaming cannot go on; Err says why
)

var statusNames = [...]string{"streaming", "paused", "ended", "disconnected", "failed"}

// String gives a lower-case word.
func (k StatusKind) String() string { return nameOf(statusNames[:], int(k)) }

// Status is a change in a device's life.
type Status struct {
	Kind StatusKind
	Err  error // nil unless disconnected or failed
}
