package replay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"rsros/bagstore"
)

// ParseTime reads a time in what is played: a date ("2018-05-03 12:30:00.5", or RFC 3339),
// seconds since 1970, or seconds from the first message. Numbers are the latter
// if they lie before the first message. Empty is 0.
func ParseTime(text string, source Source) (bagstore.Time, error) {
	if text == "" {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return bagstore.TimeOf(t), nil
		}
	}
	ns, err := parseSeconds(text)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a date nor a number of seconds", text)
	}
	view, err := source.View(bagstore.Query{Start: statics + 1})
	if err != nil {
		return 0, err
	}
	if t := bagstore.Time(ns); t >= view.Start() && view.Start() > firstEpoch {
		return t, nil
	}
	return view.Start().Add(ns), nil
}

// firstEpoch is a year from which on bag times are dates: earlier ones are
// counted from the start of a recording or a simulation.
const firstEpoch = bagstore.Time(10 * 365 * 24 * 3600 * 1e9)

// ParseRange reads FROM:TO in seconds. Empty is nil.
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
		return 0, fmt.Errorf("%q is no number of seconds", text)
	}
	return time.Duration(math.Round(s * 1e9)), nil
}
