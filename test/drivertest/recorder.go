package drivertest

import (
	"slices"
	"sync"

	"rsros/camdriver"
)

// Recorder is a handler that records its calls. The zero value is ready to use. Its lists may be
// read while no call is running.
type Recorder struct {
	Each func(*camdriver.Frame) // called with each recorded frame unless nil

	Frames  map[camdriver.StreamID][]*camdriver.Frame // not retained
	Options []camdriver.OptionID                      // that changed
	Status  []camdriver.Status
	Notes   []camdriver.Notification
	mu      sync.Mutex
}

func (r *Recorder) Frame(_ int, f *camdriver.Frame) {
	r.mu.Lock()
	if r.Frames == nil {
		r.Frames = make(map[camdriver.StreamID][]*camdriver.Frame)
	}
	r.Frames[f.Stream()] = append(r.Frames[f.Stream()], f)
	r.mu.Unlock()
	if r.Each != nil {
		r.Each(f)
	}
}

func (r *Recorder) OptionChanged(_ int, id camdriver.OptionID, _ float32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Options = append(r.Options, id)
}

func (r *Recorder) Notification(_ int, n camdriver.Notification) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Notes = append(r.Notes, n)
}

func (r *Recorder) StatusChanged(s camdriver.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Status = append(r.Status, s)
}

// Numbers returns the numbers of a stream's frames.
func (r *Recorder) Numbers(id camdriver.StreamID) (out []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.Frames[id] {
		out = append(out, f.Number)
	}
	return out
}

// Count returns the number of a stream's frames.
func (r *Recorder) Count(id camdriver.StreamID) int { return len(r.Numbers(id)) }

// Kinds returns the kinds of the statuses.
func (r *Recorder) Kinds() (out []camdriver.StatusKind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.Status {
		out = append(out, s.Kind)
	}
	return out
}

// Notified reports whether there was a notification of a category.
func (r *Recorder) Notified(c camdriver.Category) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.Notes, func(n camdriver.Notification) bool { return n.Category == c })
}
