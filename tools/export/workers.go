package export

import (
	"cmp"
	"sync"
)

// Workers run jobs, at most n at a time. Its methods are for one goroutine.
type Workers struct {
	free chan struct{}
	wg   sync.WaitGroup
	mu   sync.Mutex
	err  error // the first
}

// NewWorkers returns workers for n jobs at a time.
func NewWorkers(n int) *Workers { return &Workers{free: make(chan struct{}, n)} }

// Do starts a job when a worker is free. The error may be an earlier job's.
func (w *Workers) Do(job func() error) error {
	w.free <- struct{}{}
	w.wg.Go(func() {
		err := job()
		w.mu.Lock()
		w.err = cmp.Or(w.err, err)
		w.mu.Unlock()
		<-w.free
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Wait waits for all jobs and returns the first error.
func (w *Workers) Wait() error {
	w.wg.Wait()
	return w.err
}
