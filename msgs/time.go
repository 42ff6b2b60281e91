package msgs

import (
	"math"
	"time"
)

// Time is a ROS time in nanoseconds since 1970. Its wire form is two uint32, seconds and nanoseconds.
type Time int64

// Duration is a ROS duration in nanoseconds. Its wire form is two int32.
type Duration int64

const second = 1_000_000_000

// NewTime returns the time of a wire form. nsec may exceed a second.
func NewTime(sec, nsec uint32) Time { return Time(int64(sec)*second + int64(nsec)) }

// FromTime converts t. Times before 1970 become 0.
func FromTime(t time.Time) Time { return Time(max(t.UnixNano(), 0)) }

// FromMillis converts milliseconds since 1970, rounded to nanoseconds.
func FromMillis(ms float64) Time {
	if !(ms > 0) { // also NaN
		return 0
	}
	whole := math.Floor(ms)
	if whole > math.MaxUint32*1000.0 {
		return NewTime(math.MaxUint32, second-1)
	}
	return Time(int64(whole)*1_000_000 + int64(math.Round((ms-whole)*1e6)))
}

// Sec returns the seconds, clamped to the range of the wire form.
func (t Time) Sec() uint32 { return uint32(min(max(int64(t), 0)/second, math.MaxUint32)) }

// Nsec returns the nanoseconds within the second.
func (t Time) Nsec() uint32 { return uint32(max(int64(t), 0) % second) }

// Millis returns the milliseconds since 1970.
func (t Time) Millis() float64 { return float64(int64(t)/1_000_000) + float64(int64(t)%1_000_000)/1e6 }

// Time converts t to a time.Time.
func (t Time) Time() time.Time { return time.Unix(0, int64(t)) }

// NewDuration returns the duration of a wire form.
func NewDuration(sec, nsec int32) Duration { return Duration(int64(sec)*second + int64(nsec)) }

// Sec returns the seconds, rounded down so that Nsec isn't negative.
func (d Duration) Sec() int32 {
	s := int64(d) / second
	if int64(d)%second < 0 {
		s--
	}
	return int32(min(max(s, math.MinInt32), math.MaxInt32))
}

// Nsec returns the nanoseconds above Sec, 0 to 999999999.
func (d Duration) Nsec() int32 {
	n := int64(d) % second
	if n < 0 {
		n += second
	}
	return int32(n)
}
