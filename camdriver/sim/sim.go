package sim

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// Options configure the simulation. The zero value is a D435i on the host's clock.
type Options struct {
	Seed   int64           // of path, textures and noise; determines every pixel
	Clock  camdriver.Clock // camdriver.System if nil
	Serial string          // serial number; "000000000000" if empty
	Pose   bool            // add the sensor "Pose" (Pose_0 at 200 Hz)
	// Drift is what Clock gains on the camera's own clock, in microseconds a second. If it isn't 0,
	// sensors start with Global Time Enabled off, so that stamps are on the camera's clock.
	Drift float64

	// Loop is the duration of the camera's path, rounded up to whole seconds; 2 s if 0.
	Loop time.Duration
	// StreamMemory bounds the cached images of a stream in bytes; 192 MiB if 0. If a
	// loop doesn't fit, consecutive frames share an image.
	StreamMemory int64
	// Noiseless disables sensor noise.
	Noiseless bool
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = camdriver.System{}
	}
	o.Serial = cmp.Or(o.Serial, "000000000000")
	o.Loop = (cmp.Or(o.Loop, 2*time.Second) + time.Second - 1).Truncate(time.Second)
	o.StreamMemory = cmp.Or(o.StreamMemory, 192<<20)
	return o
}

// Device is the simulated camera.
type Device struct {
	opt     Options
	opened  time.Time // origin of frame grids and of the hardware clock
	world   *world
	sensors []*sensor

	gone atomic.Bool   // camera is disconnected
	back chan struct{} // closed when the camera reconnects; nil if it never was away

	mu     sync.Mutex      // orders Reset, Unplug, Replug and Close
	replug chan struct{}   // closed by Replug and then nil; a reset ignores it
	ctx    context.Context // canceled by Close
	end    context.CancelCauseFunc
	work   sync.WaitGroup // goroutine that reconnects the camera
}

var _ camdriver.Returning = (*Device)(nil)

// Open returns a new camera.
func Open(o Options) (*Device, error) {
	o = o.withDefaults()
	d := &Device{opt: o, opened: o.Clock.Now(), world: newWorld(o)}
	d.ctx, d.end = context.WithCancelCause(context.Background())
	d.add("Stereo Module", stereoProfiles(), stereoOptions(), camdriver.DepthFilters)
	d.add("RGB Camera", video(camdriver.ColorStream, camdriver.RGB8, model.ColorSizes, 1280, 720),
		colorOptions(), camdriver.ColorFilters)
	d.add("Motion Module", model.MotionProfiles(model.ChipBMI055), motionOptions(), nil)
	if o.Pose {
		pose := camdriver.Profile{Stream: camdriver.PoseStream, Format: camdriver.SixDOF, FPS: 200, Default: true}
		d.add("Pose", []camdriver.Profile{pose}, commonOptions(), nil)
	}
	return d, nil
}

func (d *Device) add(name string, profiles []camdriver.Profile, options []camdriver.Option, filters []string) {
	s := &sensor{dev: d, number: len(d.sensors), name: name, profiles: profiles, filters: filters}
	s.loops = make(map[camdriver.StreamID]*loop)
	set := newSettings(options)
	if i := set.find(camdriver.OptionGlobalTimeEnabled); i >= 0 && d.opt.Drift != 0 {
		set.options[i].Value = 0
	}
	s.settings.Store(set)
	d.sensors = append(d.sensors, s)
}

// video returns the profiles of a stream. The default has the given size, and 30 frames per second.
func video(id camdriver.StreamID, f camdriver.Format, sizes []model.Size, width, height int) []camdriver.Profile {
	var out []camdriver.Profile
	for _, s := range sizes {
		for _, fps := range s.FPS {
			out = append(out, camdriver.Profile{
				Stream: id, Format: f, Width: s.W, Height: s.H, FPS: fps, Default: s.W == width && s.H == height && fps == 30,
			})
		}
	}
	return out
}

func stereoProfiles() []camdriver.Profile {
	return slices.Concat(
		video(camdriver.DepthStream, camdriver.Z16, model.StereoSizes, 848, 480),
		video(camdriver.LeftStream, camdriver.Y8, model.StereoSizes, 848, 480),
		video(camdriver.RightStream, camdriver.Y8, model.StereoSizes, 848, 480))
}

func (d *Device) Info() []camdriver.Info {
	return []camdriver.Info{
		{Key: camdriver.InfoName, Value: "Intel RealSense D435I (simulated)"},
		{Key: camdriver.InfoSerialNumber, Value: d.opt.Serial},
		{Key: camdriver.InfoFirmwareVersion, Value: model.RecommendedFirmware},
		{Key: camdriver.InfoRecommendedFirmwareVersion, Value: model.RecommendedFirmware},
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

// Sensors returns Stereo Module, RGB Camera, Motion Module and, if enabled, Pose.
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

// Prepare renders all images of the profiles, which are indexed by sensor, so that no
// frame has to wait for rendering. It may take seconds. If ctx is done, it returns
// after the current image; the rest is rendered in the background or on use.
func (d *Device) Prepare(ctx context.Context, profiles [][]camdriver.Profile) {
	for i, s := range d.sensors {
		if i < len(profiles) {
			s.prepare(ctx, profiles[i])
		}
	}
}

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

func (d *Device) Close() error {
	d.mu.Lock()
	d.end(camdriver.ErrClosed)
	d.mu.Unlock()
	for _, s := range d.sensors {
		s.close()
	}
	d.work.Wait()
	return nil
}
