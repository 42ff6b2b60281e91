package record

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/record/topicfile"
	"rsros/ros"
)

// file is a topicFile or a deviceFile. Size and WriteMethod never wait for the disk.
type file interface {
	// Message writes a publisher's message. It is borrowed until done is called, also after an error.
	Message(topic string, h ros.Header, at instant, done func(), data []byte) error
	CheckpointIfDue() error
	Size() int64
	WriteMethod() string // "" if there is no choice
	Close() error
	Kept() bagstore.Kept // after Close; unless there are devices, which count themselves
}

// topicFile is a file of topics alone.
type topicFile struct{ topicfile.File }

func (f topicFile) Message(topic string, h ros.Header, at instant, done func(), data []byte) error {
	return f.File.Message(topic, h, at.stamp, done, data)
}

// instant is the time of a message on the clock that its file has.
type instant struct {
	stamp   bagstore.Time // ROS time
	arrival time.Time     // on the clock of devices' frames; zero is the latest frame's time
}

// deviceWriter writes one device's frames and events into a RealSense file; see rsbag.Recorder, which
// implements it. Tests use one whose disk stalls or fails.
type deviceWriter interface {
	Frame(sensor int, f *camdriver.Frame) error
	Option(sensor int, id camdriver.OptionID, value float32, at time.Time) error
	Notification(sensor int, n camdriver.Notification, at time.Time) error
	Join(device int, snap camdriver.DeviceSnapshot) (*rsbag.Recorder, error)
	Message(c bagstore.Connection, arrival time.Time, data []byte, release func()) error
	Log(l msgs.Log, at time.Time) error
	Pause()
	Resume()
	CheckpointIfDue() error
	Stats() rsbag.RecorderStats
	Size() int64
	Duration() time.Duration
	Close() error
}

// deviceFile is a RealSense file of one or several devices, and of topics next to them.
type deviceFile struct {
	deviceWriter                      // of the first device
	devices      map[int]deviceWriter // of all, by number
}

func (f *deviceFile) Message(topic string, h ros.Header, at instant, done func(), data []byte) error {
	return f.deviceWriter.Message(topicfile.Connection(topic, h), at.arrival, data, done)
}

func (f *deviceFile) WriteMethod() string     { return f.Stats().WriteMethod }
func (f *deviceFile) Kept() (k bagstore.Kept) { return k }

// part is one file of a recording.
type part struct {
	file
	device    *deviceFile // the same; nil in a recording of topics alone
	path      string
	active    string // name until the file is complete; the same as path for cameras
	overwrite bool
	complete  atomic.Bool
	messages  atomic.Uint64                 // written, of a recording of topics alone
	kept      atomic.Pointer[bagstore.Kept] // set by Close
}

// activeSuffix is the suffix of a file that is being written, as in rosbag record: programs
// that collect recordings wait for the final name.
const activeSuffix = ".active"

// name returns the file's current path. It may be called from any goroutine.
func (p *part) name() string {
	if p.complete.Load() {
		return p.path
	}
	return p.active
}

// Close completes the file and renames it to its final name. If that name is taken by now,
// the file keeps its active name and Close returns an error.
func (p *part) Close() error {
	err := p.file.Close()
	kept := p.Kept()
	p.kept.Store(&kept)
	if err != nil {
		return err
	}
	if p.active != p.path {
		if err := place.RenameDurably(p.active, p.path, p.overwrite); err != nil {
			return fmt.Errorf("the recording stays in %s: %w", p.active, err)
		}
	}
	p.complete.Store(true)
	return nil
}

// stats returns what was written so far and, after Close, what is in the file. It may be called from any goroutine.
func (p *part) stats() rsbag.RecorderStats {
	s := rsbag.RecorderStats{Size: p.Size(), WriteMethod: p.WriteMethod(), Messages: p.messages.Load()}
	if p.device != nil {
		first := p.device.Stats()
		s.Messages, s.Topics, s.Duration = first.Messages, first.Topics, p.device.Duration()
		for _, w := range p.device.devices {
			s.Streams = append(s.Streams, w.Stats().Streams...)
		}
	} else if k := p.kept.Load(); k != nil {
		s.Messages, s.Topics, s.Duration = k.Messages(), slices.Collect(maps.Keys(k.Topics)), k.End.Sub(k.Start)
	}
	return s
}

// createTopics creates a file of topics under its active name, in the format of its extension, if
// its final name is unused.
func createTopics(path string, o topicfile.Options) (*part, error) {
	if !o.Bag.Overwrite && exists(path) {
		return nil, &fs.PathError{Op: "record", Path: path, Err: fs.ErrExist}
	}
	p := &part{path: path, active: path + activeSuffix, overwrite: o.Bag.Overwrite}
	_, ext := splitExt(path)
	f, err := topicfile.Create(p.active, ext, o)
	p.file = topicFile{f}
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == p.active {
		e.Path = path // which the user named
	}
	return p, err
}

// createFunc creates a device's file with these options of a bag.
type createFunc func(path string, device int, snap camdriver.DeviceSnapshot, bag bagstore.Options) (deviceWriter, error)

// createDevices creates a file of devices.
func createDevices(path string, devices []device, o bagstore.Options, create createFunc) (*part, error) {
	first := devices[0]
	w, err := create(path, first.number, first.snap, o)
	if err != nil {
		return nil, err
	}
	f := &deviceFile{w, map[int]deviceWriter{first.number: w}}
	for _, d := range devices[1:] {
		if f.devices[d.number], err = w.Join(d.number, d.snap); err != nil {
			return nil, errors.Join(fmt.Errorf("record into %s: %w", path, err), w.Close())
		}
	}
	return &part{file: f, device: f, path: path, active: path}, nil
}
