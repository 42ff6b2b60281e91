package live

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/sim"
	"rsros/program"
)

// SourceOptions say which device to open.
type SourceOptions struct {
	// Device is "sim", "sim:SERIAL", "usb", or the path of a RealSense bag. Empty is
	// an error: a camera that isn't there is never imitated.
	Device string
	// Serial, Port and Type pick one of several USB cameras; empty takes any.
	Serial, Port, Type string
	// Seed and Pose belong to the simulated device.
	Seed int64
	Pose bool
	// Speed, Loop and Paused belong to a bag; speed 1 is real time.
	Speed  float64
	Loop   bool
	Paused bool            // begin paused, so that subscribers miss nothing
	Clock  camdriver.Clock // nil is the machine's
	Log    zerolog.Logger  // for what a driver has to say
}

// OpenSource opens the device that o names. The error of a device that isn't
// there wraps ErrNoDevice and lists what was looked for.
func OpenSource(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	if o.Clock == nil {
		o.Clock = camdriver.System{}
	}
	switch {
	case o.Device == "":
		return nil, fmt.Errorf("%w: none was named; use --device usb for a camera, --device sim for a simulated one, or --device FILE.bag for a recording", program.ErrNoDevice)
	case o.Device == "sim", strings.HasPrefix(o.Device, "sim:"):
		_, serial, _ := strings.Cut(o.Device, ":")
		return sim.Open(sim.Options{Seed: o.Seed, Clock: o.Clock, Pose: o.Pose, Serial: serial})
	case o.Device == "usb":
		return openUSB(ctx, o)
	default:
		return openBag(o)
	}
}

func openUSB(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	dev, err := d400.Open(ctx, d400.Selector{Serial: o.Serial, Port: o.Port, Type: o.Type}, d400.Options{Log: o.Log})
	if errors.Is(err, camdriver.ErrNotFound) || errors.Is(err, d400.ErrNoUSB) {
		return nil, fmt.Errorf("%w: %w", program.ErrNoDevice, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open USB camera: %w", err)
	}
	return dev, nil
}
