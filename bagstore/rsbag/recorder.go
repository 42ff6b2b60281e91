package rsbag

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
)

// RecorderOptions say how a recording is made. The zero value is good.
type RecorderOptions struct {
	// Bag says how the file is written. librealsense reads chunks that are
	// uncompressed or LZ4; bz2 kills it, so NewRecorder refuses it.
	Bag bagstore.Options
	// Program, Version and Host go into /additional_info where set.
	Program, Version, Host string
	// Additional are further facts for /additional_info.
	Additional []msgs.KeyValue
}

// Recorder writes a device's frames and events into one bag. Its methods may be
// called from any goroutine; after an error all fail with it.
type Recorder struct {
	mu sync.Mutex
	sink
	line    *timeline
	nextRef map[int]bagstore.Time // when a sensor's next time reference is due
	closed  bool

	// Counted without the lock, which a disk that stalls holds for long.
	streams  map[camdriver.StreamID]*streamCounter // fixed
	refused  atomic.Uint64
	duration atomic.Int64
}

type streamCounter struct {
	frames, skipped atomic.Uint64
	bytes           atomic.Int64
}

// refEvery is how often a sensor's clock is related to the host's.
const refEvery = time.Second

// StreamStats counts one stream of a recording.
type StreamStats struct {
	Stream  camdriver.StreamID
	Frames  uint64 // written
	Bytes   int64  // of pixels or samples
	Skipped uint64 // that came while paused
}

// RecorderStats counts a recording.
type RecorderStats struct {
	Streams  []StreamStats // by kind and index
	Refused  uint64        // frames of streams that the snapshot does not hold
	Duration time.Duration // file time of the latest frame
	Size     int64         // of the file, as far as it is written
}

// NewRecorder creates the file and writes the description. The file is a whole,
// playable bag from then on.
func NewRecorder(path string, snap camdriver.DeviceSnapshot, o RecorderOptions) (*Recorder, error) {
	if c := o.Bag.Compression; c == bagstore.BZ2 {
		return nil, fmt.Errorf("record %s: librealsense cannot read %s", path, c)
	}
	out, err := newSink(path, snap, o.Bag)
	if err != nil {
		return nil, err
	}
	r := &Recorder{
		sink: out, line: newTimeline(), nextRef: make(map[int]bagstore.Time), streams: make(map[camdriver.StreamID]*streamCounter),
	}
	for id := range r.enc.streams {
		r.streams[id] = &streamCounter{}
	}
	r.describe()
	facts := []msgs.KeyValue{{Key: KeyProgram, Value: o.Program}, {Key: KeyVersion, Value: o.Version}, {Key: KeyHost, Value: o.Host}}
	for _, kv := range append(facts, o.Additional...) {
		if kv.Value != "" {
			r.write(Additional(kv.Key, kv.Value), staticTime)
		}
	}
	if r.err == nil {
		r.err = r.w.Checkpoint()
	}
	if r.err != nil {
		return nil, errors.Join(r.err, r.w.Close())
	}
	return r, nil
}

// ready locks the recorder for one call.
func (r *Recorder) ready() error {
	r.mu.Lock()
	if r.err == nil && r.closed {
		return bagstore.ErrClosed
	}
	return r.err
}

// Frame writes a frame, which is borrowed for the length of the call; if its
// pixels go to the disk from where they are, it is retained for longer. While
// paused it is skipped; frames of streams that the snapshot does not hold are
// refused. Both are counted.
func (r *Recorder) Frame(sensor int, f *camdriver.Frame) error {
	defer r.mu.Unlock()
	if err := r.ready(); err != nil {
		return err
	}
	if r.enc.set(sensor, f) == nil {
		r.refused.Add(1)
		return nil
	}
	count := r.streams[f.Stream()]
	first := !r.line.started
	at, ok := r.line.frame(f.Stream(), f.Arrival, period(f.Profile.FPS))
	if !ok {
		count.skipped.Add(1)
		return nil
	}
	if first {
		r.write(Additional(KeyStart, formatStart(f.Arrival.Add(-time.Duration(at)))), staticTime)
	}
	if at >= r.nextRef[sensor] {
		r.nextRef[sensor] = at.Add(refEvery)
		r.write(r.enc.TimeReference(sensor, f), at)
	}
	r.frame(sensor, f, at)
	if r.err == nil {
		count.frames.Add(1)
		count.bytes.Add(int64(len(f.Data)))
		r.duration.Store(int64(r.line.end))
	}
	return r.err
}

func period(fps int) time.Duration {
	if fps <= 0 {
		return 0
	}
	return time.Second / time.Duration(fps)
}

// Option writes a change of an option. at is on the clock of Frame.Arrival; zero
// is the time of the latest frame.
func (r *Recorder) Option(sensor int, id camdriver.OptionID, value float32, at time.Time) error {
	m, ok := r.enc.Option(sensor, id, value)
	err := r.event(m, ok, at)
	if id == camdriver.OptionDepthUnits && err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.units[sensor] = value
	}
	return err
}

// Notification writes what a sensor reported.
func (r *Recorder) Notification(sensor int, n camdriver.Notification, at time.Time) error {
	m, ok := r.enc.Notification(sensor, n)
	return r.event(m, ok, at)
}

// Log writes a line of the program's own log.
func (r *Recorder) Log(l msgs.Log, at time.Time) error { return r.event(r.enc.Log(l), true, at) }

func (r *Recorder) event(m Message, ok bool, at time.Time) error {
	defer r.mu.Unlock()
	if err := r.ready(); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("record %q: %w by the layout", m.Topic, camdriver.ErrUnsupported)
	}
	r.write(m, r.line.event(m.Topic, at))
	return r.err
}

// Pause skips frames until Resume. Events are still written, at the time where
// the pause began.
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

// Paused says whether frames are skipped.
func (r *Recorder) Paused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.line.paused
}

// Stats counts what was written so far. It never waits for the disk, and is
// right after Close, too.
func (r *Recorder) Stats() RecorderStats {
	s := RecorderStats{Refused: r.refused.Load(), Duration: r.Duration(), Size: r.Size()}
	for id, c := range r.streams {
		s.Streams = append(s.Streams, StreamStats{Stream: id, Frames: c.frames.Load(), Bytes: c.bytes.Load(), Skipped: c.skipped.Load()})
	}
	slices.SortFunc(s.Streams, func(a, b StreamStats) int { return a.Stream.Compare(b.Stream) })
	return s
}

// Size is the file's length as far as it is written.
func (r *Recorder) Size() int64 { return r.w.Size() }

// Duration is the file time of the latest frame.
func (r *Recorder) Duration() time.Duration { return time.Duration(r.duration.Load()) }

// CheckpointIfDue keeps the file's end safe while no frames come; frames see to
// it themselves.
func (r *Recorder) CheckpointIfDue() error {
	defer r.mu.Unlock()
	if err := r.ready(); err != nil {
		return err
	}
	r.err = r.w.CheckpointIfDue()
	return r.err
}

// Close ends the recording; on return the file is whole on disk. Closing again
// does nothing.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	return errors.Join(r.err, r.w.Close())
}
