package usbserve

import (
	"time"

	"rsros/camdriver"
)

// timeline puts the times and numbers of a device's frames on the 32-bit clock and counters of a camera. They are the
// source's as long as that doesn't start again, as a repeated recording does; then they continue.
type timeline struct {
	started bool
	newest  int64 // µs, of the source
	shift   int64 // µs, by which repetitions are later
	arrived time.Time
	sensors map[int]*numbering
}

// numbering is the state of a sensor. Its streams have the same number for the same exposure, so they are shifted
// alike.
type numbering struct {
	last    uint64 // the highest number
	shift   uint64
	anew    bool // the sensor was started again
	streams map[camdriver.StreamID]*counter
}

// counter is the state of a stream.
type counter struct {
	next  uint64 // one more than the source's last number; 0 before the first
	shift uint64 // of the sensor when the stream last started
	stamp int64  // of the last frame since the source started; 0 before
}

// restart says that a sensor starts again, with all its streams.
func (t *timeline) restart(sensor int) {
	if n := t.sensors[sensor]; n != nil {
		n.anew = true
	}
}

// stream returns the states of a sensor and its stream.
func (t *timeline) stream(sensor int, id camdriver.StreamID) (*numbering, *counter) {
	if t.sensors == nil {
		t.sensors = map[int]*numbering{}
	}
	n := t.sensors[sensor]
	if n == nil {
		n = &numbering{streams: map[camdriver.StreamID]*counter{}}
		t.sensors[sensor] = n
	}
	c := n.streams[id]
	if c == nil {
		c = &counter{shift: n.shift}
		n.streams[id] = c
	}
	return n, c
}

// count returns the number of a stream's frame. The first stream that starts again decides how far its sensor's are
// shifted.
func (n *numbering) count(c *counter, number uint64) uint64 {
	again := number < c.next
	if n.anew || again && (c.shift == n.shift || number+n.shift < c.next+c.shift) {
		if number+n.shift <= n.last {
			n.shift = n.last - number + 1
		}
		if n.anew {
			for _, other := range n.streams {
				other.shift, other.next = n.shift, 0
			}
			n.anew = false
		}
	}
	if again {
		c.shift = n.shift
	}
	c.next = number + 1
	n.last = max(n.last, number+c.shift)
	return number + c.shift
}

// place returns a frame's number and time.
func (t *timeline) place(sensor int, f *camdriver.Frame) (number, us uint32) {
	stamp, ok := f.Meta(camdriver.MetaFrameTimestamp)
	if !ok {
		stamp = int64(f.Timestamp * 1000)
	}
	n, c := t.stream(sensor, f.Stream())
	if stamp < c.stamp { // the source has started again
		t.shift += t.newest - stamp + 1000
		t.newest = stamp
		for _, s := range t.sensors {
			for _, other := range s.streams {
				other.stamp = 0
			}
		}
	}
	c.stamp = stamp
	if !t.started || stamp > t.newest {
		t.newest, t.arrived = stamp, time.Now()
	}
	t.started = true
	return uint32(n.count(c, f.Number)), uint32(stamp + t.shift)
}

// now returns the clock. It stands still until the first frame.
func (t *timeline) now(at time.Time) uint32 {
	if !t.started {
		return 0
	}
	return uint32(t.newest + t.shift + at.Sub(t.arrived).Microseconds())
}
