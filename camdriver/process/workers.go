package process

import (
	"sync"
	"sync/atomic"
)

// task processes the rows of an image.
type task interface {
	// rows processes the rows [from, to). Concurrent calls have different slots, in [0, workers.slots()).
	rows(slot, from, to int)
}

// workers are goroutines that help to process the rows of images. Jobs are not queued: idle
// goroutines help, and the caller does the rest.
type workers struct {
	jobs chan *job
	done sync.WaitGroup
	n    int // number of goroutines
}

// job is a call of run. Each block reuses its own.
type job struct {
	task task
	n    int
	band int          // rows per call
	next atomic.Int64 // first row not taken
	slot atomic.Int64 // last slot in use
	busy sync.WaitGroup
}

// newWorkers starts processors-1 goroutines; the caller of run is the last processor.
func newWorkers(processors int) *workers {
	w := &workers{jobs: make(chan *job), n: max(processors, 1) - 1}
	for range w.n {
		w.done.Go(func() {
			for j := range w.jobs {
				j.work(int(j.slot.Add(1)))
				j.busy.Done()
			}
		})
	}
	return w
}

// close ends the goroutines and waits for them.
func (w *workers) close() {
	close(w.jobs)
	w.done.Wait()
}

// slots returns the number of slots.
func (w *workers) slots() int { return w.n + 1 }

// bandsEach is the number of bands per processor, to balance the load.
const bandsEach = 4

// spread returns the number of rows per call, of n.
func (w *workers) spread(n int) int { return max(1, (n+w.slots()*bandsEach-1)/(w.slots()*bandsEach)) }

// run processes the rows [0, n) of t, band rows per call, and returns when all are done.
func (w *workers) run(j *job, t task, n, band int) {
	if n <= 0 {
		return
	}
	if w.n == 0 {
		t.rows(0, 0, n)
		return
	}
	j.task, j.n, j.band = t, n, band
	j.next.Store(0)
	j.slot.Store(0)
	for range w.n {
		j.busy.Add(1)
		select {
		case w.jobs <- j:
		default: // all busy
			j.busy.Done()
		}
	}
	j.work(0)
	j.busy.Wait()
	j.task = nil
}

func (j *job) work(slot int) {
	for {
		to := int(j.next.Add(int64(j.band)))
		from := to - j.band
		if from >= j.n {
			return
		}
		j.task.rows(slot, from, min(to, j.n))
	}
}
