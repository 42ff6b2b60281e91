package camdriver

import "context"

// Device is an open camera. The caller that opened it must call Close, which stops
// all sensors and may be called more than once.
type Device interface {
	// Info returns the device's description, in InfoKey order.
	Info() []Info
	// Sensors returns the device's sensors. A sensor's index is its number in topic names (sensor_0, sensor_1, …).
	Sensors() []Sensor
	// Extrinsics returns the map from the first stream's coordinate system to the second's.
	Extrinsics(from, to StreamID) (Extrinsics, error)
	// Reset restarts the hardware. Streams end with StatusDisconnected and resume if
	// the driver can reconnect. It returns ErrUnsupported if there is no hardware.
	Reset() error
	Close() error
}

// Returning is a Device that can disappear and return: a camera that can be unplugged or reset.
type Returning interface {
	Device
	// AwaitReturn waits until the camera is connected. It returns ErrClosed if the device is closed, or ctx's error.
	AwaitReturn(ctx context.Context) error
}

// Sensor is a part of a device with its own streams and options.
type Sensor interface {
	Name() string
	Info() []Info
	// Profiles returns all profiles that the sensor's streams support.
	Profiles() []Profile
	// Options returns the current state of all options, in OptionID order. A USB camera is asked for each of them.
	Options() []Option
	// Option returns the current state of one option, or false if the sensor lacks it.
	Option(id OptionID) (Option, bool)
	// SetOption changes an option and calls Handler.OptionChanged if the sensor is streaming. It returns ErrNotFound,
	// ErrUnsupported if the option is read-only, or an error if the value is out of range.
	SetOption(id OptionID, value float32) error
	// Filters returns the names of the recommended post-processing filters, in order.
	Filters() []string
	// Intrinsics is for video profiles, MotionIntrinsics for inertial ones.
	Intrinsics(p Profile) (Intrinsics, error)
	MotionIntrinsics(p Profile) (MotionIntrinsics, error)
	// Start streams the profiles, at most one per stream, to h.
	Start(profiles []Profile, h Handler) error
	// Stop ends streaming and waits for running Handler calls. It does nothing if the sensor is stopped.
	Stop() error
}

// StatusKind is the state of a device's streams.
type StatusKind uint8

// The states that a device reports while sensors are started.
const (
	StatusStreaming    StatusKind = iota // frames arrive, or arrive again
	StatusPaused                         // playback is paused
	StatusEnded                          // end of file; reported once per run
	StatusDisconnected                   // the camera disappeared; see Err
	StatusFailed                         // streaming cannot continue; see Err
)

var statusNames = [...]string{"streaming", "paused", "ended", "disconnected", "failed"}

// String returns a lower-case word.
func (k StatusKind) String() string { return nameOf(statusNames[:], k) }

// Status is a change of a device's state.
type Status struct {
	Kind StatusKind
	Err  error // nil unless disconnected or failed
}
