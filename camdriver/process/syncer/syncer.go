// Package syncer matches frames of several streams into sets, like the SDK's syncer.
// Frames match if their times differ by less than half the frame interval of the slower
// stream.
//
// A frame waits up to seven frame intervals for the frames of other streams that are due
// at its time. After that, the late stream is ignored until it continues.
//
// A Syncer retains waiting frames, at most ten per stream, until Reset. It is not safe
// for concurrent use.
package syncer

import (
	"math"
	"slices"

	"rsros/camdriver"
	"rsros/camdriver/process"
)

// Syncer matches the frames of one device.
type Syncer struct {
	top    matcher
	stereo *inlet // depth and infrared, matched first; nil if matching by time alone
	set    process.Set
}

// New returns a Syncer that matches by time, as the SDK does for recordings. If byNumber,
// it first matches depth and infrared by frame number, as the SDK does for D400 cameras.
func New(byNumber bool) *Syncer {
	s := &Syncer{}
	if byNumber {
		s.stereo = &inlet{active: true, group: &matcher{byNumber: true}}
	}
	return s
}

// Expect announces a stream, so that the first frames of other streams wait for it. The
// SDK doesn't wait for first frames.
func (s *Syncer) Expect(id camdriver.StreamID) {
	s.top.inlets = append(s.top.inlets, &inlet{stream: id, active: true, patience: most - 1})
}

// Push adds an image and takes over its reference. It calls emit for each complete set in
// time order. The set, which is sorted by stream, is valid during the call.
func (s *Syncer) Push(img process.Image, emit func(*process.Set)) {
	out := func(m match) { s.emit(m, emit) }
	if kind := img.Frame.Stream().Kind; s.stereo != nil && (kind == camdriver.Depth || kind == camdriver.Infrared) {
		if !slices.Contains(s.top.inlets, s.stereo) {
			s.top.inlets = append(s.top.inlets, s.stereo)
		}
		group := s.stereo.group
		group.forget(img.Frame.Number)
		group.push(group.inlet(img), match{img}, func(m match) { s.top.push(s.stereo, m, out) })
		return
	}
	s.top.push(s.top.inlet(img), match{img}, out)
}

// Flush emits the sets of all waiting frames, after the last Push.
func (s *Syncer) Flush(emit func(*process.Set)) {
	out := func(m match) { s.emit(m, emit) }
	if s.stereo != nil {
		s.stereo.group.flush(func(m match) { s.top.push(s.stereo, m, out) })
	}
	s.top.flush(out)
}

func (s *Syncer) emit(m match, emit func(*process.Set)) {
	slices.SortStableFunc(m, func(a, b process.Image) int { return a.Frame.Stream().Compare(b.Frame.Stream()) })
	for _, i := range m {
		s.set.Add(i)
	}
	emit(&s.set)
	s.set.Release()
}

// Reset releases waiting frames and forgets all streams. Call it after a seek and at the
// end.
func (s *Syncer) Reset() {
	s.top.reset()
	if s.stereo != nil {
		s.stereo.group.reset()
		s.stereo = &inlet{active: true, group: s.stereo.group}
	}
}

// match is matched images. Number and time are those of the first.
type match []process.Image

func (m match) number() uint64 { return m[0].Frame.Number }

func (m match) release() {
	for _, img := range m {
		img.Frame.Release()
	}
}

// rate returns the frames per second: the camera's measurement, or else the profile's.
func (m match) rate() float64 {
	measured, _ := m[0].Frame.Meta(camdriver.MetaActualFps)
	switch {
	case measured >= 1000:
		return float64(measured) / 1000
	case measured > 0: // before SDK 2.54
		return float64(measured)
	}
	return float64(max(m[0].Frame.Profile.FPS, 1))
}

// inlet is a stream or a group of streams.
type inlet struct {
	stream camdriver.StreamID
	group  *matcher // nil for a stream
	active bool     // waited for
	queue  []match
	last   uint64  // number of the last frame
	next   float64 // expected number or time in ms
	// patience is how many frames of other streams wait for an announced stream.
	patience int
}

// most is the largest number of waiting frames per inlet.
const most = 10

// matcher matches the frames of its inlets.
type matcher struct {
	byNumber bool
	inlets   []*inlet
}

func (m *matcher) reset() {
	for _, in := range m.inlets {
		in.clear()
	}
	m.inlets = nil
}

func (in *inlet) clear() {
	for _, waiting := range in.queue {
		waiting.release()
	}
	in.queue = nil
}

// inlet returns the inlet of an image's stream.
func (m *matcher) inlet(img process.Image) *inlet {
	id := img.Frame.Stream()
	for _, in := range m.inlets {
		if in.group == nil && in.stream == id {
			return in
		}
	}
	in := &inlet{stream: id}
	m.inlets = append(m.inlets, in)
	return in
}

// farApart is the difference of numbers at which a stream counts as stopped.
const farApart = 5

// forget stops waiting for streams whose numbers are far from this one.
func (m *matcher) forget(number uint64) {
	for _, in := range m.inlets {
		if in.last != 0 && math.Abs(float64(number)-float64(in.last)) > farApart {
			in.active = false
			in.clear()
		}
	}
}

// push adds a match and emits complete sets.
func (m *matcher) push(in *inlet, f match, out func(match)) {
	in.active, in.patience = true, 0
	in.last = f.number()
	if m.byNumber {
		in.next = float64(f.number()) + 1
	} else {
		in.next = f[0].Frame.Timestamp + 1000/f.rate()
	}
	if in.queue = append(in.queue, f); len(in.queue) > most {
		in.queue[0].release()
		in.queue = slices.Delete(in.queue, 0, 1)
	}
	m.release(f[0].Frame.Timestamp, out)
}

// flush emits all frames.
func (m *matcher) flush(out func(match)) {
	for _, in := range m.inlets {
		in.active = false
	}
	m.release(0, out)
}

// release emits the sets that are complete at a time.
func (m *matcher) release(now float64, out func(match)) {
	for {
		first, complete := m.earliest(now)
		if len(first) == 0 || !complete {
			return
		}
		var joined match
		for _, i := range first {
			joined = append(joined, i.queue[0]...)
			i.queue = slices.Delete(i.queue, 0, 1)
		}
		out(joined)
	}
}

// earliest returns the inlets whose first frames match and precede all others, and
// whether their set is complete.
func (m *matcher) earliest(now float64) (first []*inlet, complete bool) {
	var missing []*inlet
	later := false
	for _, in := range m.inlets {
		switch {
		case len(in.queue) == 0:
			missing = append(missing, in)
		case len(first) == 0 || m.together(first[0].queue[0], in.queue[0]):
			first = append(first, in)
		case m.before(in.queue[0], first[0].queue[0]):
			first, later = []*inlet{in}, true
		default:
			later = true
		}
	}
	if len(first) == 0 || later {
		return first, true // later frames have arrived
	}
	for _, in := range missing {
		if m.await(first[0].queue[0], in, now) {
			return first, false
		}
	}
	return first, true
}

// times returns two frames' times on the same clock, in ms.
func times(a, b match) (float64, float64) {
	f, g := a[0].Frame, b[0].Frame
	if f.Domain == g.Domain {
		return f.Timestamp, g.Timestamp
	}
	return 0, float64(g.Arrival.Sub(f.Arrival).Nanoseconds()) / 1e6
}

func (m *matcher) together(a, b match) bool {
	if m.byNumber {
		return a.number() == b.number()
	}
	s, t := times(a, b)
	return near(s, t, min(a.rate(), b.rate()))
}

// near reports whether times differ by less than half a frame interval.
func near(a, b, rate float64) bool { return math.Abs(a-b) < 1000/rate/2 }

func (m *matcher) before(a, b match) bool {
	if m.byNumber {
		return a.number() < b.number()
	}
	s, t := times(a, b)
	return s < t
}

const (
	numbersAhead = 4 // frames; later than that, a frame is given up
	timesAhead   = 7 // frame intervals
)

// await reports whether a frame must wait for an inlet without frames.
func (m *matcher) await(f match, in *inlet, now float64) bool {
	if !in.active {
		return false
	}
	if in.patience > 0 {
		in.patience--
		in.active = in.patience > 0
		return in.active
	}
	if m.byNumber {
		ahead := float64(f.number()) - in.next
		return ahead >= 0 && ahead <= numbersAhead
	}
	rate := f.rate()
	if late := now - in.next; late > 0 {
		if late < timesAhead*1000/rate {
			return true
		}
		in.active = false
		return false
	}
	return near(f[0].Frame.Timestamp, in.next, rate)
}
