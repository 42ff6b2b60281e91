// Package recorded plays a RealSense recording as a camdriver.Device. A replay.Player decides
// when each frame is raised, and executes the commands of Device.Do.
//
// Frames are raised in real time, at any speed, or as fast as the handler accepts
// them. None is dropped. Handlers are called from one goroutine, in the order of file
// times, so two runs raise the same frames in the same order. A handler must not call
// Do, Start, Stop or Close, because those wait for the handler.
//
// Playback begins when the first sensor starts. To get all frames, open with
// Options.Paused, start all sensors, then resume.
//
// The cameras of one recording can be devices of one player. Positions are then times since the first frame of all.
//
// Pixels are in the memory of the bag reader. A retained frame keeps its block of the
// file in memory, also after Close.
package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/replay"
)

// Options control playback. With the zero value, the file is played once, as fast as
// the handler accepts frames.
type Options struct {
	Clock    replay.Clock    // a replay.System if nil
	RealTime bool            // raise frames at their recorded rate
	Speed    float64         // factor for RealTime; 1 if 0
	Loop     bool            // restart at the end
	Paused   bool            // start paused
	Context  context.Context // that of bagstore.OpenOptions
	Camera   string          // that of rsbag.Options, with Lenient
	Lenient  bool
	All      bool    // without Camera, open all cameras of a recording (see Device.Cameras)
	ClockHz  float64 // how often the time is observed (Device.Observe); 0 is never
}

// Device is a camera of a recording. It implements camdriver.Device.
type Device struct {
	*group
	file    *rsbag.File
	offset  time.Duration // of file time 0 on the group's time line
	snap    camdriver.DeviceSnapshot
	sensors []*sensor
	conns   connections
	wanted  atomic.Pointer[map[camdriver.StreamID]bool]
	raised  raised

	mu      sync.Mutex
	options [][]camdriver.Option // by sensor
	damaged uint64
	damage  error
}

var _ camdriver.Device = (*Device)(nil)

// aheadBytes is enough to have the next frame while one is raised.
const aheadBytes = 64 << 10

// Open opens a recording.
func Open(path string, o Options) (*Device, error) {
	clock := func() error { return nil }
	if o.Clock == nil {
		system, err := replay.NewSystem()
		if err != nil {
			return nil, err
		}
		o.Clock, clock = system, system.Close
	}
	open := rsbag.OpenAll
	if !o.All {
		open = func(path string, o rsbag.Options) ([]*rsbag.File, error) {
			file, err := rsbag.Open(path, o)
			return []*rsbag.File{file}, err
		}
	}
	files, err := open(path, rsbag.Options{Context: o.Context, CameraNodes: true, Camera: o.Camera, Lenient: o.Lenient})
	if err != nil {
		return nil, errors.Join(err, clock())
	}
	g := &group{opened: time.Now(), clock: clock}
	g.add(files)
	g.player, err = replay.New(replay.Options{
		Source: source{g}, Output: output{group: g}, Clock: o.Clock, OnStatus: g.report, Idle: true, Ahead: aheadBytes,
		Settings: replay.Settings{
			Rate: cmp.Or(o.Speed, 1), Immediate: !o.RealTime, Paused: o.Paused, Loop: o.Loop, KeepAlive: true,
			ClockHz: o.ClockHz,
		},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("play %s: %w", path, err), g.closeFiles())
	}
	var ctx context.Context
	ctx, g.cancel = context.WithCancel(context.Background())
	go g.player.Run(ctx) //nolint:errcheck // it ends with ctx; Close waits for it
	return g.devices[0], nil
}

func (d *Device) Info() []camdriver.Info { return slices.Clone(d.snap.Info) }

func (d *Device) Sensors() []camdriver.Sensor {
	out := make([]camdriver.Sensor, len(d.sensors))
	for i, s := range d.sensors {
		out[i] = s
	}
	return out
}

// Extrinsics returns ErrNotFound if the file lacks a stream, and ErrUnsupported if it lacks the extrinsics.
func (d *Device) Extrinsics(from, to camdriver.StreamID) (camdriver.Extrinsics, error) {
	a, err := d.stream(from)
	if err != nil {
		return camdriver.Identity(), err
	}
	b, err := d.stream(to)
	if err != nil || from == to {
		return camdriver.Identity(), err
	}
	if a.Extrinsic == nil || b.Extrinsic == nil {
		return camdriver.Identity(),
			fmt.Errorf("extrinsics from %s to %s: %w by this recording", from, to, camdriver.ErrUnsupported)
	}
	return a.Extrinsic.Inverse().Then(*b.Extrinsic), nil
}

func (d *Device) stream(id camdriver.StreamID) (*camdriver.StreamSnapshot, error) {
	for i := range d.snap.Streams {
		if d.snap.Streams[i].Profile.Stream == id {
			return &d.snap.Streams[i], nil
		}
	}
	return nil, fmt.Errorf("stream %s: %w", id, camdriver.ErrNotFound)
}

// Reset returns ErrUnsupported.
func (d *Device) Reset() error { return fmt.Errorf("reset a recording: %w", camdriver.ErrUnsupported) }

// File returns the recording.
func (d *Device) File() *rsbag.File { return d.file }

// Offset is the position of the player at file time 0: 0, unless the camera began later than another of its recording.
func (d *Device) Offset() time.Duration { return d.offset }

// FileTime returns the player's position of the frame that is being raised: its file time and the Offset. It is for
// handlers.
func (d *Device) FileTime(f *camdriver.Frame) time.Duration {
	return f.Arrival.Sub(d.opened) - d.looped
}

// Damage returns the number of messages that couldn't be read, each time they were passed, and the
// error of the last.
func (d *Device) Damage() (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.damaged, d.damage
}

// ArrivalClock returns a function that reads the clock of d's Frame.Arrival. For a
// camera this is clock. For a recording there is none and it returns the zero time.
func ArrivalClock(d camdriver.Device, clock camdriver.Clock) (now func() time.Time) {
	if _, recorded := d.(*Device); recorded {
		return func() time.Time { return time.Time{} }
	}
	return clock.Now
}
