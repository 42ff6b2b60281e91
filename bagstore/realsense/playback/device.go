// Package playback plays a RealSense recording as a camdriver.Device, reads its frames
// in sets, and finds the marks on its time line.
//
// Frames are raised in real time, at any speed, or as fast as the handler accepts
// them. None is dropped. Handlers are called from one goroutine, in the order of file
// times, so two runs raise the same frames in the same order. A handler must not call
// Device or Sensor methods that change playback (Start, Stop, Seek, Pause, …), because
// those wait for the handler.
//
// Playback begins when the first sensor starts. To get all frames, open with
// Options.Paused, start all sensors, then Resume.
//
// Pixels are in the memory of the bag reader. A retained frame keeps its block of the
// file in memory, also after Close.
package playback

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// Options control playback. With the zero value, the file is played once, as fast as
// the handler accepts frames.
type Options struct {
	Clock    camdriver.Clock // camdriver.System if nil
	RealTime bool            // raise frames at their recorded rate
	Speed    float64         // factor for RealTime; 1 if 0
	Loop     bool            // restart at the end
	Paused   bool            // start paused
	Context  context.Context // that of bagstore.OpenOptions
	Device   int             // the number of one of several devices in the recording; 0 is the first
}

// ErrRange is returned for positions outside the recording.
var ErrRange = errors.New("position is outside the recording")

// Device is a recording. It implements camdriver.Device.
type Device struct {
	file    *rsbag.File
	snap    camdriver.DeviceSnapshot
	sensors []*sensor
	engine  *engine

	closing sync.Once
	closed  error
}

var _ camdriver.Device = (*Device)(nil)

// Open opens a recording.
func Open(path string, o Options) (*Device, error) {
	if o.Clock == nil {
		o.Clock = camdriver.System{}
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if !validSpeed(o.Speed) {
		return nil, fmt.Errorf("play %s: speed %g: %w", path, o.Speed, camdriver.ErrUnsupported)
	}
	file, err := rsbag.Open(path, rsbag.Options{Context: o.Context, CameraNodes: true, Device: o.Device})
	if err != nil {
		return nil, err
	}
	d := &Device{file: file, snap: file.Snapshot()}
	for i, s := range d.snap.Sensors {
		d.sensors = append(d.sensors, newSensor(d, i, s))
	}
	d.engine = newEngine(file, d.sensors, o)
	return d, nil
}

func validSpeed(s float64) bool { return s > 0 && !math.IsInf(s, 1) }

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
		return camdriver.Identity(), fmt.Errorf("extrinsics from %s to %s: %w by this recording", from, to, camdriver.ErrUnsupported)
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

// Close stops all sensors and closes the file. Retained frames stay valid.
func (d *Device) Close() error {
	d.closing.Do(func() {
		d.engine.close()
		d.closed = d.file.Close()
	})
	return d.closed
}

// File returns the recording.
func (d *Device) File() *rsbag.File { return d.file }

// Duration returns the file time of the last frame. File times start at 0.
func (d *Device) Duration() time.Duration { return d.file.Duration() }
