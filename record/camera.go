package record

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/mcap"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
	"rsros/program/work"
	"rsros/record/upload"
)

// Camera records a running device, one recording after another. Serve must be called before all other methods except
// WriteLog; then any goroutine may call them.
type Camera struct {
	Source
	o      Options
	prefix string   // of new files: a folder, or a folder and the start of the name
	others []Source // further devices of the same recordings
	log    zerolog.Logger
	create createFunc // of files; open, unless a test has its own

	uploads atomic.Pointer[upload.Queue] // of opts; a viewer may call Serve anew
	current atomic.Pointer[Recording]
	ending  sync.WaitGroup // recordings that are being closed
	empty   atomic.Bool    // the last recording that was stopped

	mu     sync.Mutex
	Last   Figures     // of the last recording that ended
	lost   bool        // a recording lost frames
	left   atomic.Bool // something can't be represented in a file's format
	failed error       // of recordings that ended with an error
}

var errNotRecording = errors.New("not recording")

// Serve prepares to record an open device. prefix is that of names that Start chooses.
func (r *Camera) Serve(s Source, o Options, prefix string, log zerolog.Logger) {
	r.Source, r.o, r.prefix, r.log, r.create = s, o, prefix, log, r.open
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

// open creates a file in the format of its extension.
func (r *Camera) open(path string, number int, snap camdriver.DeviceSnapshot, bag bagstore.Options) (
	deviceWriter, error) {
	host, _ := os.Hostname() // a missing name doesn't prevent recording
	o := rsbag.RecorderOptions{Bag: bag, Program: program.Name, Version: program.Version, Host: host, Clocks: true,
		Device: number}
	switch _, ext := splitExt(path); ext {
	case extDB3:
		return rsdb3.NewRecorder(path, snap, rsdb3.Options{}, o, func(list []rsdb3.Loss) { r.leftOut(path, list) })
	case extMCAP:
		w, err := mcap.CreateBag(path, bag)
		if err != nil {
			return nil, err
		}
		return rsbag.NewRecorderOn(w, snap, o)
	}
	o.Bag.Live = true
	return rsbag.NewRecorder(path, snap, o)
}

// leftOut logs what can't be represented in a file's format.
func (r *Camera) leftOut(path string, list []rsdb3.Loss) {
	for _, l := range list {
		r.log.Warn().Str("file", path).Str("what", l.What).Uint64("times", l.Count).Msg("left out or changed: librealsense's .db3 can't represent it")
	}
	r.left.Store(true)
}

// Start starts to record into path or, if path is empty, into a new file named after the prefix and the time. It
// returns the file's path. The file describes the device's current state. The streams aren't interrupted.
func (r *Camera) Start(path string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec := r.Current(); rec != nil {
		if rec.failure() == nil {
			return "", fmt.Errorf("already recording into %s", rec.files.path())
		}
		r.finish(rec)
	}
	if path == "" {
		base, ext := splitExt(stampedPath(r.prefix, time.Now(), r.o.ext()))
		path = unusedBase(base, ext) + ext
	}
	rec, err := r.begin(path)
	if err != nil {
		return "", err
	}
	r.current.Store(rec)
	path = rec.files.path()
	line := r.log.Info().Str("bag", path)
	if written := rec.files.totals().Written; written != "" {
		line = line.Str("written", written)
	}
	line.Msg(strings.TrimSpace("recording " + rec.forecast(rec.space.left(path))))
	return path, nil
}

// begin begins a recording of all devices, and of the topics.
func (r *Camera) begin(path string) (*Recording, error) {
	o := r.o
	o.Latched, o.Output, o.DB3 = true, path, false // the path decides
	if err := o.CheckFormat(); err != nil {
		return nil, err
	}
	rec := newRecording(o, r.Node, r.log)
	rec.space.what = "frames"
	devices := rec.attach(append([]Source{r.Source}, r.others...))
	files, err := newDeviceSeries(rec.o, path, devices, rec.budget, r.create, r.log)
	if err == nil {
		err = rec.begin(files, func() {})
	}
	if err != nil {
		rec.discard()
		return nil, fmt.Errorf("record: %w", err)
	}
	if r.Node == nil {
		return rec, nil
	}
	for _, name := range o.Topics {
		if err := rec.subscribeExtra(name); err != nil {
			_, closeErr := rec.close()
			return nil, errors.Join(err, closeErr)
		}
	}
	return rec, nil
}

// newDeviceSeries returns the files of a recording of devices.
func newDeviceSeries(o Options, path string, devices []device, budget *work.Budget, create createFunc,
	log zerolog.Logger) (*series, error) {
	base, ext := splitExt(path)
	s, err := newSeries(o, base, ext, budget, log)
	s.devices, s.overlap = devices, true
	s.create = func(path string, bag bagstore.Options) (*part, error) {
		return createDevices(path, devices, bag, create)
	}
	return s, err
}

// subscribeExtra makes a topic part of a recording of devices.
func (r *Recording) subscribeExtra(name string) error {
	name, err := r.node.Resolve(name)
	if err != nil {
		return fmt.Errorf("%w: record topics: %w", program.ErrUsage, err)
	}
	if rsbag.Reserved(name) {
		return fmt.Errorf("%w: record topic %s: %w", program.ErrUsage, name, rsbag.ErrReserved)
	}
	if r.has(name) {
		return nil
	}
	return r.subscribe(name, true)
}

// Stop ends the recording and waits until the file is complete on disk. Meanwhile Status
// may be called and another recording started.
func (r *Camera) Stop() (Figures, error) {
	r.mu.Lock()
	rec := r.current.Load()
	if rec == nil {
		r.mu.Unlock()
		return Figures{}, errNotRecording
	}
	r.empty.Store(Total(rec.Figures()).Messages == 0)
	r.current.Store(nil)
	r.ending.Add(1)
	r.mu.Unlock()
	defer r.ending.Done()
	f, err := rec.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended(rec, &f)
	return f, err
}

// finish cleans up after a recording that ended with an error. The caller must hold r.mu.
func (r *Camera) finish(rec *Recording) {
	r.current.Store(nil)
	f, err := rec.close()
	r.failed = errors.Join(r.failed, err)
	r.ended(rec, &f)
}

func (r *Camera) ended(rec *Recording, f *Figures) {
	f.Closing = rec.logClosing(*f)
	r.Last, r.lost = *f, r.lost || f.Dropped+f.Lost > 0 || len(f.Unreached) > 0
}

// Current returns the current recording, which may have failed; nil if there is none.
func (r *Camera) Current() *Recording { return r.current.Load() }

// Ext returns the extension of files that are named without one, which says their format.
func (r *Camera) Ext() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.o.ext()
}

// Empty reports whether nothing came to the last recording that was stopped.
func (r *Camera) Empty() bool { return r.empty.Load() }

// Running returns the current recording, or an error if there is none or it has failed.
func (r *Camera) Running() (*Recording, error) {
	rec := r.Current()
	if rec == nil {
		return nil, errNotRecording
	}
	return rec, rec.failure()
}

// WriteLog records a line of the node's own log. It never blocks.
func (r *Camera) WriteLog(line *msgs.Log) {
	if rec := r.Current(); rec != nil {
		line, at := *line, r.Now()
		rec.event(func(s *series) error { return s.cur.device.Log(line, at) })
	}
}

// Uploads describes what waits for upload; "" without uploads.
func (r *Camera) Uploads() string { return r.uploads.Load().String() }

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
