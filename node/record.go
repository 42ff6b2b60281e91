package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
)

// RecordingOptions are the settings of recorders.
type RecordingOptions struct {
	Bag        bagstore.Options
	QueueBytes int64 // bound of what waits for the disk; default 512 MB
}

// defaultQueueBytes lasts about four seconds of all streams at 848x480@30 and
// 1280x720@30: longer than any sound disk stalls.
const defaultQueueBytes = 512 << 20

// recordings makes one recording after another of a running device.
type recordings struct {
	hub      *Hub
	device   camdriver.Device
	profiles [][]camdriver.Profile
	opts     RecordingOptions
	prefix   string
	log      zerolog.Logger

	mu      sync.Mutex
	current *recording
	last    RecordSummary // of the recording that ended last
	lost    bool          // some recording of this node lost something
}

var errNotRecording = errors.New("not recording")

// start begins a recording into path, or into a new file under the prefix if
// path is empty. The camera isn't touched: the description is written as the
// device is at this moment, the frames from the next one on.
func (r *recordings) start(path string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		return "", fmt.Errorf("already recording into %s", r.current.path)
	}
	if path == "" {
		path = stampedPath(r.prefix, time.Now())
	}
	rec, err := startRecording(path, camdriver.Snapshot(r.device, r.profiles), r.opts, r.log)
	if err != nil {
		return "", fmt.Errorf("record: %w", err)
	}
	rec.detach = r.hub.Attach(rec)
	r.current = rec
	r.log.Info().Str("bag", path).Msg("recording")
	return path, nil
}

// stop ends the recording and returns when the file is whole on disk.
func (r *recordings) stop() (RecordSummary, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return RecordSummary{}, errNotRecording
	}
	rec := r.current
	r.current = nil
	s, err := rec.stop()
	r.last, r.lost = s, r.lost || s.Dropped > 0
	r.log.Info().Str("bag", s.Path).Uint64("frames", s.Frames).Uint64("dropped", s.Dropped).Msg("recorded")
	return s, err
}

func (r *recordings) pause(on bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return errNotRecording
	}
	r.current.pause(on)
	return nil
}

// status is the recorder's line in /diagnostics; ok is false while nothing is
// recorded.
func (r *recordings) status() (s msgs.DiagnosticStatus, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return s, false
	}
	return r.current.status(), true
}

// Close ends a recording that is running. ErrIncomplete if any lost frames.
func (r *recordings) Close() error {
	_, err := r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, errNotRecording) {
		err = nil
	}
	if r.lost {
		err = errors.Join(err, fmt.Errorf("%w: a recording lost frames", ErrIncomplete))
	}
	return err
}

// stampedPath is a file name as rosbag record makes them: the local time, after
// the prefix where that isn't a folder.
func stampedPath(prefix string, now time.Time) string {
	name := now.Format("2006-01-02-15-04-05") + ".bag"
	if st, err := os.Stat(prefix); err == nil && st.IsDir() || strings.HasSuffix(prefix, "/") {
		return filepath.Join(prefix, name)
	}
	return strings.TrimSuffix(prefix, ".bag") + "_" + name
}

// RecordSummary says what a recording holds.
type RecordSummary struct {
	Path     string
	Frames   uint64
	Dropped  uint64
	ByStream map[camdriver.StreamID]RecordCount
}

// RecordCount counts one stream's frames.
type RecordCount struct{ Frames, Dropped uint64 }

// String is one line for a person.
func (s RecordSummary) String() string {
	return fmt.Sprintf("%s: %d frames recorded, %d dropped", s.Path, s.Frames, s.Dropped)
}

// recording writes what a device raises into one bag. It is a consumer of the
// hub: frames are retained in a bounded queue, and one goroutine takes them to
// the disk, so a disk that stalls costs counted frames, and neither the camera
// nor the topics wait for it.
type recording struct {
	path   string
	queue  *byteQueue[recordItem]
	rec    *rsbag.Recorder
	log    zerolog.Logger
	detach func()
	done   chan struct{}
	err    error // the first write error; set before done

	counts  [maxStreams]struct{ frames, dropped atomic.Uint64 }
	dropLog limiter
}

// recordItem is a frame or one of the rarer events.
type recordItem struct {
	sensor int
	frame  *camdriver.Frame
	event  func(*rsbag.Recorder) error
}

// eventSize is what a queued event counts towards the queue's bound.
const eventSize = 512

func startRecording(path string, snap camdriver.DeviceSnapshot, o RecordingOptions, log zerolog.Logger) (*recording, error) {
	setDefault(&o.QueueBytes, defaultQueueBytes)
	rec, err := rsbag.NewRecorder(path, snap, rsbag.RecorderOptions{Bag: o.Bag})
	if err != nil {
		return nil, err
	}
	r := &recording{path: path, rec: rec, log: log, done: make(chan struct{}), dropLog: limiter{every: time.Second}}
	r.queue = newByteQueue(o.QueueBytes, r.dropItem)
	go r.run()
	return r, nil
}

func (r *recording) run() {
	defer close(r.done)
	for {
		item, ok := r.queue.pop()
		if !ok {
			return
		}
		r.write(item)
	}
}

// write takes one item to the bag. After a write error the rest is counted as
// dropped: the file stays as it is, playable to its last checkpoint.
func (r *recording) write(item recordItem) {
	if r.err != nil {
		r.dropItem(item)
		return
	}
	var err error
	if item.frame != nil {
		err = r.rec.Frame(item.sensor, item.frame)
		if err == nil {
			r.counts[slot(item.frame.Stream())].frames.Add(1)
		}
	} else if err = item.event(r.rec); errors.Is(err, camdriver.ErrUnsupported) {
		err = nil // an option or notification that the layout has no word for
	}
	if err != nil {
		r.err = fmt.Errorf("recording stopped: %w", err)
		r.log.Error().Err(err).Str("bag", r.path).Msg("recording stopped; the streams go on")
		r.dropItem(item)
		return
	}
	if item.frame != nil {
		item.frame.Release()
	}
}

func (r *recording) dropItem(item recordItem) {
	if item.frame == nil {
		return
	}
	r.counts[slot(item.frame.Stream())].dropped.Add(1)
	item.frame.Release()
	if r.err == nil && r.dropLog.allow(time.Now()) {
		r.log.Warn().Uint64("dropped", r.summary().Dropped).Str("bag", r.path).Msg("the disk can't keep up: frames are dropped from the recording")
	}
}

// Frame implements camdriver.Handler.
func (r *recording) Frame(sensor int, f *camdriver.Frame) {
	r.queue.push(recordItem{sensor: sensor, frame: f.Retain()}, int64(len(f.Data))+eventSize)
}

// OptionChanged implements camdriver.Handler.
func (r *recording) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	at := time.Now()
	r.event(func(rec *rsbag.Recorder) error { return rec.Option(sensor, id, value, at) })
}

// Notification implements camdriver.Handler.
func (r *recording) Notification(sensor int, n camdriver.Notification) {
	at := time.Now()
	r.event(func(rec *rsbag.Recorder) error { return rec.Notification(sensor, n, at) })
}

// StatusChanged implements camdriver.Handler.
func (r *recording) StatusChanged(camdriver.Status) {}

func (r *recording) event(write func(*rsbag.Recorder) error) {
	r.queue.push(recordItem{event: write}, eventSize)
}

// pause passes through the queue, so that it falls between the right frames.
func (r *recording) pause(on bool) {
	r.event(func(rec *rsbag.Recorder) error {
		if on {
			rec.Pause()
		} else {
			rec.Resume()
		}
		return nil
	})
}

// stop takes what is queued to the disk and closes the bag.
func (r *recording) stop() (RecordSummary, error) {
	r.detach()
	r.queue.close()
	<-r.done
	err := errors.Join(r.err, r.rec.Close())
	return r.summary(), err
}

func (r *recording) summary() RecordSummary {
	s := RecordSummary{Path: r.path, ByStream: map[camdriver.StreamID]RecordCount{}}
	for i := range r.counts {
		c := RecordCount{r.counts[i].frames.Load(), r.counts[i].dropped.Load()}
		if c == (RecordCount{}) {
			continue
		}
		s.ByStream[camdriver.StreamID{Kind: camdriver.StreamKind(i / 4), Index: i % 4}] = c
		s.Frames += c.Frames
		s.Dropped += c.Dropped
	}
	return s
}

func (r *recording) status() msgs.DiagnosticStatus {
	sum := r.summary()
	s := msgs.DiagnosticStatus{Name: "rs_ros_node: Recording", Message: "recording into " + r.path}
	if sum.Dropped > 0 {
		s.Level, s.Message = msgs.DiagnosticWarn, "frames were dropped from "+r.path
	}
	s.Values = []msgs.KeyValue{
		{Key: "Frames", Value: fmt.Sprint(sum.Frames)},
		{Key: "Dropped", Value: fmt.Sprint(sum.Dropped)},
		{Key: "Bytes waiting for the disk", Value: fmt.Sprint(r.queue.held())},
	}
	return s
}
