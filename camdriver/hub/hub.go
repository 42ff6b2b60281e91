// Package hub hands one device's frames and events to any number of consumers,
// and counts them by stream.
//
// It starts no goroutine: consumers are called on the driver's.
package hub

import (
	"slices"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
)

// Hub connects a device with the users of its frames. It is the handler
// that sensors are started with; consumers attach and detach while frames flow.
//
// A consumer's methods are called on the driver's goroutine and must not block. A
// consumer that needs more time must queue.
type Hub struct {
	mu        sync.RWMutex
	consumers []camdriver.Handler
	given     PerStream[streamCount]
}

// streamCount counts one stream's frames, and its gaps: a missing frame number is
// a frame that was lost before it reached this program.
type streamCount struct {
	frames, gaps atomic.Uint64
	last         atomic.Uint64 // frame number + 1; 0 before the first frame
}

// Attach adds a consumer. The returned function removes it; when it returns, no
// call to the consumer is running and none will follow.
func (h *Hub) Attach(c camdriver.Handler) (detach func()) {
	h.mu.Lock()
	h.consumers = append(slices.Clone(h.consumers), c)
	h.mu.Unlock()
	return func() {
		h.mu.Lock()
		h.consumers = slices.DeleteFunc(slices.Clone(h.consumers), func(x camdriver.Handler) bool { return x == c })
		h.mu.Unlock()
	}
}

// Frame implements camdriver.Handler.
func (h *Hub) Frame(sensor int, f *camdriver.Frame) {
	h.count(f)
	h.each(func(c camdriver.Handler) { c.Frame(sensor, f) })
}

func (h *Hub) count(f *camdriver.Frame) {
	s := h.given.Of(f.Stream())
	s.frames.Add(1)
	last := s.last.Swap(f.Number + 1)
	if last > 0 && f.Number > last { // a smaller number: the camera was reset
		s.gaps.Add(f.Number - last)
	}
}

// Given returns how many frames of a stream arrived, and how many are missing
// according to the frame numbers.
func (h *Hub) Given(id camdriver.StreamID) (frames, gaps uint64) {
	s := h.given.Of(id)
	return s.frames.Load(), s.gaps.Load()
}

// OptionChanged implements camdriver.Handler.
func (h *Hub) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	h.each(func(c camdriver.Handler) { c.OptionChanged(sensor, id, value) })
}

// Notification implements camdriver.Handler.
func (h *Hub) Notification(sensor int, n camdriver.Notification) {
	h.each(func(c camdriver.Handler) { c.Notification(sensor, n) })
}

// StatusChanged implements camdriver.Handler.
func (h *Hub) StatusChanged(s camdriver.Status) {
	h.each(func(c camdriver.Handler) { c.StatusChanged(s) })
}

func (h *Hub) each(call func(camdriver.Handler)) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, c := range h.consumers {
		call(c)
	}
}
