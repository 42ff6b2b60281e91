package record

import (
	"os"
	"sync"
	"time"
)

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
