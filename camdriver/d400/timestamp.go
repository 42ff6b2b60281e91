package d400

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

// deviceTime converts times of a camera's clock. It is safe for concurrent use.
//
// Global time is defined as in the SDK: a line fitted to samples of both clocks. A new
// fit is blended in over a second, so that time never jumps.
type deviceTime struct {
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

const (
	clockSamples = 15
	firstSamples = 5
	clockBlend   = 1000.0 // ms of device time
)

// reset forgets all samples, after the camera's clock restarted.
func (t *deviceTime) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrap, t.samples, t.minDelay = unwrapped{}, nil, 0
}

// add adds a reading of the device's clock between two readings of the host's. The
// shortest delay so far is assumed to be that of the transfer.
func (t *deviceTime) add(device uint32, before, after time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delay := after.Sub(before) / 2
	if t.minDelay == 0 || delay < t.minDelay {
		t.minDelay = delay
	}
	ms := float64(t.wrap.time(device)) * 1e-3
	if len(t.samples) == clockSamples {
		t.samples = slices.Delete(t.samples, 0, 1)
	}
	t.samples = append(t.samples, clockSample{device: ms, system: unixMS(after.Add(-t.minDelay))})
	next := fitClock(t.samples)
	if len(t.samples) == 1 {
		t.line, t.previous, t.since = next, next, ms
		return
	}
	// Blend from the current time to the new line.
	t.previous, t.line, t.since = clockLine{at: ms, offset: t.blended(ms), slope: t.line.slope}, next, ms
}

// count returns how many samples there are, at most clockSamples.
func (t *deviceTime) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.samples)
}

// hardware returns the device's time in ms, unwrapped.
func (t *deviceTime) hardware(us uint32) float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return float64(t.wrap.time(us)) * 1e-3
}

// global returns the time in ms on the host's clock. ok is false before the first sample.
func (t *deviceTime) global(us uint32) (ms float64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.samples) == 0 {
		return 0, false
	}
	return t.blended(float64(t.wrap.time(us)) * 1e-3), true
}

func (t *deviceTime) blended(ms float64) float64 {
	k := min(max((ms-t.since)/clockBlend, 0), 1)
	return (1-k)*t.previous.system(ms) + k*t.line.system(ms)
}

// fitClock returns the least-squares line through samples, relative to their mean for
// numerical precision.
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
	if slope := xy / xx; xx > 0 && slope > 1-maxClockDrift && slope < 1+maxClockDrift {
		line.slope = slope
	}
	return line
}

// unixMS returns t in ms since 1970, the SDK's system time.
func unixMS(t time.Time) float64 {
	return float64(t.Unix())*1e3 + float64(t.Nanosecond())*1e-6
}
