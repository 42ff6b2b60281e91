package replay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"rsros/bagstore"
)

// Moment is a time in what is played, as a user names it. The zero Moment is no
// time at all.
type Moment struct {
	given  bool
	number bool // of seconds: since 1970, or from the first message
	time   bagstore.Time
}

// At is the moment at bag time t.
func At(t bagstore.Time) Moment { return Moment{given: true, time: t} }

// ParseMoment reads a date ("2018-05-03 12:30:00.5", or RFC 3339), a number of
// seconds since 1970, or a number of seconds from the first message. An empty
// text is the zero Moment.
func ParseMoment(text string) (Moment, error) {
	if text == "" {
		return Moment{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return At(bagstore.TimeOf(t)), nil
		}
	}
	ns, err := parseSeconds(text)
	if err != nil {
		return Moment{}, fmt.Errorf("time %q: want a date or a number of seconds", text)
	}
	return Moment{given: true, number: true, time: bagstore.Time(ns)}, nil
}

// In returns the moment in the time of source, or 0 for the zero Moment. A number
// of seconds that is less than the time of the first message counts from there.
func (m Moment) In(source Source) (bagstore.Time, error) {
	if !m.given || !m.number {
		return m.time, nil
	}
	view, err := source.View(bagstore.Query{Start: statics + 1})
	if err != nil {
		return 0, err
	}
	if m.time >= view.Start() && view.Start().Absolute() {
		return m.time, nil
	}
	return view.Start().Add(m.time.Sub(0)), nil
}

// ParseTime is ParseMoment and Moment.In in one.
func ParseTime(text string, source Source) (bagstore.Time, error) {
	m, err := ParseMoment(text)
	if err != nil {
		return 0, err
	}
	return m.In(source)
}

// ParseRange reads FROM:TO in seconds. An empty text is no range, nil.
func ParseRange(text string) (*Range, error) {
	if text == "" {
		return nil, nil
	}
	from, to, ok := strings.Cut(text, ":")
	f, err := parseSeconds(from)
	t, err2 := parseSeconds(to)
	if !ok || err != nil || err2 != nil || f >= t {
		return nil, fmt.Errorf("range %q: want FROM:TO in seconds", text)
	}
	return &Range{f, t}, nil
}

// parseSeconds reads a number of seconds that isn't negative, exactly: "0.1" is
// 100000000 ns.
func parseSeconds(text string) (time.Duration, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if n, err := strconv.ParseUint(whole, 10, 33); err == nil && len(fraction) <= 9 && strings.Trim(fraction, "0123456789") == "" {
		ns, _ := strconv.ParseUint((fraction + "000000000")[:9], 10, 64)
		return time.Duration(n)*time.Second + time.Duration(ns), nil
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s < math.MaxUint32) {
		return 0, fmt.Errorf("%q is not a number of seconds", text)
	}
	return time.Duration(math.Round(s * 1e9)), nil
}
