package replay

import (
	"math"

	"rsros/bagstore"
)

// translator maps bag time to wall time and back, linearly through an anchor:
// wall(t) = anchor.wall + (t − anchor.bag) / rate. A pause, a skipped gap, a seek
// and a new rate move the anchor.
type translator struct {
	bag  bagstore.Time
	wall Wall
	rate float64
}

// anchor maps bag time t to wall time w.
func (tr *translator) anchor(t bagstore.Time, w Wall) { tr.bag, tr.wall = t, w }

// wallOf returns the wall time of bag time t.
func (tr *translator) wallOf(t bagstore.Time) Wall {
	return Wall(add(int64(tr.wall), divide(int64(t-tr.bag), tr.rate)))
}

// bagOf returns the bag time at wall time w.
func (tr *translator) bagOf(w Wall) bagstore.Time {
	return bagstore.Time(add(int64(tr.bag), divide(int64(w-tr.wall), 1/tr.rate)))
}

// divide returns d / by, rounded to the nanosecond and clamped to int64.
func divide(d int64, by float64) int64 {
	if by == 1 {
		return d
	}
	switch v := math.Round(float64(d) / by); {
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	default:
		return int64(v)
	}
}

// add returns a + b, clamped to int64.
func add(a, b int64) int64 {
	switch sum := a + b; {
	case b > 0 && sum < a:
		return math.MaxInt64
	case b < 0 && sum > a:
		return math.MinInt64
	default:
		return sum
	}
}
