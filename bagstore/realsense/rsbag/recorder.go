package rsbag

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/rosbag"
	"rsros/camdriver"
	"rsros/msgs"
)

// RecorderOptions say how a recording is made. The zero value is good.
type RecorderOptions struct {
	// Bag has the options of the file. librealsense crashes on BZ2, so NewRecorder refuses it.
	Bag bagstore.Options
	// Program, Version and Host go into /additional_info, and with Program how the file is written.
	Program, Version, Host string
	// Clocks states in /additional_info, at the end, how each sensor's clock relates to that of Arrival.
	Clocks bool
	// Device is the device's number in a bag that further ones join.
	Device int
}

// Target is a file that a Recorder writes. Times are file times.
type Target interface {
	// Holds says whether the file has a place for frames of a sensor's stream.
	Holds(sensor int, id camdriver.StreamID) bool
	// Frame writes a frame, which is borrowed for the length of the call.
	Frame(sensor int, f *camdriver.Frame, at time.Duration) error
	// The error of Option and Notification is camdriver.ErrUnsupported for what the file has no name for.
	Option(sensor int, id camdriver.OptionID, value float32, at time.Duration) error
	Notification(sensor int, n camdriver.Notification, at time.Duration) error
	// Write writes a message of another topic of the layout.
	Write(topic string, m msgs.Message, at time.Duration) error
	// Fact adds to what is known about the recording.
	Fact(key, value string) error
	// Checkpoint makes the file whole; CheckpointIfDue does if it is time.
	Checkpoint() error
	CheckpointIfDue() error
	Size() int64
	WriteMethod() string // as rosbag.Writer's; "" where there is no choice
	Close() error
	// Kept returns what is in the file after Close. Of the topic of FramesTopic, it is a message for each frame of a
	// stream.
	Kept() bagstore.Kept
	FramesTopic(id camdriver.StreamID) string
}

// Recorder writes a device's frames and events into a file. It is safe for concurrent use. Errors are permanent.
type Recorder struct {
	mu *sync.Mutex // of all devices in the file
	// mu guards:
	out     Target
	o       RecorderOptions
	err     error
	line    *timeline
	started bool                     // the start is in the file, if there is one
	joined  []*Recorder              // further devices; only the first has them
	conns   map[connectionKey]uint32 // of no device; only the first has them
	nextRef map[int]bagstore.Time    // when a sensor's next time reference is due
	clocks  map[int]*clock           // by sensor; nil if they aren't stated
	closed  bool

	// Counted without mu, which a disk that stalls holds for long. Close sets them to what is in the file.
	streams  map[camdriver.StreamID]*streamCounter // fixed
	messages atomic.Uint64                         // of no device; only the first has them
	topics   atomic.Pointer[[]string]              // of these messages; nil before Close
}

type streamCounter struct {
	frames, skipped atomic.Uint64
}

// refEvery is how often a sensor's clock is related to the host's.
const refEvery = time.Second

// StreamStats counts one stream of a recording.
type StreamStats struct {
	Stream  camdriver.StreamID
	Frames  uint64 // written
	Skipped uint64 // that came while paused
}

// RecorderStats counts a recording: what was written and, after Close, what is in the file.
type RecorderStats struct {
	Streams     []StreamStats // by kind and index
	Messages    uint64        // of no device
	Topics      []string      // of these messages, after Close
	Duration    time.Duration // file time of the latest frame
	Size        int64         // of the file, as far as it is written
	WriteMethod string        // as rosbag.Writer's; "" where there is no choice
}

// NewRecorder creates a bag, which is playable from then on, and writes the description.
func NewRecorder(path string, snap camdriver.DeviceSnapshot, o RecorderOptions) (*Recorder, error) {
	if c := o.Bag.Compression; c == bagstore.BZ2 {
		return nil, fmt.Errorf("record %s: librealsense cannot read %s", path, c)
	}
	w, err := rosbag.Create(path, o.Bag)
	if err != nil {
		return nil, err
	}
	return NewRecorderOn(w, snap, o)
}

// NewRecorderOn writes the description into a new file, which the Recorder closes. Options.Bag doesn't count.
func NewRecorderOn(w bagstore.BagWriter, snap camdriver.DeviceSnapshot, o RecorderOptions) (*Recorder, error) {
	out := newSink(w, o.Device, snap)
	out.describe(true)
	return NewRecorderOf(out, snap, o)
}

// NewRecorderOf returns a Recorder of a file that has the description. It closes it after an error.
func NewRecorderOf(out Target, snap camdriver.DeviceSnapshot, o RecorderOptions) (*Recorder, error) {
	r := newRecorder(out, snap, o, new(sync.Mutex), new(axis))
	r.writeDescription()
	if r.err == nil {
		r.err = out.Checkpoint()
	}
	if r.err != nil {
		return nil, errors.Join(r.err, out.Close())
	}
	return r, nil
}

func newRecorder(out Target, snap camdriver.DeviceSnapshot, o RecorderOptions, mu *sync.Mutex, a *axis) *Recorder {
	r := &Recorder{mu: mu, out: out, o: o, line: newTimeline(a), nextRef: make(map[int]bagstore.Time),
		streams: make(map[camdriver.StreamID]*streamCounter), conns: make(map[connectionKey]uint32)}
	for _, s := range snap.Streams {
		if out.Holds(s.Sensor, s.Profile.Stream) {
			r.streams[s.Profile.Stream] = &streamCounter{}
		}
	}
	if o.Clocks {
		r.clocks = make(map[int]*clock)
	}
	return r
}

// writeDescription writes what is known about the recording from the start.
func (r *Recorder) writeDescription() {
	o := r.o
	facts := []msgs.KeyValue{{Key: rslayout.KeyProgram, Value: o.Program}, {Key: rslayout.KeyVersion, Value: o.Version},
		{Key: rslayout.KeyHost, Value: o.Host}}
	if o.Program != "" {
		facts = append(facts, msgs.KeyValue{Key: rslayout.KeyWritten, Value: r.out.WriteMethod()})
	}
	r.state(facts)
}

// Facts adds to what is known about the device's recording, in its /additional_info.
func (r *Recorder) Facts(list []msgs.KeyValue) error {
	defer r.mu.Unlock()
	if err := r.lock(); err != nil {
		return err
	}
	r.state(list)
	return r.err
}

func (r *Recorder) state(facts []msgs.KeyValue) {
	for _, kv := range facts {
		if kv.Value != "" && r.err == nil {
			r.err = r.out.Fact(kv.Key, kv.Value)
		}
	}
}

func (r *Recorder) lock() error {
	r.mu.Lock()
	if r.err == nil && r.closed {
		return bagstore.ErrClosed
	}
	return r.err
}

// Frame writes a frame. It retains the frame until its pixels are written. It counts frames that
// come while paused, and passes over those of streams that the snapshot doesn't have.
func (r *Recorder) Frame(sensor int, f *camdriver.Frame) error {
	defer r.mu.Unlock()
	if err := r.lock(); err != nil {
		return err
	}
	if !r.out.Holds(sensor, f.Stream()) {
		return nil
	}
	count := r.streams[f.Stream()]
	at, ok := r.line.frame(f.Stream(), f.Arrival, period(f.Profile.FPS))
	if !ok {
		count.skipped.Add(1)
		return nil
	}
	r.clock(sensor, f)
	if r.err = r.frame(sensor, f, at); r.err == nil {
		count.frames.Add(1)
		r.line.duration.Store(int64(r.line.end))
	}
	return r.err
}

func (r *Recorder) frame(sensor int, f *camdriver.Frame, at bagstore.Time) error {
	if err := r.stateStart(); err != nil {
		return err
	}
	if at >= r.nextRef[sensor] {
		r.nextRef[sensor] = at.Add(refEvery)
		topic, m := rslayout.TimeReference(sensor, f)
		if err := r.out.Write(topic, m, time.Duration(at)); err != nil {
			return err
		}
	}
	return r.out.Frame(sensor, f, time.Duration(at))
}

// stateStart writes the wall time of file time 0, once, if the clock has a date.
func (r *Recorder) stateStart() error {
	if r.started || !bagstore.TimeOf(r.line.start()).Absolute() {
		return nil
	}
	r.started = true
	return r.out.Fact(rslayout.KeyStart, rslayout.FormatStart(r.line.start()))
}

func (r *Recorder) clock(sensor int, f *camdriver.Frame) {
	if r.clocks == nil {
		return
	}
	if r.clocks[sensor] == nil {
		r.clocks[sensor] = newClock(f)
	}
	r.clocks[sensor].frame(f)
}

// stateClocks writes how the sensors' clocks relate to the host's.
func (r *Recorder) stateClocks() error {
	for _, sensor := range slices.Sorted(maps.Keys(r.clocks)) {
		if fit, ok := r.clocks[sensor].fit(); ok {
			if err := r.out.Fact(rslayout.KeyClock(sensor), fit.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

func period(fps int) time.Duration {
	if fps <= 0 {
		return 0
	}
	return time.Second / time.Duration(fps)
}

// Option writes an option change. at is on the clock of Frame.Arrival; zero is the latest frame's time.
func (r *Recorder) Option(sensor int, id camdriver.OptionID, value float32, at time.Time) error {
	return r.event(rslayout.OptionTopic(sensor, id, "value"), at, func(at time.Duration) error {
		return r.out.Option(sensor, id, value, at)
	})
}

// Notification writes what a sensor reported.
func (r *Recorder) Notification(sensor int, n camdriver.Notification, at time.Time) error {
	return r.event(rslayout.NotificationTopic(sensor, n.Category), at, func(at time.Duration) error {
		return r.out.Notification(sensor, n, at)
	})
}

// Log writes a line of the program's own log.
func (r *Recorder) Log(l msgs.Log, at time.Time) error {
	return r.event(rslayout.TopicLog, at, func(at time.Duration) error { return r.out.Write(rslayout.TopicLog, &l, at) })
}

// event writes an event that is on a topic of the layout.
func (r *Recorder) event(topic string, at time.Time, write func(time.Duration) error) error {
	defer r.mu.Unlock()
	if err := r.lock(); err != nil {
		return err
	}
	err := write(time.Duration(r.line.event(topic, at)))
	if errors.Is(err, camdriver.ErrUnsupported) {
		return fmt.Errorf("record %q: %w by the layout", topic, err)
	}
	r.err = err
	return err
}

// Pause skips frames until Resume. Events are still written, at the time of the pause.
func (r *Recorder) Pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line.pause()
}

// Resume goes on as if no time had passed.
func (r *Recorder) Resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line.resume()
}

// Stats returns statistics without waiting for the disk. It may be called after Close.
func (r *Recorder) Stats() RecorderStats {
	s := RecorderStats{Messages: r.messages.Load(), Duration: r.Duration(), Size: r.Size(),
		WriteMethod: r.out.WriteMethod()}
	for id, c := range r.streams {
		s.Streams = append(s.Streams, StreamStats{Stream: id, Frames: c.frames.Load(), Skipped: c.skipped.Load()})
	}
	if topics := r.topics.Load(); topics != nil {
		s.Topics = *topics
	}
	slices.SortFunc(s.Streams, func(a, b StreamStats) int { return a.Stream.Compare(b.Stream) })
	return s
}

// Size is the file's length as far as it is written.
func (r *Recorder) Size() int64 { return r.out.Size() }

// Duration is the file time of the latest frame or message, of any device.
func (r *Recorder) Duration() time.Duration { return time.Duration(r.line.duration.Load()) }

// CheckpointIfDue protects the end of the file while no frames come.
func (r *Recorder) CheckpointIfDue() error {
	defer r.mu.Unlock()
	if err := r.lock(); err != nil {
		return err
	}
	r.err = r.out.CheckpointIfDue()
	return r.err
}

// Close completes the file. It may be called twice.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	for _, d := range append(r.joined, r) {
		d.closed = true
		if d.err == nil {
			d.err = d.stateClocks()
		}
		if d != r && r.err == nil {
			r.err = d.err
		}
	}
	err := errors.Join(r.err, r.out.Close())
	r.count(r.out.Kept())
	return err
}

// count makes the statistics those of what is in the file.
func (r *Recorder) count(k bagstore.Kept) {
	for _, d := range append(r.joined, r) {
		for id, c := range d.streams {
			c.frames.Store(k.Topics[d.out.FramesTopic(id)])
		}
	}
	r.line.duration.Store(int64(k.End))
	maps.DeleteFunc(k.Topics, func(topic string, _ uint64) bool { return Reserved(topic) })
	topics := slices.Collect(maps.Keys(k.Topics))
	r.messages.Store(k.Messages())
	r.topics.Store(&topics)
}
