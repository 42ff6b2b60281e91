package record

import (
	"fmt"
	"os"
	"sync"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// Summary describes the contents of a recording, over all of its files.
type Summary struct {
	Paths    []string // files, in order
	Frames   uint64   // written
	Dropped  uint64   // lost because the disk was too slow or failed
	Skipped  uint64   // arrived while paused
	Refused  uint64   // of streams that aren't in the description
	Written  string   // how the newest file is written: through the page cache or past it; "" for a .db3
	Events   uint64   // option changes, notifications and log lines that were lost
	ByStream map[camdriver.StreamID]Count
}

// Count counts one stream's frames.
type Count struct{ Frames, Dropped, Skipped uint64 }

func (s *Summary) add(st rsbag.RecorderStats) {
	for _, stream := range st.Streams {
		c := s.ByStream[stream.Stream]
		c.Frames += stream.Frames
		c.Skipped += stream.Skipped
		s.ByStream[stream.Stream] = c
		s.Frames += stream.Frames
		s.Skipped += stream.Skipped
	}
	s.Refused += st.Refused
	s.Written = st.HowWritten
}

// String returns one line for a user.
func (s Summary) String() string {
	text := fmt.Sprintf("%d frames recorded, %d dropped", s.Frames, s.Dropped)
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
	Bytes    int64         // size of its files on disk
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
	for _, path := range p.Paths {
		if st, err := os.Stat(path); err == nil {
			p.Bytes += st.Size()
		}
	}
	return p, true
}

// stopwatch measures time with pauses.
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
