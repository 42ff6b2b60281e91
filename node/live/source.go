package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/sim"
	"rsros/program"
)

// SourceOptions select the device to open.
type SourceOptions struct {
	// Device is "sim", "sim:SERIAL", "usb", "usb:SERIAL", or the path of a RealSense recording.
	// Empty is an error: a camera that isn't there is never imitated.
	Device string `setting:"device"`
	// Serial, Port and Type select one of several USB cameras. Empty matches any.
	Serial string `setting:"serial"`
	Port   string `setting:"port"`
	Type   string `setting:"type"`
	// Wait is how long to wait at the start for a camera that isn't there, or for its
	// return from InitialReset. 0 doesn't wait: it is an error. A negative time is for
	// ever. A recording is never waited for.
	Wait time.Duration `setting:"wait-for-device-timeout"`
	// Retry is how long to wait between two attempts to open the camera; default 6 s.
	// A USB camera that goes away later is looked for as often, and at least twice a
	// second.
	Retry        time.Duration `setting:"reconnect-timeout"`
	InitialReset bool          `setting:"initial-reset"` // reset the camera first, and wait until it is back
	// Unplugged is a simulated camera that isn't there until ~plug plugs it in.
	Unplugged bool `setting:"unplugged"`
	// Seed and Pose apply to the simulated device.
	Seed int64 `setting:"seed"`
	Pose bool  `setting:"pose"`
	// Speed, Loop and Paused apply to a bag. Speed 1 is real time.
	Speed  float64         `setting:"speed"`
	Loop   bool            `setting:"loop"`
	Paused bool            `setting:"pause"` // start paused, so that subscribers miss nothing
	Clock  camdriver.Clock // default: the system clock
	Log    zerolog.Logger  // of the driver
}

// isBag reports whether the device is a recording.
func (o *SourceOptions) isBag() bool {
	kind, _ := o.kind()
	return o.Device != "" && kind == ""
}

// kind takes Device apart: "sim" or "usb", and a serial number. It returns an empty
// kind for a file.
func (o *SourceOptions) kind() (kind, serial string) {
	kind, serial, _ = strings.Cut(o.Device, ":")
	if kind != "sim" && kind != "usb" {
		return "", ""
	}
	return kind, cmp.Or(serial, o.Serial)
}

func (o *SourceOptions) clock() camdriver.Clock {
	if o.Clock == nil {
		return camdriver.System{}
	}
	return o.Clock
}

// OpenSource opens the device that o selects. If it doesn't exist, the error wraps
// program.ErrNoDevice and names what was looked for.
func OpenSource(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	o.Clock = o.clock()
	kind, serial := o.kind()
	switch {
	case o.Device == "":
		return nil, fmt.Errorf("%w: none was named; use --device usb for a camera, --device sim for a simulated one, or --device FILE.bag for a recording", program.ErrNoDevice)
	case kind == "sim" && o.Unplugged:
		return nil, fmt.Errorf("%w: the simulated camera is unplugged", program.ErrNoDevice)
	case kind == "sim":
		return sim.Open(sim.Options{Seed: o.Seed, Clock: o.Clock, Pose: o.Pose, Serial: serial})
	case kind == "usb":
		o.Serial = serial
		return openUSB(ctx, o)
	default:
		return openBag(o)
	}
}

// mostRescan is how often a USB camera that went away is looked for at least.
const mostRescan = 500 * time.Millisecond

func openUSB(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	dev, err := d400.Open(ctx, d400.Selector{Serial: o.Serial, Port: o.Port, Type: o.Type}, d400.Options{Log: o.Log, Rescan: min(o.Retry, mostRescan)})
	if errors.Is(err, camdriver.ErrNotFound) || errors.Is(err, d400.ErrNoUSB) {
		return nil, fmt.Errorf("%w: %w", program.ErrNoDevice, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open USB camera: %w", err)
	}
	return dev, nil
}
