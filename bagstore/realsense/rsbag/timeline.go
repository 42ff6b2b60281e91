package rsbag

import (
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
)

const (
	// staticTime is the time of descriptions: librealsense drops messages at 0 and takes those at 1
	// ns as the initial state.
	staticTime bagstore.Time = 1
	// earliest is the first time that librealsense plays.
	earliest bagstore.Time = 2
	// firstFrame is the time of the first frame, as librealsense has it.
	firstFrame bagstore.Time = 1000
)

// maxDisorder is how much earlier than another stream's a frame may arrive. One that is earlier
// still comes from a source that went back, and continues the recording.
const maxDisorder = time.Second

// timeline converts arrival times to file times: 0 is the start, pauses are cut out, and no two
// messages of a topic have the same time.
//
// The first frame after a pause gets the time of the first frame that the pause dropped, so the
// camera's own interval remains.
type timeline struct {
	*axis
	last      map[camdriver.StreamID]bagstore.Time
	lastEvent map[string]bagstore.Time // by topic
}

// axis is what the time lines of all devices in a file share.
type axis struct {
	started bool
	base    time.Time     // the arrival at firstFrame
	cut     time.Duration // sum of the pauses
	end     bagstore.Time // latest time given to a frame

	paused, resumed bool // resumed: no frame since Resume
	gapKnown        bool
	gap             time.Time // arrival where the pause began

	lastArrival time.Time // of a frame or message that was written

	duration atomic.Int64 // file time of the latest frame or message that is written; read without a lock
}

func newTimeline(a *axis) *timeline {
	return &timeline{axis: a, last: make(map[camdriver.StreamID]bagstore.Time), lastEvent: make(map[string]bagstore.Time)}
}

func (t *axis) pause() { t.paused = true }

func (t *axis) resume() {
	if t.paused {
		t.paused, t.resumed = false, true
	}
}

// frame returns the file time of a frame, or false while paused. period is the stream's nominal one.
func (t *timeline) frame(id camdriver.StreamID, arrival time.Time, period time.Duration) (bagstore.Time, bool) {
	if t.paused {
		if t.started && !t.gapKnown {
			t.gap, t.gapKnown = arrival, true
		}
		return 0, false
	}
	if t.started && !t.resumed && t.lastArrival.Sub(arrival) > maxDisorder {
		t.cut += arrival.Sub(t.lastArrival.Add(period))
	}
	t.reach(arrival, period)
	at := max(t.at(arrival), t.last[id]+1)
	t.last[id], t.lastArrival = at, arrival
	t.end = max(t.end, at)
	return at, true
}

// message returns the file time of a message of no device, or false while paused. The zero time is the latest frame's.
func (t *axis) message(arrival time.Time) (bagstore.Time, bool) {
	switch {
	case t.paused:
		return 0, false
	case arrival.IsZero():
		return max(t.end, earliest), true
	}
	t.reach(arrival, 0)
	at := t.at(arrival)
	t.end = max(t.end, at)
	if arrival.After(t.lastArrival) {
		t.lastArrival = arrival
	}
	return at, true
}

// start returns the arrival time of file time 0.
func (t *axis) start() time.Time { return t.base.Add(-time.Duration(firstFrame)) }

// reach begins the line, or goes on after a pause, which it cuts out.
func (t *axis) reach(arrival time.Time, period time.Duration) {
	if !t.started {
		t.started, t.base = true, arrival
	} else if t.resumed {
		if !t.gapKnown { // no frame came during the pause
			t.gap = t.lastArrival.Add(period)
		}
		if d := arrival.Sub(t.gap); d > 0 || d < -maxDisorder {
			t.cut += d
		}
	}
	t.resumed, t.gapKnown = false, false
}

// at maps an arrival without regard to what was given before.
func (t *axis) at(arrival time.Time) bagstore.Time {
	return min(max(firstFrame.Add(arrival.Sub(t.base)-t.cut), earliest), bagstore.MaxTime-1)
}

// event returns the file time of an event. The zero time is the latest frame's. What happens before
// the first frame or during a pause gets the nearest time on the line.
func (t *timeline) event(topic string, arrival time.Time) bagstore.Time {
	at := max(t.end, earliest)
	if t.started && !t.paused && !t.resumed && !arrival.IsZero() {
		at = t.at(arrival)
	}
	at = max(at, t.lastEvent[topic]+1)
	t.lastEvent[topic] = at
	return at
}
