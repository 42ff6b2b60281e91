package record

import (
	"iter"
	"slices"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/hub"
)

// tap is a session's consumer of one device's frames and events.
type tap struct {
	camdriver.NopHandler
	Source
	session *session
	detach  func()
	meters  hub.PerStream[meter]
	lost    hub.PerStream[lossCount] // before arrival, by the numbers of frames
	dropped hub.PerStream[atomic.Uint64]
	refused atomic.Uint64 // frames that came before the device joined the file
}

// attach makes a device's frames part of the recording, from its description on.
func (r *session) attach(s Source) {
	t := &tap{Source: s, session: r}
	for id := range t.streams() {
		_, gaps := s.Hub.Counts(id)
		t.lost.Of(id).begin(gaps)
	}
	t.detach = s.Hub.Attach(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taps = append(r.taps, t)
	if r.paused.Load() {
		t.run(false)
	}
}

// streams returns the device's streams.
func (s Source) streams() iter.Seq[camdriver.StreamID] {
	return func(yield func(camdriver.StreamID) bool) {
		for _, p := range slices.Concat(s.Profiles...) {
			if !yield(p.Stream) {
				return
			}
		}
	}
}

// missing returns how many frames of a stream were lost before they arrived, while it was recorded.
func (t *tap) missing(id camdriver.StreamID) uint64 {
	_, gaps := t.Hub.Counts(id)
	return t.lost.Of(id).read(gaps)
}

// run stops or continues to count these.
func (t *tap) run(on bool) {
	for id := range t.streams() {
		_, gaps := t.Hub.Counts(id)
		t.lost.Of(id).run(on, gaps)
	}
}

// describe returns a device as it is.
func (s Source) describe() device {
	snap := camdriver.Snapshot(s.Device, s.Profiles)
	for i := range snap.Sensors {
		snap.Sensors[i].Options = slices.Clone(snap.Sensors[i].Options)
	}
	return device{s.Number, snap}
}

// tapped returns the taps so far.
func (r *session) tapped() []*tap {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taps[:len(r.taps):len(r.taps)]
}

// detach ends all taps. It may be called twice.
func (r *session) detach() {
	for _, t := range r.tapped() {
		t.detach()
	}
}

func (t *tap) Frame(sensor int, f *camdriver.Frame) {
	r := t.session
	paused := r.paused.Load()
	if !paused {
		t.meters.Of(f.Stream()).add(len(f.Data))
	}
	item := queued{tap: t, sensor: sensor, frame: f.Retain(), paused: paused, part: r.part.Load()}
	r.queue.Push(queueKey{tap: t, stream: f.Stream()}, item, int64(len(f.Data))+eventSize)
}

func (t *tap) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	at := t.Now()
	t.session.event(func(p *parts) error { return p.option(t.Number, sensor, id, value, at) })
}

func (t *tap) Notification(sensor int, n camdriver.Notification) {
	at := t.Now()
	t.session.event(func(p *parts) error { return p.notification(t.Number, sensor, n, at) })
}
