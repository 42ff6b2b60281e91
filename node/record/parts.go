package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
)

// bagWriter is what a recording needs of an rsbag.Recorder. Tests replace it by one
// whose disk stalls or fails. Stats, Size and Duration never wait for the disk.
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

// parts writes one recording into one file after another. Each file can be played
// alone: it starts with the device's description as of its first frame, and its
// times start at 0. Only the writing goroutine may use it, except for summary and
// path.
type parts struct {
	open openFunc
	opts Options
	base string // of all paths
	ext  string // of the first file's path: .bag, or whatever was asked for
	log  zerolog.Logger
	snap camdriver.DeviceSnapshot // with the current options

	cur     bagWriter
	paused  bool
	frames  bool   // cur has at least one
	split   uint32 // number of the last requested split that was made
	closing sync.WaitGroup

	mu    sync.Mutex
	files []partFile
	err   error // of a file that was closed while the next was written
	gone  error // of files that somebody else deleted, replaced or truncated
}

// partFile is one file of a recording.
type partFile struct {
	path  string
	w     bagWriter // nil once it is closed
	stats rsbag.RecorderStats
}

func newParts(path string, snap camdriver.DeviceSnapshot, o Options, open openFunc, log zerolog.Logger) (*parts, error) {
	for i := range snap.Sensors {
		snap.Sensors[i].Options = slices.Clone(snap.Sensors[i].Options)
	}
	base, isBag := strings.CutSuffix(path, ".bag")
	p := &parts{open: open, opts: o, snap: snap, base: base, log: log}
	if isBag {
		p.ext = ".bag"
	}
	return p, p.next()
}

// nextPath is the path of the next file for a base.
func (p *parts) nextPath(base string) string {
	if n := len(p.files); p.opts.limits().any() || n > 0 {
		return partPath(base, n)
	}
	return base + p.ext
}

// next starts a file. The previous one is closed in the background, because that
// may wait for the disk. At most one file is being closed at a time.
func (p *parts) next() error {
	var w bagWriter
	wanted := p.nextPath(p.base)
	base, renamed, err := newBase(p.base, time.Now(), func(base string) (err error) {
		w, err = p.open(p.nextPath(base), p.snap)
		return err
	})
	if err != nil {
		return err
	}
	p.base = base
	path := p.nextPath(base)
	if renamed {
		p.log.Warn().Str("taken", wanted).Str("bag", path).Msg("a recording never replaces a file (--overwrite does)")
	}
	n := len(p.files)
	if n > 0 {
		p.closing.Wait()
		p.closing.Go(func() { p.close(n - 1) })
	}
	p.mu.Lock()
	p.files = append(p.files, partFile{path: path, w: w})
	p.mu.Unlock()
	p.cur, p.paused, p.frames = w, false, false
	return nil
}

// goOn continues in a new file if err says that somebody else deleted, replaced or
// truncated the one that is written. Any other error comes back.
func (p *parts) goOn(err error) error {
	if !errors.Is(err, bagstore.ErrGone) {
		return err
	}
	p.log.Error().Err(err).Msg("what was recorded is lost; recording goes on into a new file")
	return p.next()
}

// close closes file n and keeps its counts.
func (p *parts) close(n int) {
	p.mu.Lock()
	w := p.files[n].w
	p.mu.Unlock()
	if w == nil {
		return
	}
	err := w.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[n].stats, p.files[n].w = w.Stats(), nil
	if err == nil {
		return
	}
	err = fmt.Errorf("close %s: %w", p.files[n].path, err)
	if errors.Is(err, bagstore.ErrGone) {
		p.gone = errors.Join(p.gone, fmt.Errorf("%w: %w", program.ErrIncomplete, err))
	} else {
		p.err = errors.Join(p.err, err)
	}
}

// frame writes a frame, into a new file if one is due.
func (p *parts) frame(item queued) error {
	if !item.paused && p.frames && p.full(item.part) {
		p.split = item.part
		if err := errors.Join(p.next(), p.failed()); err != nil {
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
	return split != p.split || p.opts.limits().reached(p.cur.Size(), p.cur.Duration())
}

// option writes an option's change, and keeps it for the next file's description.
func (p *parts) option(sensor int, id camdriver.OptionID, value float32, at time.Time) error {
	if sensor >= 0 && sensor < len(p.snap.Sensors) {
		list := p.snap.Sensors[sensor].Options
		if i := slices.IndexFunc(list, func(o camdriver.Option) bool { return o.ID == id }); i >= 0 {
			list[i].Value = value
		}
	}
	return p.cur.Option(sensor, id, value, at)
}

func (p *parts) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Close returns when all files are complete on disk.
func (p *parts) Close() error {
	p.closing.Wait()
	p.close(len(p.files) - 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.err, p.gone)
}

// path is the path of the newest file.
func (p *parts) path() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files[len(p.files)-1].path
}

// summary adds up all files. Any goroutine may call it.
func (p *parts) summary() Summary {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Summary{ByStream: map[camdriver.StreamID]Count{}}
	for _, f := range p.files {
		s.Paths = append(s.Paths, f.path)
		if f.w != nil {
			f.stats = f.w.Stats()
		}
		s.add(f.stats)
	}
	return s
}
