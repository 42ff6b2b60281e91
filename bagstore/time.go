package bagstore

import (
	"math"
	"time"
)

// Time is nanoseconds since 1970, as ROS counts it: what fits two uint32s of
// seconds and nanoseconds.
type Time int64

const (
	// MinTime is the first valid time: stock readers drop messages at zero.
	MinTime Time = 1
	// MaxTime is the last time that a bag can hold.
	MaxTime Time = math.MaxUint32*nsPerSec + nsPerSec - 1

	nsPerSec = 1_000_000_000
)

// NewTime puts a time together. Nanoseconds above a second carry over.
func NewTime(sec, nsec uint32) Time { return Time(sec)*nsPerSec + Time(nsec) }

// TimeOf converts the wall clock's time.
func TimeOf(t time.Time) Time { return Time(t.UnixNano()) }

// firstDate is the first time that counts from 1970 beyond doubt.
const firstDate = Time(10 * 365 * 24 * 3600 * nsPerSec)

// Absolute reports whether t counts from 1970. A time of less than ten years
// counts from the start of a recording, as in bags of the RealSense SDK, or of a
// simulation.
func (t Time) Absolute() bool { return t >= firstDate }

// Sec is the whole seconds.
func (t Time) Sec() uint32 { return uint32(t / nsPerSec) }

// Nsec is the nanoseconds after the whole seconds.
func (t Time) Nsec() uint32 { return uint32(t % nsPerSec) }

// Seconds is the time as a floating point number.
func (t Time) Seconds() float64 { return float64(t) / nsPerSec }

// Std converts to the wall clock's type.
func (t Time) Std() time.Time { return time.Unix(0, int64(t)) }

// Sub is the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Add moves t by d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }
