package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/model"
	"rsros/camdriver/sim"
	"rsros/camdriver/usb"
	"rsros/program"
	"rsros/program/nearest"
	"rsros/replay/recorded"
	"rsros/ros/graph"
)

// SourceOptions select the device to open.
type SourceOptions struct {
	// Device is "sim", "sim:SERIAL", "usb", "usb:SERIAL", or the path of a RealSense recording.
	// Empty is an error.
	Device string `setting:"device"`
	// Serial, Port and Type select one of several USB cameras. Empty matches any.
	Serial string `setting:"serial"`
	Port   string `setting:"port"`
	Type   string `setting:"type"`
	// Wait is how long to wait at the start for a missing camera, or for its return from
	// InitialReset. 0 doesn't wait; a negative time has no limit. A recording is never
	// waited for.
	Wait time.Duration `setting:"wait-for-device-timeout"`
	// Retry is the time between attempts to open the camera; default 6 s. A USB camera that
	// is unplugged later is searched for as often, and at least twice a second.
	Retry        time.Duration `setting:"reconnect-timeout"`
	InitialReset bool          `setting:"initial-reset"` // reset the camera first, and wait for its return
	// Unplugged makes a simulated camera missing until ~plug plugs it in.
	Unplugged bool `setting:"unplugged"`
	// Seed and Pose apply to the simulated device.
	Seed int64 `setting:"seed"`
	Pose bool  `setting:"pose"`
	// Drift is that of the simulated device's clock, see sim.Options.
	Drift float64 `setting:"clock-drift"`
	// Speed, Loop and Paused apply to a bag. Speed 1 is real time.
	Speed  float64 `setting:"rate"`
	Loop   bool    `setting:"loop"`
	Paused bool    `setting:"pause"` // start paused, so that subscribers miss nothing
	// Recorded is the name of a camera in a bag of several, or a device's number. Named is taken in its place; it doesn't
	// count in a bag with one camera.
	Recorded string `setting:"recorded-device"`
	Named    string
	All      bool            // without a name, all cameras of a bag are opened (see recorded.Options)
	Clock    camdriver.Clock // default: the system clock
	Log      zerolog.Logger  // of the driver
}

func (o *SourceOptions) isBag() bool {
	kind, _ := o.kind()
	return o.Device != "" && kind == ""
}

// kind splits Device into "sim" or "usb" and a serial number. For a file, kind is empty.
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

// OpenSource opens the device. If it doesn't exist, the error is a program.ErrNoDevice.
func OpenSource(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	o.Clock = o.clock()
	kind, serial := o.kind()
	switch {
	case o.Device == "":
		return nil, fmt.Errorf("%w: none is named; use --device usb for a camera, --device sim for a simulated one, or --device FILE.bag for a recording", program.ErrNoDevice)
	case kind == "sim" && o.Unplugged:
		return nil, fmt.Errorf("%w: the simulated camera is unplugged", program.ErrNoDevice)
	case kind == "sim":
		return sim.Open(sim.Options{Seed: o.Seed, Clock: o.Clock, Pose: o.Pose, Serial: serial, Drift: o.Drift})
	case kind == "usb":
		o.Serial = serial
		return openUSB(ctx, o)
	default:
		return openBag(ctx, o)
	}
}

const mostRescan = 500 * time.Millisecond

func openUSB(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	if model.OnlyTracking(o.Type) {
		return nil, fmt.Errorf("%w: device_type %s: tracking cameras (T265) have no driver; a recording of one can be the device (device:=FILE.bag)",
			program.ErrUsage, o.Type)
	}
	dev, err := d400.Open(ctx, d400.Selector{Serial: o.Serial, Port: o.Port, Type: o.Type},
		d400.Options{Log: o.Log, Rescan: min(o.Retry, mostRescan)})
	if errors.Is(err, camdriver.ErrNotFound) || errors.Is(err, usb.ErrNoUSB) {
		return nil, fmt.Errorf("%w: %w", program.ErrNoDevice, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open USB camera: %w", err)
	}
	return dev, nil
}

func openBag(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	if _, err := os.Stat(o.Device); errors.Is(err, fs.ErrNotExist) && !place.IsAddress(o.Device) {
		return nil, fmt.Errorf("%w: no file %s, and it is neither sim nor usb%s", program.ErrNoDevice, o.Device,
			cmp.Or(nearest.Hint(o.Device, []string{"sim", "usb"}), nearest.File(o.Device)))
	}
	// Paused until all sensors are started.
	dev, err := recorded.Open(o.Device, recorded.Options{
		RealTime: true, Speed: cmp.Or(o.Speed, 1), Loop: o.Loop, Paused: true, Context: ctx, ClockHz: clockHz,
		Camera: cmp.Or(o.Recorded, o.Named), Lenient: o.Recorded == "", All: o.All,
	})
	if err != nil {
		return nil, err
	}
	for _, c := range dev.Cameras() {
		log := o.Log.With().Str("bag", o.Device).Logger()
		if len(dev.Cameras()) > 1 {
			log = log.With().Str("camera", c.File().Camera().Name).Logger()
		}
		for _, note := range c.File().Notes() {
			log.Warn().Msg(note)
		}
	}
	return dev, nil
}

func damageOf(dev *recorded.Device) error {
	for _, note := range dev.File().Bag().Notes() {
		if note.Severity == bagstore.Loss {
			return fmt.Errorf("%w: at byte %d: %s", program.ErrIncomplete, note.Offset, note.Text)
		}
	}
	if n, err := dev.Damage(); n > 0 {
		return fmt.Errorf("%w: the recording is damaged: %w", program.ErrIncomplete, err)
	}
	return nil
}

// resetWait is the default time for a camera to return from a reset at the start.
const resetWait = 30 * time.Second

// await opens the device. If it is missing, await tries again for o.Wait every o.Retry,
// until ctx ends or the node is shut down, and calls onWaiting each time. Before the node has
// joined the graph, and for a recording, it tries once.
func (c *camera) await(ctx context.Context, o SourceOptions, onWaiting func()) (camdriver.Device, error) {
	if o.Wait == 0 || c.node == nil || o.isBag() {
		return c.try(ctx, o)
	}
	ctx, done := c.node.UntilDone(ctx)
	defer done()
	var plugged atomic.Bool
	services, err := c.offerPlug(o, &plugged)
	if err != nil {
		return nil, err
	}
	defer services.Close()
	clock, logged := o.clock(), ""
	for end := clock.Now().Add(o.Wait); ; {
		o.Unplugged = o.Unplugged && !plugged.Load()
		dev, err := c.try(ctx, o)
		if !errors.Is(err, program.ErrNoDevice) || errors.Is(err, usb.ErrNoUSB) {
			return dev, err
		}
		onWaiting()
		pause := o.Retry
		if left := end.Sub(clock.Now()); o.Wait > 0 && left <= 0 {
			return nil, fmt.Errorf("waited %v for a camera: %w", o.Wait, err)
		} else if o.Wait > 0 {
			pause = min(pause, left)
		}
		if text := err.Error(); text != logged {
			c.log.Warn().Err(err).Stringer("next_attempt_in", pause).Msg("waiting for the camera")
			logged = text
		}
		if err := clock.SleepUntil(ctx, clock.Now().Add(pause)); err != nil {
			return nil, fmt.Errorf("wait for a camera: %w", err)
		}
	}
}

// try opens one device at a time, because selecting a USB camera opens others.
func (c *camera) try(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	c.openMu.Lock()
	defer c.openMu.Unlock()
	return OpenSource(ctx, o)
}

// resetFirst resets the device if InitialReset is set, and waits for its return until ctx
// ends. It calls onWaiting before.
func (c *camera) resetFirst(ctx context.Context, onWaiting func()) error {
	o := c.opts.Source
	if !o.InitialReset {
		return nil
	}
	returning, ok := c.device.(camdriver.Returning)
	if !ok {
		c.log.Warn().Msg("initial_reset has no effect: a recording can't be reset")
		return nil
	}
	c.log.Info().Msg("resetting the camera")
	if err := c.device.Reset(); err != nil {
		return fmt.Errorf("reset the camera before the start: %w", err)
	}
	wait := cmp.Or(o.Wait, resetWait)
	if wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	onWaiting()
	if err := returning.AwaitReturn(ctx); errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: the camera didn't return within %v after its reset", program.ErrNoDevice, wait)
	} else if err != nil {
		return fmt.Errorf("wait for the camera's return after its reset: %w", err)
	}
	c.log.Info().Msg("the camera is back from its reset")
	return nil
}

// offerPlug offers ~plug of a simulated camera that starts unplugged, which sets in.
func (c *camera) offerPlug(o SourceOptions, in *atomic.Bool) (graph.Services, error) {
	if !o.Unplugged {
		return nil, nil
	}
	return graph.Offer(c.node, graph.SetBool(c.private("plug"), func(_ context.Context, plugged bool) (string, error) {
		in.Store(plugged)
		return map[bool]string{true: "plugged in", false: "unplugged"}[plugged], nil
	}))
}
