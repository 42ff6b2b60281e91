package camdriver

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Hub is the handler to start sensors with. It passes frames and events on to
// consumers, which may attach and detach at any time, and counts the frames of each stream.
//
// A consumer's methods are called on the driver's goroutines and must not block. They may change
// the device's options, which calls the consumers again, and attach others.
type Hub struct {
	mu        sync.Mutex                      // serializes changes of consumers
	consumers atomic.Pointer[[]*GatedHandler] // whose gates are closed when they are detached
	counts    PerStream[streamCount]
}

// streamCount counts a stream's frames and gaps. A gap is a missing frame number: the
// frame was lost before it reached the host.
type streamCount struct {
	frames, gaps atomic.Uint64
	last         atomic.Uint64 // frame number + 1; 0 before the first frame
}

// Attach adds a consumer. The returned function removes it; after that returns, no
// call to the consumer is running and none will follow.
func (h *Hub) Attach(c Handler) (detach func()) {
	added := &GatedHandler{Handler: c}
	h.change(func(list []*GatedHandler) []*GatedHandler { return append(list, added) })
	return func() {
		h.change(func(list []*GatedHandler) []*GatedHandler {
			return slices.DeleteFunc(list, func(x *GatedHandler) bool { return x == added })
		})
		added.Close()
	}
}

// change replaces the consumers by what f makes of a copy.
func (h *Hub) change(f func([]*GatedHandler) []*GatedHandler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := f(slices.Clone(h.list()))
	h.consumers.Store(&next)
}

func (h *Hub) list() []*GatedHandler {
	if p := h.consumers.Load(); p != nil {
		return *p
	}
	return nil
}

func (h *Hub) Frame(sensor int, f *Frame) {
	h.count(f)
	h.each(func(c Handler) { c.Frame(sensor, f) })
}

func (h *Hub) count(f *Frame) {
	s := h.counts.Of(f.Stream())
	s.frames.Add(1)
	last := s.last.Swap(f.Number + 1)
	if last > 0 && f.Number > last { // a smaller number: the camera was reset
		s.gaps.Add(f.Number - last)
	}
}

// Counts returns the number of frames of a stream that arrived and the number that are
// missing according to the frame numbers.
func (h *Hub) Counts(id StreamID) (frames, gaps uint64) {
	s := h.counts.Of(id)
	return s.frames.Load(), s.gaps.Load()
}

func (h *Hub) OptionChanged(sensor int, id OptionID, value float32) {
	h.each(func(c Handler) { c.OptionChanged(sensor, id, value) })
}

func (h *Hub) Notification(sensor int, n Notification) {
	h.each(func(c Handler) { c.Notification(sensor, n) })
}

func (h *Hub) StatusChanged(s Status) {
	h.each(func(c Handler) { c.StatusChanged(s) })
}

func (h *Hub) each(call func(Handler)) {
	for _, c := range h.list() {
		c.Call(call)
	}
}
