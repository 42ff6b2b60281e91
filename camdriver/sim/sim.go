package sim

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rsros/camdriver"
)

// Options choose what is simulated. The zero value is a D435i on the machine's
// clock.
type Options struct {
	Seed   int64           // of path, textures and noise; the same seed gives the same pixels
	Clock  camdriver.Clock // camdriver.System if nil
	Serial string          // serial number; "000000000000" if empty
	Pose   bool            // add the sensor "Pose" (Pose_0 at 200 Hz)

	// Loop is how long the camera's path is, rounded up to whole seconds;
	// 2 s if 0.
	Loop time.Duration
	// StreamMemory bounds the kept images of one stream, in bytes; 192 MiB if
	// 0. A loop that doesn't fit shows each image for several frames.
	StreamMemory int64
	// Noiseless turns sensor noise off: measurements are then exact.
	Noiseless bool
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = camdriver.System{}
	}
	if o.Serial == "" {
		o.Serial = "000000000000"
	}
	if o.Loop <= 0 {
		o.Loop = 2 * time.Second
	}
	o.Loop = (o.Loop + time.Second - 1).Truncate(time.Second)
	if o.StreamMemory <= 0 {
		o.StreamMemory = 192 << 20
	}
	return o
}

// Device is the simulated camera.
type Device struct {
	opt     Options
	opened  time.Time // start of all frame grids and of the hardware clock
	world   *world
	sensors []*sensor

	gone atomic.Bool   // between disconnecting and coming back
	back chan struct{} // closed when the camera comes back; nil if it never was away

	mu     sync.Mutex      // orders Reset, Unplug, Replug and Close
	replug chan struct{}   // closed by Replug; nil unless the camera is unplugged
	ctx    context.Context // ends with Close
	end    context.CancelFunc
	work   sync.WaitGroup // while the camera is gone
}

var _ camdriver.Returning = (*Device)(nil)

// Open makes a camera. Nothing runs until a sensor is started.
func Open(o Options) (*Device, error) {
	o = o.withDefaults()
	d := &Device{opt: o, opened: o.Clock.Now(), world: newWorld(o)}
	d.ctx, d.end = context.WithCancel(context.Background())
	d.add("Stereo Module", stereoProfiles(), stereoOptions(), stereoFilters)
	d.add("RGB Camera", colorProfiles(), colorOptions(), colorFilters)
	d.add("Motion Module", motionProfiles(), motionOptions(), nil)
	if o.Pose {
		d.add("Pose", poseProfiles(), poseOptions(), nil)
	}
	return d, nil
}

func (d *Device) add(name string, profiles []camdriver.Profile, options []camdriver.Option, filters []string) {
	s := &sensor{dev: d, number: len(d.sensors), name: name, profiles: profiles, filters: filters}
	s.loops = make(map[camdriver.StreamID]*loop)
	s.settings.Store(newSettings(options))
	d.sensors = append(d.sensors, s)
}

// Info says D435I with its product id, and that it is simulated.
func (d *Device) Info() []camdriver.Info {
	return []camdriver.Info{
		{Key: camdriver.InfoName, Value: "Intel RealSense D435I (simulated)"},
		{Key: camdriver.InfoSerialNumber, Value: d.opt.Serial},
		{Key: camdriver.InfoFirmwareVersion, Value: "5.17.0.10"},
		{Key: camdriver.InfoRecommendedFirmwareVersion, Value: "5.17.0.10"},
		{Key: camdriver.InfoPhysicalPort, Value: "sim"},
		{Key: camdriver.InfoAdvancedMode, Value: "NO"},
		{Key: camdriver.InfoProductId, Value: "0B3A"},
		{Key: camdriver.InfoCameraLocked, Value: "YES"},
		{Key: camdriver.InfoUsbTypeDescriptor, Value: "3.2"},
		{Key: camdriver.InfoProductLine, Value: "D400"},
		{Key: camdriver.InfoAsicSerialNumber, Value: d.opt.Serial},
		{Key: camdriver.InfoFirmwareUpdateId, Value: d.opt.Serial},
	}
}

// Sensors gives Stereo Module, RGB Camera, Motion Module and, if asked for, Pose.
func (d *Device) Sensors() []camdriver.Sensor {
	out := make([]camdriver.Sensor, len(d.sensors))
	for i, s := range d.sensors {
		out[i] = s
		if s.profiles[0].Stream.Kind.Video() {
			out[i] = videoSensor{s}
		}
	}
	return out
}

// Prepare draws all images of the profiles, which are indexed as Sensors, so that
// no frame is late because its image is still being drawn. It may take seconds; if
// ctx ends it returns after the image being drawn. Images that it didn't draw are
// drawn when they are needed, or before that in the background.
func (d *Device) Prepare(ctx context.Context, profiles [][]camdriver.Profile) {
	for i, s := range d.sensors {
		if i < len(profiles) {
			s.prepare(ctx, profiles[i])
		}
	}
}

// Extrinsics maps points between any two streams, started or not.
func (d *Device) Extrinsics(from, to camdriver.StreamID) (camdriver.Extrinsics, error) {
	a, err := fromDepth(from)
	if err != nil {
		return a, err
	}
	b, err := fromDepth(to)
	if err != nil || from == to {
		return camdriver.Identity(), err
	}
	return a.Inverse().Then(b), nil
}

// Close stops all sensors for good.
func (d *Device) Close() error {
	d.mu.Lock()
	d.end()
	d.mu.Unlock()
	for _, s := range d.sensors {
		s.close()
	}
	d.work.Wait()
	return nil
}
