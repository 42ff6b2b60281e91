// Package record writes recordings: a camera's streams in the RealSense layout, as bags or
// .db3 files (Camera), and any topics of the graph (Topics).
//
// Both queue data in a queue that is bounded in bytes, and write from it in one goroutine.
// If the disk stalls, messages are dropped and counted; the camera and publishers never
// wait. Camera.Close waits for the goroutines of a Camera, and Topics waits for its own
// before it returns.
package record

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
	"rsros/program/work"
	"rsros/record/upload"
	"rsros/ros"
)

// Options are the settings of a camera's recordings.
type Options struct {
	Bag           bagstore.Options
	DB3           bool          `setting:"db3"`      // recordings that Start names are .db3 files; for others the extension decides
	QueueBytes    int64         `setting:"buffsize"` // limit of what waits for the disk; 0 means no limit
	Memory        int64         `setting:"memory"`   // limit of what waits for the disk, of all cameras together; 0 means that each has QueueBytes
	Budget        *work.Budget  // of Memory; may be nil
	SplitSize     int64         `setting:"split-size"`     // start a new file after this many bytes; 0 means no limit
	SplitDuration time.Duration `setting:"split-duration"` // start a new file after this much recorded time; 0 means no limit
	MinSpace      int64         `setting:"min-space"`      // bytes that stay free on the disk; below it frames are dropped. 0 means no limit
	Topics        []string      `setting:"record-topics"`  // recorded next to the cameras; names, also several in a text, with commas
	Ring          Ring
	Upload        upload.Options
	Uploads       *upload.Queue // where finished files go; may be nil
}

// Check rejects settings that contradict each other.
func (o *Options) Check() error {
	return o.Ring.check(o.limits().any() || o.Bag.Overwrite)
}

func (o Options) limits() limits { return limits{o.SplitSize, o.SplitDuration} }

// Camera records a running device, one recording after another. Serve must be
// called before all other methods except WriteLog; then any goroutine may call
// them.
type Camera struct {
	Source
	opts   Options
	prefix string   // of new files: a folder, or a folder and the start of the name
	others []Source // further devices of the same recordings
	log    zerolog.Logger
	open   openFunc

	uploads atomic.Pointer[upload.Queue] // of opts; a viewer may call Serve anew
	current atomic.Pointer[session]
	ending  sync.WaitGroup // recordings that are being closed

	mu     sync.Mutex
	Last   Summary     // of the last recording that ended
	lost   bool        // a recording lost frames
	left   atomic.Bool // something can't be represented in a file's format
	failed error       // of recordings that ended with an error
}

var errNotRecording = errors.New("not recording")

// Source is the device that a Camera records.
type Source struct {
	Hub      *camdriver.Hub
	Device   camdriver.Device
	Profiles [][]camdriver.Profile // running streams, by sensor
	Now      func() time.Time      // on the clock of Frame.Arrival; if it returns the zero time, events get the time of the latest frame
	Number   int                   // of several devices in a recording
	Name     string                // of several
	Node     *ros.Node             // subscribes to the topics of the options; nil without any
}

// Serve prepares to record an open device. prefix is that of names that Start chooses.
func (r *Camera) Serve(s Source, o Options, prefix string, log zerolog.Logger) {
	r.Source, r.opts, r.prefix, r.log, r.open = s, o, prefix, log, r.create
	r.uploads.Store(o.Uploads)
}

// Join prepares to record an open device together with others, in the same files. The first call is
// Serve. A recording that is running goes on without the device.
func (r *Camera) Join(s Source, o Options, prefix string, log zerolog.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Hub == nil {
		r.Serve(s, o, prefix, log)
		return
	}
	r.others = append(r.others, s)
	if r.current.Load() != nil {
		log.Warn().Str("camera", s.Name).Msg("the camera wasn't there when the recording started: only the next one has it")
	}
}

// openFunc creates a file with its first device, a bag with these options.
type openFunc func(path string, number int, snap camdriver.DeviceSnapshot, bag bagstore.Options) (bagWriter, error)

// create creates a file in the format of its extension.
func (r *Camera) create(path string, number int, snap camdriver.DeviceSnapshot, bag bagstore.Options) (bagWriter, error) {
	host, _ := os.Hostname() // a missing name doesn't prevent recording
	o := rsbag.RecorderOptions{Bag: bag, Program: program.Name, Version: program.Version, Host: host, Clocks: true, Device: number}
	if _, ext := splitExt(path); ext != extDB3 {
		o.Bag.Live = true
		return rsbag.NewRecorder(path, snap, o)
	}
	return rsdb3.NewRecorder(path, snap, rsdb3.Options{}, o, func(list []rsdb3.Loss) { r.leftOut(path, list) })
}

// leftOut logs what can't be represented in a file's format.
func (r *Camera) leftOut(path string, list []rsdb3.Loss) {
	for _, l := range list {
		r.log.Warn().Str("file", path).Str("what", l.What).Uint64("times", l.Count).Msg("left out or changed: librealsense's .db3 can't represent it")
	}
	r.left.Store(true)
}

// Start starts to record into path or, if path is empty, into a new file named after the
// prefix and the time. It returns the file's path. The file describes the device's current
// state. The streams aren't interrupted.
func (r *Camera) Start(path string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec := r.current.Load(); rec != nil {
		if !rec.ended() {
			return "", fmt.Errorf("already recording into %s", rec.path())
		}
		r.finish(rec) // it has failed
	}
	if path == "" {
		ext := extBag
		if r.opts.DB3 {
			ext = extDB3
		}
		path = unusedPath(stampedPath(r.prefix, time.Now(), ext))
	}
	rec := newSession(r.opts, r.Now, r.log)
	devices := rec.attach(append([]Source{r.Source}, r.others...))
	parts, err := newParts(path, devices, r.opts, rec.budget, r.open, r.log)
	if err != nil {
		rec.discard()
		return "", fmt.Errorf("record: %w", err)
	}
	rec.begin(parts)
	if r.Node != nil {
		if err := rec.subscribe(r.Node, topicList(r.opts.Topics)); err != nil {
			_, stopErr := rec.stop()
			return "", errors.Join(err, stopErr)
		}
	}
	r.current.Store(rec)
	path = rec.path()
	line := r.log.Info().Str("bag", path)
	if written := rec.summary().Written; written != "" {
		line = line.Str("written", written)
	}
	line.Msg("recording")
	return path, nil
}

// Stop ends the recording and waits until the file is complete on disk. Meanwhile Status
// may be called and another recording started.
func (r *Camera) Stop() (Summary, error) {
	r.mu.Lock()
	rec := r.current.Swap(nil)
	if rec == nil {
		r.mu.Unlock()
		return Summary{}, errNotRecording
	}
	r.ending.Add(1)
	r.mu.Unlock()
	defer r.ending.Done()
	s, err := rec.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended(s)
	return s, err
}

// finish cleans up after a recording that ended with an error. The caller must hold r.mu.
func (r *Camera) finish(rec *session) {
	r.current.Store(nil)
	s, err := rec.stop()
	r.failed = errors.Join(r.failed, err)
	r.ended(s)
}

func (r *Camera) ended(s Summary) {
	r.Last, r.lost = s, r.lost || s.Dropped+s.Lost > 0
	line := r.log.Info().Strs("bags", s.Paths).Uint64("frames", s.Frames).Uint64("dropped", s.Dropped)
	if s.Messages+s.Lost > 0 {
		line = line.Uint64("messages", s.Messages).Uint64("dropped_messages", s.Lost)
	}
	line.Msg("recorded")
}

func (r *Camera) running() (*session, error) {
	rec := r.current.Load()
	if rec == nil {
		return nil, errNotRecording
	}
	if rec.ended() {
		return nil, rec.err
	}
	return rec, nil
}

// Pause pauses or resumes the recording. Paused time is cut out of the file.
func (r *Camera) Pause(on bool) error {
	rec, err := r.running()
	if err == nil {
		rec.pause(on)
	}
	return err
}

// Split starts a new file with the next frame.
func (r *Camera) Split() error {
	rec, err := r.running()
	if err == nil {
		rec.part.Add(1)
	}
	return err
}

// Trigger keeps what a ring holds, and what is recorded in its time after the trigger.
func (r *Camera) Trigger() (string, error) {
	rec, err := r.running()
	if err != nil {
		return "", err
	}
	if r.opts.Ring.Before == 0 {
		return "", errNoRing
	}
	at := time.Now()
	rec.parts.announce(at)
	rec.event(func(p *parts) error { return p.ringTrigger(at) })
	return r.opts.Ring.answer(), nil
}

// Mark writes a mark into the recording, as a notification of the first sensor, and returns its text.
func (r *Camera) Mark() (string, error) {
	rec, err := r.running()
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("mark %d", rec.marks.Add(1))
	rec.taps[0].Notification(0, camdriver.Notification{Time: r.Now(), Category: camdriver.NotifyHardwareEvent, Severity: camdriver.SeverityInfo, Description: text})
	return text, nil
}

// WriteLog records a line of the node's own log. It never blocks.
func (r *Camera) WriteLog(line *msgs.Log) {
	if rec := r.current.Load(); rec != nil {
		rec.log(*line)
	}
}

// Status returns the entry for /diagnostics. ok is false if there is no recording.
func (r *Camera) Status() (s msgs.DiagnosticStatus, ok bool) {
	rec := r.current.Load()
	if rec == nil {
		return s, false
	}
	return rec.status(), true
}

// Uploads describes what waits for upload; "" without uploads.
func (r *Camera) Uploads() string {
	if q := r.uploads.Load(); q != nil {
		return q.Status().String()
	}
	return ""
}

// Close ends the current recording. A loss in any is a program.ErrIncomplete.
func (r *Camera) Close() error {
	_, err := r.Stop()
	r.ending.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, errNotRecording) {
		err = nil
	}
	err = errors.Join(r.failed, err)
	if r.lost {
		err = errors.Join(err, fmt.Errorf("%w: a recording lost frames or messages", program.ErrIncomplete))
	}
	if r.left.Load() {
		err = errors.Join(err, fmt.Errorf("%w: a .db3 can't represent everything", program.ErrIncomplete))
	}
	return err
}
