package process

import (
	"sync"
	"sync/atomic"
)

// task is work on the rows of an image.
type task interface {
	// rows does the rows from … to-1. Calls run at once, each with a slot of its own
	// between 0 and workers.slots()-1; a slot's calls come one after the other.
	rows(slot, from, to int)
}

// workers are goroutines that help with the rows of images. A job is never queued:
// a goroutine that is free takes part, and the caller does the rest itself.
type workers struct {
	jobs chan *job
	done sync.WaitGroup
	n    int // helpers
}

// job is one call of run. It belongs to one block and is used again.
type job struct {
	task task
	n    int
	band int          // rows taken at once
	next atomic.Int64 // first row that nobody took
	slot atomic.Int64 // last slot given away
	busy sync.WaitGroup
}

// newWorkers starts the goroutines that processors need beside the caller.
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

// slots bounds the numbers that tasks see.
func (w *workers) slots() int { return w.n + 1 }

// bandsEach is how many bands each processor gets, so that one that is late
// doesn't leave the others idle.
const bandsEach = 4

// spread is how many rows are taken at once, of n.
func (w *workers) spread(n int) int {
	return max(1, (n+w.slots()*bandsEach-1)/(w.slots()*bandsEach))
}

// run does the rows 0 … n-1 of t, band at once, and returns when all are done.
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
		default: // nobody is free
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
