package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/playback"
	"rsros/camdriver/sim"
)

// SourceOptions say which device to open.
type SourceOptions struct {
	// Device is "sim", "usb", or the path of a RealSense bag. Empty is an error:
	// a camera that isn't there is never imitated.
	Device string
	// Serial, Port and Type pick one of several USB cameras; empty takes any.
	Serial, Port, Type string
	// Seed and Pose belong to the simulated device.
	Seed int64
	Pose bool
	// Speed and Loop belong to a bag: 1 is real time.
	Speed float64
	Loop  bool
	Clock camdriver.Clock // nil is the machine's
}

// OpenSource opens the device that o names. The error of a device that isn't
// there wraps ErrNoDevice and lists what was looked for.
func OpenSource(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	if o.Clock == nil {
		o.Clock = camdriver.System{}
	}
	switch {
	case o.Device == "":
		return nil, fmt.Errorf("%w: none was named; use --device usb for a camera, --device sim for a simulated one, or --device FILE.bag for a recording", ErrNoDevice)
	case o.Device == "sim":
		return sim.Open(sim.Options{Seed: o.Seed, Clock: o.Clock, Pose: o.Pose})
	case o.Device == "usb":
		return openUSB(ctx, o)
	default:
		return openBag(o)
	}
}

func openUSB(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	dev, err := d400.Open(ctx, d400.Selector{Serial: o.Serial, Port: o.Port, Type: o.Type}, d400.Options{Clock: o.Clock})
	if errors.Is(err, camdriver.ErrNotFound) {
		return nil, fmt.Errorf("%w: looked for %s: %w", ErrNoDevice, o.wanted(), err)
	}
	if err != nil {
		return nil, fmt.Errorf("open USB camera: %w", err)
	}
	return dev, nil
}

// wanted says in words which USB camera was asked for.
func (o SourceOptions) wanted() string {
	wanted := []string{"a RealSense D400 camera on USB"}
	for _, by := range [][2]string{{"serial number", o.Serial}, {"port", o.Port}, {"type", o.Type}} {
		if by[1] != "" {
			wanted = append(wanted, by[0]+" "+by[1])
		}
	}
	return strings.Join(wanted, ", ")
}

func openBag(o SourceOptions) (camdriver.Device, error) {
	if _, err := os.Stat(o.Device); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: looked for a file %s (not one of the words sim and usb)", ErrNoDevice, o.Device)
	}
	speed := o.Speed
	if speed == 0 {
		speed = 1
	}
	return playback.Open(o.Device, playback.Options{Clock: o.Clock, RealTime: true, Speed: speed, Loop: o.Loop})
}
