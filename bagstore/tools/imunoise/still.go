package imunoise

import "math"

// rest checks that a sensor is at rest: within each second, neither the mean differs from that of the
// first second by more than a limit, nor do the samples spread by more.
type rest struct {
	limit   float64
	begin   int64 // stamp of the open second's first sample
	n       float64
	mean, m [3]float64 // of the open second: mean, sum of squared deviations (Welford)
	first   *[3]float64
	seconds uint64
	moved   uint64
	when    int64 // stamp of the first second that moved
}

func (r *rest) add(s sample) {
	if r.n == 0 || s.stamp-r.begin >= 1e9 || s.stamp < r.begin {
		r.close()
		r.begin, r.n, r.mean, r.m = s.stamp, 0, [3]float64{}, [3]float64{}
	}
	r.n++
	for i, v := range s.value {
		d := v - r.mean[i]
		r.mean[i] += d / r.n
		r.m[i] += d * (v - r.mean[i])
	}
}

// close judges the open second. One of few samples says little.
func (r *rest) close() {
	const fewest = 10
	if r.n < fewest {
		return
	}
	if r.first == nil {
		first := r.mean
		r.first = &first
	}
	off, spread := 0.0, 0.0
	for i := range r.mean {
		off = math.Hypot(off, r.mean[i]-r.first[i])
		spread += r.m[i] / r.n
	}
	r.seconds++
	if !(off <= r.limit && math.Sqrt(spread) <= r.limit) { // also if they are no numbers
		if r.moved == 0 {
			r.when = r.begin
		}
		r.moved++
	}
}
