package process

import (
	"math"
	"slices"
	"time"

	"rsros/camdriver"
)

// Syncer matches the frames of one device by their times, as the SDK does for recordings. Frames of several streams
// match if their times differ by less than half the frame interval of the slower stream.
//
// A frame waits up to seven frame intervals for the frames of other streams that are due
// at its time. After that, the late stream is ignored until it continues.
//
// A Syncer retains waiting frames, at most ten per stream, until Reset. It is not safe for concurrent use.
type Syncer struct {
	inlets []*inlet
	set    Set
}

// NewSyncer returns a Syncer that expects no stream.
func NewSyncer() *Syncer { return &Syncer{} }

// Expect announces a stream, so that the first frames of other streams wait for it. The
// SDK doesn't wait for first frames.
func (s *Syncer) Expect(id camdriver.StreamID) {
	s.inlets = append(s.inlets, &inlet{stream: id, active: true, patience: mostWaiting - 1})
}

// Push adds an image and takes over its reference. It calls emit for each complete set in
// time order. The set, which is sorted by stream, is valid during the call.
func (s *Syncer) Push(img Image, emit func(*Set)) {
	in := s.inlet(img)
	in.active, in.patience = true, 0
	in.next = img.Frame.Timestamp + 1000/rate(img)
	if in.queue = append(in.queue, img); len(in.queue) > mostWaiting {
		in.queue[0].Frame.Release()
		in.queue = slices.Delete(in.queue, 0, 1)
	}
	s.release(img.Frame.Timestamp, emit)
}

// Flush emits the sets of all waiting frames, after the last Push or before a gap.
func (s *Syncer) Flush(emit func(*Set)) {
	for _, in := range s.inlets {
		in.active = false
	}
	s.release(0, emit)
}

// Waiting returns the earliest arrival of the frames that wait, if any do.
func (s *Syncer) Waiting() (earliest time.Time, ok bool) {
	for _, in := range s.inlets {
		for _, img := range in.queue {
			if at := img.Frame.Arrival; !ok || at.Before(earliest) {
				earliest, ok = at, true
			}
		}
	}
	return earliest, ok
}

// Reset releases waiting frames and forgets all streams. Call it after a seek and at the end.
func (s *Syncer) Reset() {
	for _, in := range s.inlets {
		for _, img := range in.queue {
			img.Frame.Release()
		}
	}
	s.inlets = nil
}

// release emits the sets that are complete at a time.
func (s *Syncer) release(now float64, emit func(*Set)) {
	for {
		first, complete := s.earliest(now)
		if len(first) == 0 || !complete {
			return
		}
		slices.SortFunc(first, func(a, b *inlet) int { return a.stream.Compare(b.stream) })
		for _, in := range first {
			s.set.Add(in.queue[0])
			in.queue = slices.Delete(in.queue, 0, 1)
		}
		emit(&s.set)
		s.set.Release()
	}
}

// inlet is a stream.
type inlet struct {
	stream camdriver.StreamID
	active bool // waited for
	queue  []Image
	next   float64 // expected time in ms
	// patience is how many frames of other streams wait for an announced stream.
	patience int
}

// mostWaiting is the largest number of waiting frames per inlet.
const mostWaiting = 10

// inlet returns the inlet of an image's stream.
func (s *Syncer) inlet(img Image) *inlet {
	id := img.Frame.Stream()
	for _, in := range s.inlets {
		if in.stream == id {
			return in
		}
	}
	in := &inlet{stream: id}
	s.inlets = append(s.inlets, in)
	return in
}

// earliest returns the inlets whose first frames match and precede all others, and whether their set is complete.
func (s *Syncer) earliest(now float64) (first []*inlet, complete bool) {
	var missing []*inlet
	later := false
	for _, in := range s.inlets {
		switch {
		case len(in.queue) == 0:
			missing = append(missing, in)
		case len(first) == 0 || together(first[0].queue[0], in.queue[0]):
			first = append(first, in)
		case before(in.queue[0], first[0].queue[0]):
			first, later = []*inlet{in}, true
		default:
			later = true
		}
	}
	if len(first) == 0 || later {
		return first, true // later frames have arrived
	}
	for _, in := range missing {
		if in.await(first[0].queue[0], now) {
			return first, false
		}
	}
	return first, true
}

// rate returns the frames per second: the camera's measurement, or else the profile's.
func rate(img Image) float64 {
	measured, _ := img.Frame.Meta(camdriver.MetaActualFps)
	switch {
	case measured >= 1000:
		return float64(measured) / 1000
	case measured > 0: // before SDK 2.54
		return float64(measured)
	}
	return float64(max(img.Frame.Profile.FPS, 1))
}

// times returns two frames' times on the same clock, in ms.
func times(a, b Image) (float64, float64) {
	f, g := a.Frame, b.Frame
	if f.Domain == g.Domain {
		return f.Timestamp, g.Timestamp
	}
	return 0, float64(g.Arrival.Sub(f.Arrival).Nanoseconds()) / 1e6
}

func together(a, b Image) bool {
	s, t := times(a, b)
	return near(s, t, min(rate(a), rate(b)))
}

// near reports whether times differ by less than half a frame interval.
func near(a, b, rate float64) bool { return math.Abs(a-b) < 1000/rate/2 }

func before(a, b Image) bool {
	s, t := times(a, b)
	return s < t
}

// timesAhead is how many frame intervals a late frame is awaited.
const timesAhead = 7

// await reports whether a frame must wait for the inlet, which has no frames.
func (in *inlet) await(img Image, now float64) bool {
	if !in.active {
		return false
	}
	if in.patience > 0 {
		in.patience--
		in.active = in.patience > 0
		return in.active
	}
	fps := rate(img)
	if late := now - in.next; late > 0 {
		in.active = late < timesAhead*1000/fps
		return in.active
	}
	return near(img.Frame.Timestamp, in.next, fps)
}
