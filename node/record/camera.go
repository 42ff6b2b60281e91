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
	"rsros/bagstore/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/hub"
	"rsros/msgs"
	"rsros/program"
)

// Options are the settings of recorders.
type Options struct {
	Bag           bagstore.Options
	QueueBytes    int64         // bound of what waits for the disk; default 512 MB
	SplitSize     int64         // bytes of a file, after which the next begins; 0 is no limit
	SplitDuration time.Duration // likewise in recorded time
}

func (o Options) limits() limits { return limits{o.SplitSize, o.SplitDuration} }

// defaultQueueBytes lasts about four seconds of all streams at 848x480@30 and
// 1280x720@30: longer than any sound disk stalls.
const defaultQueueBytes = 512 << 20

// Camera makes one recording after another of a running device.
type Camera struct {
	Source
	opts   Options
	prefix string // folder, or folder and beginning of the name, of new files
	log    zerolog.Logger
	open   openFunc

	current atomic.Pointer[session]
	ending  sync.WaitGroup // recordings that are being closed

	mu     sync.Mutex
	Last   Summary // of the recording that ended last
	lost   bool    // some recording of this node lost something
	failed error   // of a recording that ended by itself
}

var errNotRecording = errors.New("not recording")

// Source is what recordings are made of.
type Source struct {
	Hub      *hub.Hub
	Device   camdriver.Device
	Profiles [][]camdriver.Profile // that stream, by sensor
	Now      func() time.Time      // on the clock of Frame.Arrival; gives zero times where there is none
}

// Serve prepares for recordings of a device that is open. Before that only
// WriteLog may be called.
func (r *Camera) Serve(s Source, o Options, prefix string, log zerolog.Logger) {
	r.Source, r.opts, r.prefix, r.log, r.open = s, o, prefix, log, createBag(o.Bag)
}

// openFunc creates a file and writes the description into it.
type openFunc func(path string, snap camdriver.DeviceSnapshot) (bagWriter, error)

func createBag(o bagstore.Options) openFunc {
	host, _ := os.Hostname() // a machine without a name records, too
	return func(path string, snap camdriver.DeviceSnapshot) (bagWriter, error) {
		return rsbag.NewRecorder(path, snap, rsbag.RecorderOptions{Bag: o, Program: program.Name, Version: program.Version, Host: host})
	}
}

// Start begins a recording into path, or into a new file under the prefix if
// path is empty. The camera isn't touched: the description is written as the
// device is at this moment, the frames from this moment on.
func (r *Camera) Start(path string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec := r.current.Load(); rec != nil {
		if !rec.ended() {
			return "", fmt.Errorf("already recording into %s", rec.path())
		}
		r.finish(rec) // it failed
	}
	if path == "" {
		path = unusedPath(stampedPath(r.prefix, time.Now()))
	}
	rec := newSession(r.opts, r.Now, r.log)
	rec.detach = r.Hub.Attach(rec) // first: what changes from here on isn't missed
	parts, err := newParts(path, camdriver.Snapshot(r.Device, r.Profiles), r.opts, r.open)
	if err != nil {
		rec.discard()
		return "", fmt.Errorf("record: %w", err)
	}
	rec.begin(parts)
	r.current.Store(rec)
	path = rec.path()
	r.log.Info().Str("bag", path).Msg("recording")
	return path, nil
}

// Stop ends the recording and returns when the file is whole on disk. While that
// takes time, status answers and another recording may start.
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

// finish takes leave of a recording that ended by itself; r.mu is held.
func (r *Camera) finish(rec *session) {
	r.current.Store(nil)
	s, err := rec.stop()
	r.failed = errors.Join(r.failed, err)
	r.ended(s)
}

func (r *Camera) ended(s Summary) {
	r.Last, r.lost = s, r.lost || s.Dropped > 0
	r.log.Info().Strs("bags", s.Paths).Uint64("frames", s.Frames).Uint64("dropped", s.Dropped).Msg("recorded")
}

// running gives the recording that runs.
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

func (r *Camera) Pause(on bool) error {
	rec, err := r.running()
	if err == nil {
		rec.paused.Store(on)
	}
	return err
}

// Split makes the next frame begin a new file.
func (r *Camera) Split() error {
	rec, err := r.running()
	if err == nil {
		rec.part.Add(1)
	}
	return err
}

// WriteLog takes a line of the node's own log. It never blocks.
func (r *Camera) WriteLog(line *msgs.Log) {
	if rec := r.current.Load(); rec != nil {
		rec.log(*line)
	}
}

// Status is the recorder's line in /diagnostics; ok is false while nothing is
// recorded.
func (r *Camera) Status() (s msgs.DiagnosticStatus, ok bool) {
	rec := r.current.Load()
	if rec == nil {
		return s, false
	}
	return rec.status(), true
}

// Close ends a recording that is running. ErrIncomplete if any lost frames.
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
		err = errors.Join(err, fmt.Errorf("%w: a recording lost frames", program.ErrIncomplete))
	}
	return err
}
