package d400

import (
	"slices"
	"sync"

	"rsros/camdriver"
)

// recorder is a handler that records its calls.
type recorder struct {
	mu     sync.Mutex
	frames map[camdriver.StreamID][]uint64 // numbers
	status []camdriver.Status
	notes  []camdriver.Notification
	change map[camdriver.OptionID]float32
	each   func(*camdriver.Frame)
}

func newRecorder() *recorder {
	return &recorder{frames: map[camdriver.StreamID][]uint64{}, change: map[camdriver.OptionID]float32{}}
}

func (r *recorder) Frame(_ int, f *camdriver.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frames[f.Stream()] = append(r.frames[f.Stream()], f.Number)
	if r.each != nil {
		r.each(f)
	}
}

func (r *recorder) OptionChanged(_ int, id camdriver.OptionID, v float32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.change[id] = v
}

func (r *recorder) Notification(_ int, n camdriver.Notification) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, n)
}

func (r *recorder) StatusChanged(s camdriver.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = append(r.status, s)
}

func (r *recorder) count(id camdriver.StreamID) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.frames[id])
}

func (r *recorder) kinds() (out []camdriver.StatusKind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.status {
		out = append(out, s.Kind)
	}
	return out
}

func (r *recorder) notified(c camdriver.Category) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.notes, func(n camdriver.Notification) bool { return n.Category == c })
}
