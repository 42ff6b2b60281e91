package drivertest

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"rsros/camdriver"
)

// watch is a Handler that checks every frame, and lets a test wait for events.
type watch struct {
	t        *testing.T
	o        Options
	sensors  []camdriver.Sensor
	profiles []camdriver.Profile // of expected frames
	each     func(*camdriver.Frame)

	mu      sync.Mutex
	changed chan struct{} // closed and replaced by every event
	streams map[camdriver.StreamID]*seen
	options map[camdriver.OptionID]float32
	status  []camdriver.StatusKind
	gone    bool // disconnected
	silent  bool // the sensors are stopped
}

// seen describes the frames of a stream so far.
type seen struct {
	frames  int
	busy    bool // a call is running
	number  uint64
	domain  camdriver.Domain
	stamp   float64
	arrival time.Time
}

func newWatch(t *testing.T, dev camdriver.Device, o Options) *watch {
	return &watch{
		t: t, o: o, sensors: dev.Sensors(), changed: make(chan struct{}),
		streams: make(map[camdriver.StreamID]*seen), options: make(map[camdriver.OptionID]float32),
	}
}

// expect adds profiles that frames may have.
func (w *watch) expect(profiles []camdriver.Profile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.profiles = append(w.profiles, profiles...)
}

// start streams profiles of one sensor into w.
func (w *watch) start(s camdriver.Sensor, profiles []camdriver.Profile) {
	w.t.Helper()
	w.expect(profiles)
	Start(w.t, s, w, profiles...)
}

// startAll streams from all sensors into w, and returns their profiles.
func (w *watch) startAll(dev camdriver.Device) (all []camdriver.Profile) {
	w.t.Helper()
	streaming(dev, w.o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		w.start(s, profiles)
		all = append(all, profiles...)
	})
	return all
}

// stop ends streaming. Later calls are errors.
func (w *watch) stop(sensors ...camdriver.Sensor) {
	w.t.Helper()
	Stop(w.t, sensors...)
	w.close()
}

// close makes later calls errors, because all sensors are stopped.
func (w *watch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = true
	for id, s := range w.streams {
		if s.busy {
			w.t.Errorf("%s: a Frame call is running after Stop returned", id)
		}
	}
}

// event runs f under the lock and wakes up until.
func (w *watch) event(what string, sensor int, f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.silent {
		w.t.Errorf("%s after Stop returned", what)
	}
	if sensor < 0 || sensor >= len(w.sensors) {
		w.t.Errorf("%s from sensor %d of %d", what, sensor, len(w.sensors))
	}
	f()
	close(w.changed)
	w.changed = make(chan struct{})
}

// waitUntil waits for cond, which is called with w locked.
func (w *watch) waitUntil(what string, cond func() bool) {
	w.t.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	for {
		w.mu.Lock()
		ok, changed := cond(), w.changed
		w.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline.C:
			w.mu.Lock()
			defer w.mu.Unlock()
			for id, s := range w.streams {
				w.t.Logf("%s: %d frames", id, s.frames)
			}
			w.t.Fatalf("no %s within %v", what, timeout)
		}
	}
}

// frames waits for n more frames of every given stream.
func (w *watch) frames(n int, profiles []camdriver.Profile) {
	w.t.Helper()
	want := make(map[camdriver.StreamID]int)
	w.mu.Lock()
	for _, p := range profiles {
		want[p.Stream] = n
		if s := w.streams[p.Stream]; s != nil {
			want[p.Stream] += s.frames
		}
	}
	w.mu.Unlock()
	w.waitUntil("frames of all streams", func() bool {
		for id, n := range want {
			if s := w.streams[id]; s == nil || s.frames < n {
				return false
			}
		}
		return true
	})
}

func (w *watch) Frame(sensor int, f *camdriver.Frame) {
	w.check(f)
	id := f.Stream()
	var s *seen
	w.event("Frame of "+id.String(), sensor, func() {
		s = w.streams[id]
		if s == nil {
			s = &seen{}
			w.streams[id] = s
		} else {
			w.order(s, f)
		}
		if s.busy {
			w.t.Errorf("%s: two Frame calls at once", id)
		}
		if w.gone {
			w.t.Errorf("%s: frame %d of a disconnected camera", id, f.Number)
		}
		s.busy = true
		s.number, s.domain, s.stamp, s.arrival = f.Number, f.Domain, f.Timestamp, f.Arrival
	})
	if w.each != nil {
		w.each(f)
	}
	w.event("Frame of "+id.String(), sensor, func() {
		s.busy = false
		s.frames++
	})
}

// order compares a frame with the previous one.
func (w *watch) order(s *seen, f *camdriver.Frame) {
	if f.Arrival.Before(s.arrival) {
		w.t.Errorf("%s: frame %d arrived before frame %d", f.Stream(), f.Number, s.number)
	}
	if w.o.Repeats {
		return
	}
	if f.Number <= s.number {
		w.t.Errorf("%s: frame %d after frame %d", f.Stream(), f.Number, s.number)
	}
	if f.Domain == s.domain && f.Timestamp <= s.stamp {
		w.t.Errorf("%s: frame %d: timestamp %f after %f", f.Stream(), f.Number, f.Timestamp, s.stamp)
	}
}

// check compares a frame with its profile.
func (w *watch) check(f *camdriver.Frame) {
	w.mu.Lock()
	expected := slices.ContainsFunc(w.profiles, func(p camdriver.Profile) bool {
		p.Default = f.Profile.Default // irrelevant to a frame
		return p == f.Profile
	})
	w.mu.Unlock()
	bad := func(format string, args ...any) {
		w.t.Errorf("frame %d of %s: "+format, append([]any{f.Number, f.Profile}, args...)...)
	}
	if !expected {
		bad("profile was not started")
	}
	if f.Arrival.IsZero() || math.IsNaN(f.Timestamp) || math.IsInf(f.Timestamp, 0) || f.Timestamp < 0 {
		bad("timestamp %f, arrival %v", f.Timestamp, f.Arrival)
	}
	if n := len(f.Metadata); n != len(camdriver.FitMetadata(slices.Clone(f.Metadata))) {
		bad("%d metadata values, more than fit", n)
	}
	for i := 1; i < len(f.Metadata); i++ {
		if f.Metadata[i].Key <= f.Metadata[i-1].Key {
			bad("metadata %s after %s", f.Metadata[i].Key, f.Metadata[i-1].Key)
		}
	}
	switch kind := f.Profile.Stream.Kind; {
	case kind.Video():
		checkImage(f, bad)
	case kind.Inertial():
		checkMotion(f, bad)
	case len(f.Data) != 0 && kind == camdriver.Pose:
		bad("a pose has %d bytes of pixels", len(f.Data))
	}
}

func checkImage(f *camdriver.Frame, bad func(string, ...any)) {
	p := f.Profile
	if f.Width != p.Width || f.Height != p.Height {
		bad("is %dx%d", f.Width, f.Height)
	}
	if f.Stride <= 0 || f.Stride < p.Width*p.Format.BitsPerPixel()/8 || len(f.Data) != f.Stride*f.Height {
		bad("stride %d and %d bytes", f.Stride, len(f.Data))
	}
	if (p.Stream.Kind == camdriver.Depth) != (f.DepthUnits > 0) {
		bad("depth units %g", f.DepthUnits)
	}
}

func checkMotion(f *camdriver.Frame, bad func(string, ...any)) {
	m := f.Motion
	for _, v := range slices.Concat(m.Orientation[:], m.Gyro[:], m.Accel[:]) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			bad("motion %v", m)
			return
		}
	}
	kind := f.Profile.Stream.Kind
	if kind == camdriver.Gyro && m.Accel != [3]float64{} || kind == camdriver.Accel && m.Gyro != [3]float64{} {
		bad("values of another sensor: %v", m)
	}
}

func (w *watch) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	w.event("OptionChanged", sensor, func() { w.options[id] = value })
}

func (w *watch) Notification(sensor int, _ camdriver.Notification) {
	w.event("Notification", sensor, func() {})
}

func (w *watch) StatusChanged(s camdriver.Status) {
	w.event("StatusChanged", 0, func() {
		w.status = append(w.status, s.Kind)
		w.gone = s.Kind == camdriver.StatusDisconnected || w.gone && s.Kind != camdriver.StatusStreaming
		if s.Kind == camdriver.StatusDisconnected || s.Kind == camdriver.StatusFailed {
			if s.Err == nil {
				w.t.Errorf("status %s without a reason", s.Kind)
			}
			clear(w.streams) // numbers start over
		}
	})
}
