package record

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program/work"
)

// bagWriter is implemented by rsbag.Recorder. Tests use one whose disk stalls or fails.
// Stats, Size and Duration never wait for the disk.
type bagWriter interface {
	Frame(sensor int, f *camdriver.Frame) error
	Option(sensor int, id camdriver.OptionID, value float32, at time.Time) error
	Notification(sensor int, n camdriver.Notification, at time.Time) error
	// Join adds a further device, and Message writes a message of another topic.
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

// parts are the files of a camera's recording. Each can be played alone: it has the
// device's description as of its first frame, and its times start at 0. Only the writing
// goroutine may call its methods, except for totals and path.
type parts struct {
	series[*part]
	limits  limits
	devices []device
	budget  *work.Budget
	latched *latched[*extraMessage]
	staging bagstore.Staging // of all files

	paused bool
	frames bool   // the current file has at least one, or a message
	split  uint32 // number of the last executed split
}

// device is one of the devices of a recording.
type device struct {
	number int
	snap   camdriver.DeviceSnapshot // with the current options
}

type part struct {
	bagWriter // of the first device
	path      string
	devices   map[int]bagWriter // of all devices, by number
}

func newParts(path string, devices []device, o Options, budget *work.Budget, open openFunc, log zerolog.Logger) (*parts, error) {
	p := &parts{devices: devices, limits: o.limits(), budget: budget, latched: newLatched[*extraMessage](budget, log)}
	create := func(path string) (*part, error) {
		first, bag := p.devices[0], o.Bag
		bag.Staging, bag.Large = &p.staging, p.open && p.cur.Size() >= large
		w, err := open(path, first.number, first.snap, bag)
		if err != nil {
			return nil, err
		}
		f := &part{bagWriter: w, path: path, devices: map[int]bagWriter{first.number: w}}
		for _, d := range p.devices[1:] {
			if f.devices[d.number], err = w.Join(d.number, d.snap); err != nil {
				return nil, errors.Join(fmt.Errorf("record into %s: %w", path, err), w.Close())
			}
		}
		return f, nil
	}
	base, ext := splitExt(path)
	p.series = series[*part]{create: create, log: log, base: base, ext: ext, numbered: p.limits.any(), overlap: true, uploads: o.Uploads}
	if o.Ring.Before > 0 {
		if err := p.startRing(o.Ring, base, time.Now()); err != nil {
			return nil, err
		}
	}
	return p, p.next()
}

// ringTick starts a ring's next file if it is due.
func (p *parts) ringTick(now time.Time) error {
	if p.ringTurn(now) && p.frames {
		return p.next()
	}
	return nil
}

// ringTrigger keeps what the ring has, and completes the current file.
func (p *parts) ringTrigger(at time.Time) error {
	due := p.ringTurn(at)
	complete, err := p.trigger(at)
	if err == nil && (due || complete) && p.frames {
		err = p.next()
	}
	return err
}

func (p *parts) next() error {
	p.paused, p.frames = false, false
	if err := p.series.next(); err != nil {
		return err
	}
	return p.repeatLatched()
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
	if err := p.turn(item); err != nil {
		return err
	}
	p.pause(item.paused)
	p.frames = p.frames || !item.paused
	p.latched.follow(len(item.frame.Data))
	return p.cur.devices[item.tap.Number].Frame(item.sensor, item.frame)
}

// pause pauses or resumes the current file.
func (p *parts) pause(on bool) {
	if on == p.paused {
		return
	}
	p.paused = on
	if on {
		p.cur.Pause()
	} else {
		p.cur.Resume()
	}
}

// turn starts a new file if one is due.
func (p *parts) turn(item queued) error {
	// An item of another device or topic may be from before the last split.
	if item.paused || !p.frames || !p.full(max(item.part, p.split)) {
		return nil
	}
	p.split = max(item.part, p.split)
	return p.next()
}

func (p *parts) full(split uint32) bool {
	return split != p.split || p.limits.reached(p.latched.measure(p.cur.Size(), p.limits.size), p.cur.Duration())
}

// option writes a changed option and keeps it for the next file's description.
func (p *parts) option(number, sensor int, id camdriver.OptionID, value float32, at time.Time) error {
	n := slices.IndexFunc(p.devices, func(d device) bool { return d.number == number })
	if snap := p.devices[n].snap; sensor >= 0 && sensor < len(snap.Sensors) {
		list := snap.Sensors[sensor].Options
		if i := slices.IndexFunc(list, func(o camdriver.Option) bool { return o.ID == id }); i >= 0 {
			list[i].Value = value
		}
	}
	return p.cur.devices[number].Option(sensor, id, value, at)
}

func (p *parts) notification(number, sensor int, n camdriver.Notification, at time.Time) error {
	return p.cur.devices[number].Notification(sensor, n, at)
}

// path returns the newest file's. It may be called from any goroutine.
func (p *parts) path() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cur.path
}

func (f *part) Path() string { return f.path }

// Stats returns the counts of all devices. It may be called from any goroutine.
func (f *part) Stats() rsbag.RecorderStats {
	s := f.bagWriter.Stats()
	s.Streams, s.Refused = nil, 0
	for _, w := range f.devices {
		own := w.Stats()
		s.Streams, s.Refused = append(s.Streams, own.Streams...), s.Refused+own.Refused
	}
	return s
}

// Summary describes the contents of a recording, over all of its files.
type Summary struct {
	Paths    []string                     // files that are kept, in order
	Files    int                          // so far, without those that a ring has removed
	Bytes    int64                        // of the files that are kept
	Frames   uint64                       // written
	Dropped  uint64                       // lost because the disk was too slow or failed
	Skipped  uint64                       // arrived while paused
	Refused  uint64                       // of streams that aren't in the description
	Written  string                       // how the newest file is written: through the page cache or past it; "" for a .db3
	Events   uint64                       // option changes, notifications and log lines that were lost
	ByStream map[camdriver.StreamID]Count // of all devices together
	Messages uint64                       // of topics next to the devices, written
	Lost     uint64                       // messages of topics that were dropped, or too large for the queue
}

// Count counts one stream's frames.
type Count struct{ Frames, Dropped, Skipped uint64 }

// add adds a file.
func (s *Summary) add(path string, st rsbag.RecorderStats) {
	s.Paths, s.Files, s.Bytes = append(s.Paths, path), s.Files+1, s.Bytes+st.Size
	if s.ByStream == nil {
		s.ByStream = map[camdriver.StreamID]Count{}
	}
	for _, stream := range st.Streams {
		c := s.ByStream[stream.Stream]
		c.Frames += stream.Frames
		c.Skipped += stream.Skipped
		s.ByStream[stream.Stream] = c
		s.Frames += stream.Frames
		s.Skipped += stream.Skipped
	}
	s.Refused += st.Refused
	s.Written = st.WriteMethod
}

// String returns one line for a user.
func (s Summary) String() string {
	text := fmt.Sprintf("%d frames recorded, %d dropped", s.Frames, s.Dropped)
	if s.Messages+s.Lost > 0 {
		text += fmt.Sprintf(", %d messages recorded, %d dropped", s.Messages, s.Lost)
	}
	switch n := len(s.Paths); n {
	case 0:
		return text
	case 1:
		return s.Paths[0] + ": " + text
	default:
		return fmt.Sprintf("%s … %s: %s", s.Paths[0], s.Paths[n-1], text)
	}
}

// Progress describes a recording that isn't closed yet.
type Progress struct {
	Summary
	Paused   bool
	Duration time.Duration // since it began, without pauses
	Err      error         // the error that ended it; nil while it runs
}

// Progress describes the current recording. ok is false if there is none.
func (r *Camera) Progress() (p Progress, ok bool) {
	rec := r.current.Load()
	if rec == nil {
		return p, false
	}
	p = Progress{Summary: rec.summary(), Paused: rec.paused.Load(), Duration: rec.watch.read()}
	if rec.ended() {
		p.Err = rec.err
	}
	return p, true
}

type stopwatch struct {
	mu     sync.Mutex
	since  time.Time     // when it was last started; zero while stopped
	before time.Duration // measured before that
}

func (w *stopwatch) run(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if on == !w.since.IsZero() {
		return
	}
	if on {
		w.since = time.Now()
		return
	}
	w.before += time.Since(w.since)
	w.since = time.Time{}
}

func (w *stopwatch) read() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return w.before
	}
	return w.before + time.Since(w.since)
}
