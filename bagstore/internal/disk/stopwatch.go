package disk

import (
	"sync"
	"time"
)

// Stopwatch measures for how long something goes on, such as waiting for the disk. What goes on at the same time counts
// once. Any goroutine may use it. A nil Stopwatch measures nothing.
type Stopwatch struct {
	mu    sync.Mutex
	now   int           // number of what goes on
	since time.Time     // when the first of these began
	past  time.Duration // the time before
}

// during measures do.
func (w *Stopwatch) during(do func()) {
	if w == nil {
		do()
		return
	}
	w.Add(1)
	defer w.Add(-1)
	do()
}

// Add says that n more go on, or end if n is negative.
func (w *Stopwatch) Add(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == 0 {
		w.since = time.Now()
	}
	if w.now += n; w.now == 0 {
		w.past += time.Since(w.since)
	}
}

// Total returns the time so far, with that of what goes on.
func (w *Stopwatch) Total() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == 0 {
		return w.past
	}
	return w.past + time.Since(w.since)
}
