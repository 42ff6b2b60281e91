package dataset

import "math"

// ticks choose sets so that they come at a rate. It makes none.
type ticks struct {
	rate    float64
	first   int64
	next    float64 // number of the next tick
	running bool
}

// take reports whether the frame at a time, of a stream of fps frames a second, is the one nearest to a tick.
func (t *ticks) take(at int64, fps int) bool {
	if t.rate <= 0 {
		return true
	}
	if !t.running {
		t.first, t.running = at, true
	}
	const early = 0.45 // frame intervals, since stamps jitter
	tick := (float64(at-t.first)/1e9 + early/float64(max(fps, 1))) * t.rate
	if tick < t.next {
		return false
	}
	t.next = math.Floor(tick) + 1
	return true
}
