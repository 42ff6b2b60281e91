// Package stamp converts the 32-bit clock and the frame counters of a camera to times of the host and to increasing
// numbers.
package stamp

import (
	"slices"
	"sync"
	"time"
)

// unwrapped extends the device's 32-bit microseconds, which wrap every 71.6 minutes, to
// 64 bits. Values may be slightly out of order, because streams share the clock.
type unwrapped struct {
	last    uint64
	started bool
}

func (u *unwrapped) time(us uint32) uint64 {
	if !u.started {
		u.last, u.started = uint64(us), true
		return u.last
	}
	full := int64(u.last) + int64(int32(us-uint32(u.last)))
	if full < 0 {
		return uint64(us) // just before the first value, across a wrap
	}
	u.last = max(u.last, uint64(full))
	return uint64(full)
}

// Clock converts times of a camera's clock. It is safe for concurrent use.
//
// Global time is defined as in the SDK: a line fitted to samples of both clocks. A new
// fit is blended in over a second, so that time doesn't jump. Only if the host's clock was
// stepped, by more than maxSlew, does it jump: by the step, once.
type Clock struct {
	mu       sync.Mutex
	wrap     unwrapped
	samples  []clockSample
	minDelay time.Duration
	line     clockLine // fit after the last sample
	previous clockLine // fit before it
	since    float64   // device time at the start of blending, ms
}

// clockSample is a reading of both clocks.
type clockSample struct{ device, system float64 } // ms

// clockLine maps device to system time: system = offset + slope·(device − at).
type clockLine struct{ at, offset, slope float64 }

func (l clockLine) system(device float64) float64 { return l.offset + l.slope*(device-l.at) }

// Samples is the number of samples to which the line is fitted.
const Samples = 15

const (
	// maxDrift bounds the difference between two clocks; more is noise.
	maxDrift   = 0.001
	clockBlend = 1000.0 // ms of device time
	// maxSlew is the largest step of the host's clock that the fit follows gradually. NTP daemons slew smaller
	// differences.
	maxSlew = 100.0 // ms
	// A reading that took maxLate longer than the fastest one is ignored, because nobody knows when the camera read its
	// clock, unless there was no other for maxAge: then the camera has become slower.
	maxLate = 5 * time.Millisecond
	maxAge  = 20_000.0 // ms of device time
)

// Reset forgets all samples: the camera's clock restarted, or may have wrapped unnoticed while nothing streamed.
func (t *Clock) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrap, t.samples, t.minDelay = unwrapped{}, nil, 0
}

// Add adds a reading of the device's clock between two readings of the host's. The
// shortest delay so far is assumed to be that of the transfer. If the host's clock was
// stepped since the last sample, Add starts a new fit and returns the step, otherwise 0.
func (t *Clock) Add(device uint32, before, after time.Time) (step time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delay := after.Sub(before) / 2
	ms := float64(t.wrap.time(device)) * 1e-3
	if len(t.samples) > 0 {
		if step = t.stepped(ms, unixMS(before), unixMS(after)); step != 0 {
			t.samples = t.samples[:0]
		} else if delay > t.minDelay+maxLate {
			if ms-t.samples[len(t.samples)-1].device < maxAge {
				return 0
			}
			t.minDelay = delay
		}
	}
	if t.minDelay == 0 || delay < t.minDelay {
		t.minDelay = delay
	}
	if len(t.samples) == Samples {
		t.samples = slices.Delete(t.samples, 0, 1)
	}
	t.samples = append(t.samples, clockSample{device: ms, system: unixMS(after.Add(-t.minDelay))})
	next := fitClock(t.samples)
	if len(t.samples) == 1 {
		t.line, t.previous, t.since = next, next, ms
		return step
	}
	// Blend from the current time to the new line.
	t.previous, t.line, t.since = clockLine{at: ms, offset: t.blended(ms), slope: t.line.slope}, next, ms
	return 0
}

// stepped returns by how much the host's clock was stepped, if it was: the camera's clock was read between before and
// after, and the fit disagrees by more than maxSlew.
func (t *Clock) stepped(device, before, after float64) time.Duration {
	expected := t.line.system(device)
	if expected >= before-maxSlew && expected <= after+maxSlew {
		return 0
	}
	return time.Duration(((before+after)/2 - expected) * 1e6)
}

// Count returns how many samples there are, at most Samples.
func (t *Clock) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.samples)
}

// Hardware returns the device's time in ms, unwrapped.
func (t *Clock) Hardware(us uint32) float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return float64(t.wrap.time(us)) * 1e-3
}

// Global returns the time in ms on the host's clock. ok is false before the first sample.
func (t *Clock) Global(us uint32) (ms float64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.samples) == 0 {
		return 0, false
	}
	return t.blended(float64(t.wrap.time(us)) * 1e-3), true
}

func (t *Clock) blended(ms float64) float64 {
	k := min(max((ms-t.since)/clockBlend, 0), 1)
	return (1-k)*t.previous.system(ms) + k*t.line.system(ms)
}

// fitClock returns the least-squares line through samples, relative to their mean for numerical precision.
func fitClock(samples []clockSample) clockLine {
	var mean clockSample
	n := float64(len(samples))
	for _, s := range samples {
		mean.device += s.device / n
		mean.system += s.system / n
	}
	var xy, xx float64
	for _, s := range samples {
		dx := s.device - mean.device
		xy += dx * (s.system - mean.system)
		xx += dx * dx
	}
	line := clockLine{at: mean.device, offset: mean.system, slope: 1}
	if slope := xy / xx; xx > 0 && slope > 1-maxDrift && slope < 1+maxDrift {
		line.slope = slope
	}
	return line
}

// unixMS returns t in ms since 1970, the SDK's system time.
func unixMS(t time.Time) float64 { return float64(t.Unix())*1e3 + float64(t.Nanosecond())*1e-6 }
