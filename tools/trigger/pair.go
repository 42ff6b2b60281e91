package trigger

import (
	"fmt"
	"math"
	"slices"

	"rsros/camdriver"
)

const (
	leastFrames = 10
	sameRate    = 0.02 // relative difference
	leastDrift  = 1.   // ppm; crystals of cameras differ by more
	ownClocks   = 5.   // ppm that stamps of the host's clock may gain on the times of recording
)

// comparePair compares two streams. Times are from start on.
func comparePair(a, b *Stream, start int64) *Pair {
	p := &Pair{A: a.Camera + " " + a.Stream, B: b.Camera + " " + b.Stream,
		OneCamera: a.Camera == b.Camera, Verdict: Unknown}
	if len(a.frames) < leastFrames || len(b.frames) < leastFrames {
		return p
	}
	when := p.trust(a, b)
	ta, tb := times(a.frames, when), times(b.frames, when)
	slices.Sort(ta)
	slices.Sort(tb)
	period := max(medianOf(differences(ta)), medianOf(differences(tb)))
	p.Threshold = period / 10 / 1e6
	if slower := min(a.Rate, b.Rate); slower <= 0 || math.Abs(a.Rate-b.Rate) > sameRate*slower {
		p.Verdict = Different
		return p
	}
	pairs := match(ta, tb, period)
	if len(pairs) < leastFrames {
		return p
	}
	p.Paired = len(pairs)
	p.AloneA, p.AloneB = alone(ta, tb, len(pairs)), alone(tb, ta, len(pairs))
	p.fit(ta, tb, pairs, period, start)
	p.decide(period)
	if p.Clock == timesOfRecording && a.domain == camdriver.HardwareClock && b.domain == camdriver.HardwareClock {
		p.stamps(a, b, pairs)
	}
	return p
}

const timesOfRecording = "the times of recording"

// trust chooses the clock that both streams' times are of.
func (p *Pair) trust(a, b *Stream) func(frame) int64 {
	of := func(s *Stream) string { return s.Camera + "'s stamps" }
	why := ""
	for _, s := range []*Stream{a, b} {
		switch {
		case len(s.Jumps) > 0:
			why = of(s) + " jump"
		case a.domain != b.domain && p.OneCamera:
			why = "the stamps of the streams are of two clocks"
		case s.domain == camdriver.HardwareClock && !p.OneCamera:
			why = of(s) + " are of its own clock"
		case !p.OneCamera && math.Abs(s.Drift) > max(s.Limit, ownClocks):
			why = fmt.Sprintf("%s gain %+.1f ppm on the times of recording", of(s), s.Drift)
		}
	}
	if why != "" {
		p.Clock = timesOfRecording
		p.Notes = append(p.Notes, why+", so they are not compared: frames are by the times of recording, which vary")
		return arrived
	}
	p.Clock = "stamps (" + a.Clock + ")"
	return stamped
}

func times(list []frame, when func(frame) int64) (out []int64) {
	for _, f := range list {
		out = append(out, when(f))
	}
	return out
}

func differences(t []int64) (out []float64) {
	for i := 1; i < len(t); i++ {
		out = append(out, float64(t[i]-t[i-1]))
	}
	return out
}

// match returns the pairs of which each is the other's nearest, at most half a period apart.
func match(a, b []int64, period float64) (pairs [][2]int) {
	nearest := func(t int64, list []int64) int {
		i, _ := slices.BinarySearch(list, t)
		if i == len(list) || i > 0 && t-list[i-1] <= list[i]-t {
			i--
		}
		return i
	}
	for i, t := range a {
		k := nearest(t, b)
		if back := nearest(b[k], a); a[back] == t && math.Abs(float64(b[k]-t)) <= period/2 {
			pairs = append(pairs, [2]int{i, k})
		}
	}
	return pairs
}

// alone returns how many of a, while b has frames, are in none of the pairs.
func alone(a, b []int64, pairs int) int {
	from, _ := slices.BinarySearch(a, b[0]-(a[len(a)-1]-a[0])/int64(len(a))/2)
	to, _ := slices.BinarySearch(a, b[len(b)-1]+(a[len(a)-1]-a[0])/int64(len(a))/2)
	return max(0, to-from-pairs)
}

// fit measures the offsets. One that leaves half a period at one end comes back at the other.
func (p *Pair) fit(a, b []int64, pairs [][2]int, period float64, start int64) {
	var offsets, whole []float64
	turns := 0.
	for _, k := range pairs {
		off := float64(b[k[1]] - a[k[0]])
		if n := len(whole); n > 0 {
			turns -= period * math.Round((off+turns-whole[n-1])/period)
		}
		p.times = append(p.times, float64(a[k[0]]-a[0])/1e9)
		offsets, whole = append(offsets, off), append(whole, off+turns)
		p.offsets = append(p.offsets, off/1e6)
	}
	l := fit(p.times, whole, medianOf)
	p.Offset, p.Spread = medianOf(offsets)/1e6, l.spread/1e6
	p.Drift, p.DriftLimit = l.slope/1e3, l.limit/1e3
	switch {
	case math.Abs(p.Offset) <= max(p.Spread, 0.001):
	case p.Offset > 0:
		p.Leads = p.A
	default:
		p.Leads = p.B
	}
}

// decide gives the verdict. A drift counts if it is more than the uncertainty, and moves the offset by more than the
// spread.
func (p *Pair) decide(period float64) {
	seconds := p.times[len(p.times)-1] - p.times[0]
	moved := math.Abs(p.Drift) * seconds / 1e3 // ms
	drifts := math.Abs(p.Drift) > max(p.DriftLimit, leastDrift) && moved > max(p.Spread, 0.05)
	switch {
	case drifts:
		p.Verdict = Free
	case math.Abs(p.Offset) <= p.Threshold:
		p.Verdict = Together
		if p.DriftLimit > ownClocks {
			p.Notes = append(p.Notes,
				fmt.Sprintf("in %.0f s, a drift of up to %.0f ppm can't be told from none: record for longer to be sure",
					seconds, p.DriftLimit))
		}
	case p.DriftLimit <= leastDrift:
		p.Verdict = Together
		p.Notes = append(p.Notes, "one is triggered later than the other, or its stamps mean another moment of the exposure")
	default:
		p.Verdict = Free
		p.Notes = append(p.Notes,
			fmt.Sprintf("no drift is found in %.0f s, but frames are %.1f of %.1f ms apart", seconds, math.Abs(p.Offset), period/1e6))
	}
}

// stamps says how the stamps of two cameras' own clocks drift apart, which doesn't say anything about their shutters.
func (p *Pair) stamps(a, b *Stream, pairs [][2]int) {
	var at, off []float64
	for _, k := range pairs {
		at = append(at, float64(a.frames[k[0]].arrived)/1e9)
		off = append(off, float64(b.frames[k[1]].stamp-a.frames[k[0]].stamp))
	}
	drift := fit(at, off, medianOf).slope / 1e3
	p.StampsDrift = &drift
	p.Notes = append(p.Notes,
		fmt.Sprintf("the stamps drift apart by %+.1f ppm: that is of the cameras' clocks; the drift above is of their shutters", drift))
}
