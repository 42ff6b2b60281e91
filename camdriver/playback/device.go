// Package playback is a RealSense bag as a camdriver.Device: topology, options
// and calibration come from the file, frames are raised from it.
//
// Frames come in real time at any speed, or as fast as the handler takes them;
// none is dropped. All calls of handlers come from one goroutine, in the order of
// file time, so two runs raise the same frames in the same order. A handler must
// not call Device or Sensor methods that change playback (Start, Stop, Seek,
// Pause, …): those wait for the running call.
//
// Reading begins with the first sensor that is started. To lose nothing, open
// with Options.Paused, start all sensors, then Resume.
//
// Pixels are the bag's own memory: a retained frame keeps the block that it lies
// in, also past Close.
package playback

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// Options say how a file is played. The zero value raises frames as fast as they
// are taken, once.
type Options struct {
	Clock    camdriver.Clock // camdriver.System if nil
	RealTime bool            // keep the distances in time that the frames had
	Speed    float64         // of RealTime; 1 if 0
	Loop     bool            // begin again at the end
	Paused   bool            // begin paused
}

// ErrRange is a seek to where the file is not.
var ErrRange = errors.New("position is outside the recording")

// Device is a file that plays. It implements camdriver.Device.
type Device struct {
	file    *rsbag.File
	snap    camdriver.DeviceSnapshot
	sensors []*sensor
	engine  *engine

	closing sync.Once
	closed  error
}

var _ camdriver.Device = (*Device)(nil)

// Open opens a recording. Nothing is raised until a sensor is started.
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
	file, err := rsbag.Open(path, rsbag.Options{CameraNodes: true})
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

// Info is the recorded device's.
func (d *Device) Info() []camdriver.Info { return slices.Clone(d.snap.Info) }

// Sensors gives the recorded sensors.
func (d *Device) Sensors() []camdriver.Sensor {
	out := make([]camdriver.Sensor, len(d.sensors))
	for i, s := range d.sensors {
		out[i] = s
	}
	return out
}

// Extrinsics maps between two streams of the file. ErrNotFound if one is not
// there, ErrUnsupported if the file does not relate them.
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

// Reset is not supported: there is no hardware.
func (d *Device) Reset() error { return fmt.Errorf("reset a recording: %w", camdriver.ErrUnsupported) }

// Close stops all sensors and closes the file. Retained frames stay valid.
func (d *Device) Close() error {
	d.closing.Do(func() {
		d.engine.close()
		d.closed = d.file.Close()
	})
	return d.closed
}

// File is the recording: its notes, version and frame counts.
func (d *Device) File() *rsbag.File { return d.file }

// Duration is the file time of the last frame. File time 0 is the start.
func (d *Device) Duration() time.Duration { return d.file.Duration() }
