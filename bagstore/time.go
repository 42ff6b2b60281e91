package bagstore

import (
	"math"
	"time"
)

// Time is a ROS time in nanoseconds since 1970. In a bag it has 32 bits of seconds and 32 bits of nanoseconds.
type Time int64

const (
	// MinTime is the first valid time: stock readers drop messages at zero.
	MinTime Time = 1
	// MaxTime is the last time that a bag can hold.
	MaxTime Time = math.MaxUint32*nsPerSec + nsPerSec - 1

	nsPerSec = 1_000_000_000
)

// NewTime returns the time of sec and nsec. nsec may exceed a second.
func NewTime(sec, nsec uint32) Time { return Time(sec)*nsPerSec + Time(nsec) }

// TimeOf converts a time.Time.
func TimeOf(t time.Time) Time { return Time(t.UnixNano()) }

// Absolute reports whether t counts from 1970. Less than ten years count from the start of a recording or simulation.
func (t Time) Absolute() bool { return t >= 10*365*24*3600*nsPerSec }

// Sec returns the whole seconds.
func (t Time) Sec() uint32 { return uint32(t / nsPerSec) }

// Nsec returns the nanoseconds within the second.
func (t Time) Nsec() uint32 { return uint32(t % nsPerSec) }

// Seconds returns the time in seconds.
func (t Time) Seconds() float64 { return float64(t) / nsPerSec }

// Std converts to a time.Time.
func (t Time) Std() time.Time { return time.Unix(0, int64(t)) }

// Sub returns t-u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Add returns t+d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// shifted returns t+by up to MaxTime, but t up to MinTime, from which messages are valid from the beginning.
func (t Time) shifted(by Time) Time {
	if t <= MinTime {
		return t
	}
	return min(t+by, MaxTime)
}
