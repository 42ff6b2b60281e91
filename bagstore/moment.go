package bagstore

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Moment is a time in a recording as users write it: a date, seconds since 1970, or seconds from the first message. The
// zero Moment is unset.
type Moment struct {
	number bool // of seconds: since 1970, or from the first message
	time   Time
}

// MomentAt returns the moment at bag time t.
func MomentAt(t Time) Moment { return Moment{time: t} }

// ParseMoment parses a date ("2018-05-03 12:30:00.5", or RFC 3339), a number of seconds since 1970, or a number of
// seconds from the first message, which may be negative. An empty text is the zero Moment.
func ParseMoment(text string) (Moment, error) {
	if text == "" {
		return Moment{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return MomentAt(TimeOf(t)), nil
		}
	}
	number, before := strings.CutPrefix(text, "-")
	ns, err := ParseSeconds(number)
	if before {
		ns = -ns
	}
	if err != nil {
		return Moment{}, fmt.Errorf("time %q: want a date, or a time such as 10s, 2m or 10 (seconds)", text)
	}
	return Moment{number: true, time: Time(ns)}, nil
}

// Absolute reports whether the moment is a date, or seconds since 1970.
func (m Moment) Absolute() bool { return m.time.Absolute() }

// In returns the moment as a bag time, 0 only for the zero Moment. A number of seconds less than the time of the first
// message counts from that. first returns that time, false if there is no message; it is called only if needed.
func (m Moment) In(first func() (Time, bool)) Time {
	if !m.number {
		return m.time
	}
	start, _ := first()
	if m.time >= start && start.Absolute() {
		return m.time
	}
	return cmp.Or(start.Add(m.time.Sub(0)), MinTime)
}

// ParseSeconds parses a non-negative number of seconds exactly ("0.1" is 100000000 ns), or a time
// with its unit: "10s", "2m", "1.5h".
func ParseSeconds(text string) (time.Duration, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if n, err := strconv.ParseUint(whole, 10, 33); err == nil && len(fraction) <= 9 &&
		strings.Trim(fraction, "0123456789") == "" {
		ns, _ := strconv.ParseUint((fraction + "000000000")[:9], 10, 64)
		return time.Duration(n)*time.Second + time.Duration(ns), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 && d < math.MaxUint32*time.Second {
		return d, nil
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s < math.MaxUint32) {
		return 0, fmt.Errorf("%q is not a time such as 10s, 2m or 10 (seconds)", text)
	}
	return time.Duration(math.Round(s * 1e9)), nil
}
