package main

import (
	"math"
	"slices"
)

// quantiles are those that LeRobot's statistics have, by name.
var quantiles = map[string]float64{"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}

// summary are statistics of a feature.
type summary struct {
	Count int64 `json:"count"` // rows, or images
	// Values are min, max, mean, std and quantiles: for each dimension of a vector, or channel of an image.
	Values map[string][]float64 `json:"values"`
}

func (s *summary) add(name string, v float64) { s.Values[name] = append(s.Values[name], v) }

// join returns the statistics of all episodes. Quantiles are bounds, as LeRobot joins them: the lowest
// of those up to 50 %, and the highest of the others.
func (s *summary) join(o *summary) *summary {
	if s == nil {
		return o
	}
	n, m := float64(s.Count), float64(o.Count)
	j := &summary{s.Count + o.Count, make(map[string][]float64)}
	for name, list := range s.Values {
		for i, a := range list {
			b := o.Values[name][i]
			d := o.Values["mean"][i] - s.Values["mean"][i]
			switch name {
			case "mean":
				j.add(name, a+d*m/(n+m))
			case "std":
				j.add(name, math.Sqrt((n*a*a+m*b*b+d*d*n*m/(n+m))/(n+m)))
			case "min", "q01", "q10", "q50":
				j.add(name, min(a, b))
			default:
				j.add(name, max(a, b))
			}
		}
	}
	return j
}

// maxKept bounds the values that a running keeps for quantiles.
const maxKept = 1 << 18

// running computes the statistics of vectors. Quantiles are exact until maxKept values; from then on
// they are those of every second row, of every fourth, and so on.
type running struct {
	count                   int64
	min, max, mean, squares []float64   // by dimension; squares of the distance to the mean
	kept                    [][]float64 // by dimension
	stride                  int64
}

func (r *running) add(row []float64) {
	if r.count == 0 {
		r.stride, r.kept = 1, make([][]float64, len(row))
		r.min, r.max = slices.Clone(row), slices.Clone(row)
		r.mean, r.squares = make([]float64, len(row)), make([]float64, len(row))
	}
	if r.count%r.stride == 0 {
		for i, v := range row {
			r.kept[i] = append(r.kept[i], v)
		}
		if len(row)*len(r.kept[0]) >= maxKept {
			r.thin()
		}
	}
	r.count++
	for i, v := range row {
		r.min[i], r.max[i] = min(r.min[i], v), max(r.max[i], v)
		d := v - r.mean[i]
		r.mean[i] += d / float64(r.count)
		r.squares[i] += d * (v - r.mean[i])
	}
}

func (r *running) thin() {
	r.stride *= 2
	for i, list := range r.kept {
		n := 0
		for j := 0; j < len(list); j += 2 {
			list[n], n = list[j], n+1
		}
		r.kept[i] = list[:n]
	}
}

// finish returns the statistics of at least one row.
func (r *running) finish() *summary {
	s := &summary{r.count, map[string][]float64{"min": r.min, "max": r.max, "mean": r.mean}}
	for i, list := range r.kept {
		s.add("std", math.Sqrt(r.squares[i]/float64(r.count)))
		slices.Sort(list)
		for name, q := range quantiles {
			at := q * float64(len(list)-1)
			low := int(at)
			v := list[low]
			if low+1 < len(list) {
				v += (list[low+1] - v) * (at - float64(low))
			}
			s.add(name, v)
		}
	}
	return s
}

// histogram counts the samples of an image's channels.
type histogram struct {
	images int64
	counts [][]uint64 // by channel and sample
}

func newHistogram(channels, bits int) *histogram {
	h := &histogram{counts: make([][]uint64, channels)}
	for i := range h.counts {
		h.counts[i] = make([]uint64, 1<<bits)
	}
	return h
}

// row counts every step-th pixel of a row as PNG has it.
func (h *histogram) row(b []byte, step int) {
	n := len(h.counts)
	if len(h.counts[0]) > 256 {
		for i := 0; i+1 < len(b); i += 2 * step {
			h.counts[0][int(b[i])<<8|int(b[i+1])]++
		}
		return
	}
	for i := 0; i+n <= len(b); i += n * step {
		for c := range n {
			h.counts[c][b[i+c]]++
		}
	}
}

// finish returns the statistics of samples divided by scale.
func (h *histogram) finish(scale float64) *summary {
	s := &summary{h.images, make(map[string][]float64)}
	for _, counts := range h.counts {
		var total, sum, squares float64
		low, high := -1, 0
		for v, n := range counts {
			if n == 0 {
				continue
			}
			if low < 0 {
				low = v
			}
			high = v
			total, sum, squares = total+float64(n), sum+float64(n)*float64(v), squares+float64(n)*float64(v)*float64(v)
		}
		mean := sum / total
		s.add("min", float64(low)/scale)
		s.add("max", float64(high)/scale)
		s.add("mean", mean/scale)
		s.add("std", math.Sqrt(max(0, squares/total-mean*mean))/scale)
		for name, q := range quantiles {
			left := q * total
			v := low
			for ; v < high; v++ {
				if left -= float64(counts[v]); left <= 0 {
					break
				}
			}
			s.add(name, float64(v)/scale)
		}
	}
	return s
}
