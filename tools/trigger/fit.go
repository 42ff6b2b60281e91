package trigger

import (
	"math"
	"slices"
)

// line is a straight line through measurements.
type line struct {
	slope, limit float64 // y for each x; what a slope can be off by
	spread       float64 // standard deviation of y
}

// maxPoints bounds the points of a fit; each stands for those around it.
const maxPoints = 200

// noLimit is the limit without enough measurements.
const noLimit = 1e12

// fit returns the line through one of each few successive measurements, such as the median, which wrong ones don't
// change.
func fit(x, y []float64, choose func([]float64) float64) (l line) {
	n := len(x)
	size := max(1, (n+maxPoints-1)/maxPoints)
	if n >= 60 {
		size = max(size, 5)
	}
	var px, py []float64
	for i := 0; i+size <= n; i += size {
		px, py = append(px, medianOf(x[i:i+size])), append(py, choose(y[i:i+size]))
	}
	if len(px) < 3 {
		l.limit = noLimit
		return l
	}
	mx, my := mean(px), mean(py)
	var sxx, sxy float64
	for i := range px {
		sxx += (px[i] - mx) * (px[i] - mx)
		sxy += (px[i] - mx) * (py[i] - my)
	}
	if sxx <= 0 {
		l.limit = noLimit
		return l
	}
	l.slope = sxy / sxx
	squares := 0.
	for i := range px {
		r := py[i] - my - l.slope*(px[i]-mx)
		squares += r * r
	}
	l.limit = 3 * math.Sqrt(squares/float64(len(px)-2)/sxx)
	off := make([]float64, n)
	for i := range x {
		off[i] = math.Abs(y[i] - my - l.slope*(x[i]-mx))
	}
	l.spread = 1.4826 * medianOf(off) // of a normal distribution
	return l
}

func mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return sum
}

// medianOf returns the median, 0 of nothing.
func medianOf(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
