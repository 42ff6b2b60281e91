package disk

import (
	"sync"
	"time"
)

// Waits measures for how long the writing of files has waited for the disk. Waits at the same time count once. Any
// goroutine may use it. A nil Waits measures nothing.
type Waits struct {
	mu    sync.Mutex
	now   int           // number of waits that go on
	since time.Time     // when the first of these began
	past  time.Duration // the time before
}

// while measures wait.
func (w *Waits) while(wait func()) {
	if w == nil {
		wait()
		return
	}
	w.add(1)
	defer w.add(-1)
	wait()
}

func (w *Waits) add(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == 0 {
		w.since = time.Now()
	}
	if w.now += n; w.now == 0 {
		w.past += time.Since(w.since)
	}
}

// Total returns the time so far, with that of a wait that goes on.
func (w *Waits) Total() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == 0 {
		return w.past
	}
	return w.past + time.Since(w.since)
}
