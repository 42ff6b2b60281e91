package work

import (
	"fmt"
	"strconv"
	"strings"
)

// Limiter lets pass no more messages of a topic than a rate allows. The zero value lets all pass.
type Limiter struct {
	period, next, last int64 // ns
}

// NewLimiter returns a Limiter for a rate in Hz; 0 is no limit.
func NewLimiter(hz float64) Limiter {
	if hz <= 0 {
		return Limiter{}
	}
	return Limiter{period: int64(1e9 / hz)}
}

// Pass reports whether a message at t, in ns, passes. The grid of allowed times doesn't move with the jitter of the
// messages, so the average keeps to the limit. A step back in time starts a new grid.
func (l *Limiter) Pass(t int64) bool {
	if l.period == 0 {
		return true
	}
	if back := t < l.last; !back && t < l.next {
		return false
	} else if back || t-l.next >= l.period {
		l.next = t
	}
	l.last, l.next = t, l.next+l.period
	return true
}

// ParseLimits reads "topic=hz" pairs.
func ParseLimits(pairs []string) (map[string]float64, error) {
	limits := make(map[string]float64)
	for _, p := range pairs {
		topic, text, _ := strings.Cut(p, "=")
		hz, err := strconv.ParseFloat(text, 64)
		if topic == "" || err != nil || !(hz > 0) {
			return nil, fmt.Errorf("limit %q: want topic=hz with hz above 0", p)
		}
		limits[topic] = hz
	}
	return limits, nil
}
