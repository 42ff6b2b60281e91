package usbserve

import (
	"time"

	"rsros/camdriver"
)

// timeline puts the times and numbers of a device's frames on the 32-bit clock and counters
// of a camera. They are the source's as long as that doesn't start again, as a repeated
// recording does; then they continue.
type timeline struct {
	started bool
	newest  int64 // µs, of the source
	shift   int64 // µs, by which repetitions are later
	arrived time.Time
	numbers map[camdriver.StreamID]*counter
}

// counter is the state of a stream.
type counter struct {
	last, shift uint64
	stamp       int64 // of the last frame since the source started; 0 before
}

// place returns a frame's number and time.
func (t *timeline) place(f *camdriver.Frame) (number, us uint32) {
	stamp, ok := f.Meta(camdriver.MetaFrameTimestamp)
	if !ok {
		stamp = int64(f.Timestamp * 1000)
	}
	if t.numbers == nil {
		t.numbers = map[camdriver.StreamID]*counter{}
	}
	c := t.numbers[f.Stream()]
	if c == nil {
		c = &counter{}
		t.numbers[f.Stream()] = c
	}
	if stamp < c.stamp { // the source has started again
		t.shift += t.newest - stamp + 1000
		t.newest = stamp
		for _, other := range t.numbers {
			other.stamp = 0
		}
	}
	c.stamp = stamp
	if !t.started || stamp > t.newest {
		t.newest, t.arrived = stamp, time.Now()
	}
	t.started = true
	if n := f.Number + c.shift; n <= c.last {
		c.shift += c.last - n + 1
	}
	c.last = f.Number + c.shift
	return uint32(c.last), uint32(stamp + t.shift)
}

// now returns the clock. It stands still until the first frame.
func (t *timeline) now(at time.Time) uint32 {
	if !t.started {
		return 0
	}
	return uint32(t.newest + t.shift + at.Sub(t.arrived).Microseconds())
}
