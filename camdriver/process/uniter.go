package process

import (
	"slices"
	"sync"
	"time"
)

// UniteMethod determines the acceleration at the time of a gyroscope sample.
type UniteMethod string

// The methods, by realsense2_camera's names.
const (
	UniteNone   UniteMethod = "none"
	UniteCopy   UniteMethod = "copy"                 // last accelerometer sample; adds no delay
	UniteLinear UniteMethod = "linear_interpolation" // interpolated; delays samples by up to one accelerometer period
)

// UnitedSample is a reading of one or both sensors.
type UnitedSample struct {
	Stamp int64      // ns
	Gyro  [3]float64 // rad/s
	Accel [3]float64 // m/s²
}

// maxUniteGap is the largest distance between accelerometer samples to interpolate. The
// lowest rate of a camera is 62.5 Hz.
const maxUniteGap = 200 * time.Millisecond

// maxWaiting bounds the gyroscope samples that wait for an accelerometer sample: maxUniteGap
// at ten times a camera's highest rate.
const maxWaiting = 800

// Uniter combines the samples of a camera's gyroscope and accelerometer, which have different rates, as
// realsense2_camera does with unite_imu_method. Stamps of combined samples increase, unless those of the accelerometer
// go back by more than maxUniteGap, as after a seek. Gyroscope samples that would break this are dropped and counted. A
// Uniter is safe for concurrent use and emits one sample at a time.
type Uniter struct {
	method UniteMethod
	emit   func(UnitedSample)

	mu      sync.Mutex
	accel   UnitedSample // last accelerometer sample
	has     bool         // accel is valid
	waiting []UnitedSample
	last    int64 // stamp of the last emitted sample
	emitted bool  // last is valid
	dropped uint64
}

// NewUniter returns a Uniter that calls emit with each combined sample. emit must not call methods of the Uniter.
func NewUniter(m UniteMethod, emit func(UnitedSample)) *Uniter { return &Uniter{method: m, emit: emit} }

// Reset forgets all samples. Call it after a seek and after a time without input, so that old samples are not used.
func (u *Uniter) Reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.has, u.emitted, u.waiting = false, false, u.waiting[:0]
}

// Dropped returns the number of gyroscope samples dropped because no accelerometer
// sample was near or because time would have gone back.
func (u *Uniter) Dropped() uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.dropped
}

// Gyro adds a gyroscope sample in rad/s.
func (u *Uniter) Gyro(stamp int64, v [3]float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := UnitedSample{Stamp: stamp, Gyro: v}
	switch {
	case !u.has, u.method == UniteCopy && apart(u.accel.Stamp, stamp) > maxUniteGap:
		u.dropped++
	case u.method == UniteCopy:
		s.Accel = u.accel.Accel
		u.put(s)
	case stamp < u.accel.Stamp: // too late to interpolate
		u.dropped++
	default:
		if len(u.waiting) >= maxWaiting {
			u.waiting = slices.Delete(u.waiting, 0, 1)
			u.dropped++
		}
		u.waiting = append(u.waiting, s)
	}
}

// Accel adds an accelerometer sample in m/s².
func (u *Uniter) Accel(stamp int64, v [3]float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, after := u.accel, UnitedSample{Stamp: stamp, Accel: v}
	if u.has && stamp <= before.Stamp && apart(before.Stamp, stamp) <= maxUniteGap {
		return // out of order
	}
	if u.has && stamp < before.Stamp {
		u.emitted = false // a seek or a restarted clock: stamps may go back
	}
	interpolate := u.has && stamp > before.Stamp && apart(before.Stamp, stamp) <= maxUniteGap
	u.accel, u.has = after, true
	if u.method != UniteLinear {
		return
	}
	later := u.waiting[:0]
	for _, s := range u.waiting {
		switch {
		case s.Stamp > stamp && apart(s.Stamp, stamp) <= maxUniteGap:
			later = append(later, s)
		case interpolate && s.Stamp >= before.Stamp && s.Stamp <= stamp:
			s.Accel = between(before, after, s.Stamp)
			u.put(s)
		default:
			u.dropped++
		}
	}
	u.waiting = later
}

func apart(a, b int64) time.Duration { return time.Duration(a - b).Abs() }

// between interpolates the acceleration between a and b.
func between(a, b UnitedSample, at int64) (v [3]float64) {
	k := float64(at-a.Stamp) / float64(b.Stamp-a.Stamp)
	for i := range v {
		v[i] = a.Accel[i]*(1-k) + b.Accel[i]*k
	}
	return v
}

func (u *Uniter) put(s UnitedSample) {
	if u.emitted && s.Stamp <= u.last {
		u.dropped++
		return
	}
	u.last, u.emitted = s.Stamp, true
	u.emit(s)
}
