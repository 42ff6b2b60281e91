package record

import (
	"iter"
	"slices"
	"sync/atomic"

	"rsros/camdriver"
)

// tap is a session's consumer of one device's frames and events.
type tap struct {
	camdriver.NopHandler
	Source
	session *session
	detach  func()
	meters  camdriver.PerStream[meter]
	lost    camdriver.PerStream[lossCount] // before arrival, by the numbers of frames
	dropped camdriver.PerStream[atomic.Uint64]
}

// attach makes the frames of devices part of the recording. It returns their descriptions.
func (r *session) attach(sources []Source) (list []device) {
	for _, s := range sources {
		r.taps = append(r.taps, &tap{Source: s, session: r})
	}
	for _, t := range r.taps {
		for id := range t.streams() {
			_, gaps := t.Hub.Counts(id)
			t.lost.Of(id).begin(gaps)
		}
		t.detach = t.Hub.Attach(t)
		list = append(list, t.describe()) // afterwards, so that no change is missed
	}
	return list
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

// detach ends all taps. It may be called twice.
func (r *session) detach() {
	for _, t := range r.taps {
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
