package export

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
)

// WriteFile writes a file that gets its name when it is complete. Unlike package place it doesn't
// sync: a folder has thousands of images, and can be exported again.
func WriteFile(path string, overwrite bool, write func(*os.File) error) error {
	f, err := CreateFile(path, overwrite)
	if err != nil {
		return err
	}
	return FinishFile(f, path, write(f))
}

// CreateFile creates the temporary file of path.
func CreateFile(path string, overwrite bool) (*os.File, error) {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return nil, fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	return os.Create(path + ".partial")
}

// FinishFile closes the file and gives it its name, or removes it after an error.
func FinishFile(f *os.File, path string, err error) error {
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

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
