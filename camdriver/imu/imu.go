// Package imu combines the samples of a camera's gyroscope and accelerometer, which
// have different rates, into samples with both, as realsense2_camera does with
// unite_imu_method.
package imu

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Method is how the accelerometer's value at a gyroscope sample is found.
type Method string

// The methods, in realsense2_camera's words.
const (
	None   Method = "none"
	Copy   Method = "copy"                 // the last sample before it: at once
	Linear Method = "linear_interpolation" // between its neighbours: late by up to one period of the accelerometer
)

// ParseMethod reads a method's name; empty is None.
func ParseMethod(s string) (Method, error) {
	if s == "" {
		return None, nil
	}
	if m := Method(s); m == None || m == Copy || m == Linear {
		return m, nil
	}
	return None, fmt.Errorf("unite_imu_method %q: want %s, %s or %s", s, None, Copy, Linear)
}

// Sample is a moment of one of the sensors, or of both.
type Sample struct {
	Stamp int64      // ns
	Gyro  [3]float64 // rad/s
	Accel [3]float64 // m/s²
}

// MaxGap is how far apart two samples of the accelerometer may be for what is between
// them to be found. The slowest rate of a camera is 62.5 Hz.
const MaxGap = 200 * time.Millisecond

// maxWaiting bounds the gyroscope samples that wait for the accelerometer's: MaxGap at
// ten times the highest rate of a camera.
const maxWaiting = 800

// Uniter joins samples. Its stamps always grow, except where the accelerometer's go back
// by more than MaxGap, as after a seek: a sample that doesn't come after the last one
// given is left out, and counted. It is safe for concurrent use; one sample is
// given at a time.
type Uniter struct {
	method Method
	give   func(Sample)

	mu      sync.Mutex
	accel   Sample // the last one
	has     bool   // an accel
	waiting []Sample
	last    int64
	given   bool // a sample, with stamp last
	left    uint64
}

// New returns a Uniter that calls give with each sample. give must not call it back.
func New(m Method, give func(Sample)) *Uniter { return &Uniter{method: m, give: give} }

// Reset forgets what came: after a seek, or when nobody has listened for a while, so
// that nothing is made of what is past.
func (u *Uniter) Reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.has, u.given, u.waiting = false, false, u.waiting[:0]
}

// LeftOut is how many gyroscope samples had no accelerometer's near them or would have
// gone back in time.
func (u *Uniter) LeftOut() uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.left
}

// Gyro takes a gyroscope sample, in rad/s.
func (u *Uniter) Gyro(stamp int64, v [3]float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := Sample{Stamp: stamp, Gyro: v}
	switch {
	case !u.has:
		u.left++
	case u.method == Copy && apart(u.accel.Stamp, stamp) > MaxGap:
		u.left++
	case u.method == Copy:
		s.Accel = u.accel.Accel
		u.put(s)
	case stamp < u.accel.Stamp: // came late: its neighbours are gone
		u.left++
	default:
		if len(u.waiting) >= maxWaiting {
			u.waiting = slices.Delete(u.waiting, 0, 1)
			u.left++
		}
		u.waiting = append(u.waiting, s)
	}
}

// Accel takes an accelerometer sample, in m/s².
func (u *Uniter) Accel(stamp int64, v [3]float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, after := u.accel, Sample{Stamp: stamp, Accel: v}
	if u.has && stamp <= before.Stamp && apart(before.Stamp, stamp) <= MaxGap {
		return // came late
	}
	if u.has && stamp < before.Stamp {
		u.given = false // a seek, or a clock that began anew: stamps start again with it
	}
	interpolate := u.has && stamp > before.Stamp && apart(before.Stamp, stamp) <= MaxGap
	u.accel, u.has = after, true
	if u.method != Linear {
		return
	}
	later := u.waiting[:0]
	for _, s := range u.waiting {
		switch {
		case s.Stamp > stamp && apart(s.Stamp, stamp) <= MaxGap:
			later = append(later, s)
		case interpolate && s.Stamp >= before.Stamp && s.Stamp <= stamp:
			s.Accel = between(before, after, s.Stamp)
			u.put(s)
		default:
			u.left++
		}
	}
	u.waiting = later
}

func apart(a, b int64) time.Duration { return time.Duration(a - b).Abs() }

// between is the acceleration at a time from a's stamp to b's.
func between(a, b Sample, at int64) (v [3]float64) {
	k := float64(at-a.Stamp) / float64(b.Stamp-a.Stamp)
	for i := range v {
		v[i] = a.Accel[i]*(1-k) + b.Accel[i]*k
	}
	return v
}

func (u *Uniter) put(s Sample) {
	if u.given && s.Stamp <= u.last {
		u.left++
		return
	}
	u.last, u.given = s.Stamp, true
	u.give(s)
}
