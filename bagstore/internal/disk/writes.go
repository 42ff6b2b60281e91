package disk

import (
	"math"
	"slices"
	"sync"
)

// writes are the pending writes of a file past the page cache, and the memory for what is written.
type writes struct {
	d        Disk
	shared   *Staging // where the memory is from; may be nil
	memory   []byte
	reserved int64
	Waits    *Stopwatch // for the disk; may be nil

	mu       sync.Mutex
	over     sync.Cond // a write is over
	free     [][]byte  // staging memory; last returned, first used
	underWay []span    // the pending writes
	started  int64     // end of the writes that began
	err      error     // of the first write that failed
	failedAt int64     // the lowest offset of a failed write
}

// span is a part of a file.
type span struct{ from, end int64 }

// preallocate is how much is reserved at a time: it keeps the file in few pieces without filling the disk.
const preallocate = 64 << 20

// begin takes the memory.
func (w *writes) begin(staging *Staging) {
	w.shared, w.memory = staging, staging.take()
	for b := w.memory; len(b) > 0; b = b[stagingSize:] {
		w.free = append(w.free, b[:stagingSize:stagingSize])
	}
}

// start starts to write bufs, which fill the file from an offset to another. staging is the memory
// that becomes free afterwards. If done is not nil, it is called then.
func (w *writes) start(staging []byte, bufs [][]byte, from, end int64, done func()) {
	w.reserve(end)
	w.mu.Lock()
	w.underWay = append(w.underWay, span{from, end})
	w.started = max(w.started, end)
	w.mu.Unlock()
	w.Waits.during(func() { // without a queue, the disk writes at once
		w.d.Start(bufs, from, func(err error) {
			if done != nil {
				done()
			}
			w.finished(staging, from, err)
		})
	})
}

func (w *writes) finished(staging []byte, from int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && (w.err == nil || from < w.failedAt) {
		w.err, w.failedAt = err, from
	}
	w.free = append(w.free, staging)
	w.underWay = slices.DeleteFunc(w.underWay, func(s span) bool { return s.from == from })
	w.over.Signal()
}

// take returns staging memory. It waits while too many writes are pending.
func (w *writes) take() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.free) == 0 {
		w.Waits.during(w.over.Wait)
	}
	last := len(w.free) - 1
	b := w.free[last]
	w.free = w.free[:last]
	return b
}

// drain waits for the pending writes.
func (w *writes) drain() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.underWay) > 0 {
		w.Waits.during(w.over.Wait)
	}
	return w.err
}

// await waits for pending writes to a part of the file, because writes in progress may change places.
func (w *writes) await(from, end int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for slices.ContainsFunc(w.underWay, func(s span) bool { return s.from < end && from < s.end }) {
		w.Waits.during(w.over.Wait)
	}
}

func (w *writes) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// close gives the memory back. No write may be pending.
func (w *writes) close() error {
	if w.memory != nil {
		w.shared.give(w.memory)
		w.memory = nil
	}
	return w.d.Close()
}

// Landed returns the size up to which everything has been written: writes after it may be pending.
func (w *writes) Landed() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	landed := w.started
	for _, s := range w.underWay {
		landed = min(landed, s.from)
	}
	return landed
}

// reserve allocates space ahead of end. If that fails, writes allocate it.
func (w *writes) reserve(end int64) {
	if end <= w.reserved {
		return
	}
	w.reserved = (end + preallocate) / preallocate * preallocate
	if w.d.Allocate(w.reserved) != nil {
		w.reserved = math.MaxInt64
	}
}
