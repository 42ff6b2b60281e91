package msgs

import (
	"math"
	"time"
)

// Time is a ROS time: nanoseconds since 1970, which bounds what the wire's two
// uint32 (seconds, nanoseconds) can say.
type Time int64

// Duration is a ROS duration in nanoseconds; on the wire two int32.
type Duration int64

const second = 1_000_000_000

// NewTime joins the wire's two numbers. nsec may exceed a second.
func NewTime(sec, nsec uint32) Time { return Time(int64(sec)*second + int64(nsec)) }

// FromTime is t on the ROS clock. Times before 1970 become 0.
func FromTime(t time.Time) Time { return Time(max(t.UnixNano(), 0)) }

// FromMillis turns a camera timestamp into a ROS time, rounded to the nanosecond.
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

// Sec is the whole seconds; times outside the wire's range are cut to it.
func (t Time) Sec() uint32 { return uint32(min(max(int64(t), 0)/second, math.MaxUint32)) }

// Nsec is the nanoseconds within the second.
func (t Time) Nsec() uint32 { return uint32(max(int64(t), 0) % second) }

// Millis is the time in ms, as camera timestamps are counted.
func (t Time) Millis() float64 {
	return float64(int64(t)/1_000_000) + float64(int64(t)%1_000_000)/1e6
}

// Time is t on Go's clock.
func (t Time) Time() time.Time { return time.Unix(0, int64(t)) }

// NewDuration joins the wire's two numbers.
func NewDuration(sec, nsec int32) Duration { return Duration(int64(sec)*second + int64(nsec)) }

// Sec is the whole seconds, rounded down, so that Nsec is never negative.
func (d Duration) Sec() int32 {
	s := int64(d) / second
	if int64(d)%second < 0 {
		s--
	}
	return int32(min(max(s, math.MinInt32), math.MaxInt32))
}

// Nsec is the nanoseconds above Sec, from 0 to 999999999.
func (d Duration) Nsec() int32 {
	n := int64(d) % second
	if n < 0 {
		n += second
	}
	return int32(n)
}
