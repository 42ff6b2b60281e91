package record

import (
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
)

// bagWriter is implemented by rsbag.Recorder. Tests use one whose disk stalls or fails.
// Stats, Size and Duration never wait for the disk.
type bagWriter interface {
	Frame(sensor int, f *camdriver.Frame) error
	Option(sensor int, id camdriver.OptionID, value float32, at time.Time) error
	Notification(sensor int, n camdriver.Notification, at time.Time) error
	Log(l msgs.Log, at time.Time) error
	Pause()
	Resume()
	CheckpointIfDue() error
	Stats() rsbag.RecorderStats
	Size() int64
	Duration() time.Duration
	Close() error
}

// parts are the files of a camera's recording. Each can be played alone: it has the
// device's description as of its first frame, and its times start at 0. Only the writing
// goroutine may call its methods, except for summary and path.
type parts struct {
	series[*part]
	limits limits
	snap   camdriver.DeviceSnapshot // with the current options

	paused bool
	frames bool   // the current file has at least one
	split  uint32 // number of the last executed split
}

type part struct {
	bagWriter
	path string

	mu     sync.Mutex
	closed bool
	stats  rsbag.RecorderStats // of the closed file
}

func newParts(path string, snap camdriver.DeviceSnapshot, o Options, open openFunc, log zerolog.Logger) (*parts, error) {
	for i := range snap.Sensors {
		snap.Sensors[i].Options = slices.Clone(snap.Sensors[i].Options)
	}
	p := &parts{snap: snap, limits: o.limits()}
	create := func(path string) (*part, error) {
		w, err := open(path, p.snap)
		return &part{bagWriter: w, path: path}, err
	}
	base, ext := splitExt(path)
	p.series = series[*part]{create: create, log: log, base: base, ext: ext, numbered: p.limits.any(), overlap: true}
	return p, p.next()
}

func (p *parts) next() error {
	p.paused, p.frames = false, false
	return p.series.next()
}

// goOn continues in a new file if the current one is lost. It returns other errors.
func (p *parts) goOn(err error) error {
	if !p.lost(err) {
		return err
	}
	return p.next()
}

// frame writes a frame, into a new file if one is due.
func (p *parts) frame(item queued) error {
	if !item.paused && p.frames && p.full(item.part) {
		p.split = item.part
		if err := p.next(); err != nil {
			return err
		}
	}
	if item.paused != p.paused {
		p.paused = item.paused
		if p.paused {
			p.cur.Pause()
		} else {
			p.cur.Resume()
		}
	}
	p.frames = p.frames || !item.paused
	return p.cur.Frame(item.sensor, item.frame)
}

func (p *parts) full(split uint32) bool {
	return split != p.split || p.limits.reached(p.cur.Size(), p.cur.Duration())
}

// option writes a changed option and keeps it for the next file's description.
func (p *parts) option(sensor int, id camdriver.OptionID, value float32, at time.Time) error {
	if sensor >= 0 && sensor < len(p.snap.Sensors) {
		list := p.snap.Sensors[sensor].Options
		if i := slices.IndexFunc(list, func(o camdriver.Option) bool { return o.ID == id }); i >= 0 {
			list[i].Value = value
		}
	}
	return p.cur.Option(sensor, id, value, at)
}

func (p *parts) path() string {
	files := p.all()
	return files[len(files)-1].path
}

// summary returns the totals of all files. It may be called from any goroutine.
func (p *parts) summary() Summary {
	s := Summary{ByStream: map[camdriver.StreamID]Count{}}
	for _, f := range p.all() {
		s.Paths = append(s.Paths, f.path)
		s.add(f.Stats())
	}
	return s
}

func (f *part) Path() string { return f.path }

// Close completes the file, keeps its counts and frees the writer's memory.
func (f *part) Close() error {
	err := f.bagWriter.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stats, f.closed, f.bagWriter = f.bagWriter.Stats(), true, nil
	return err
}

// Stats returns the file's counts. It may be called from any goroutine.
func (f *part) Stats() rsbag.RecorderStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return f.stats
	}
	return f.bagWriter.Stats()
}
