package main

import (
	"fmt"
	"math"
	"slices"
)

// quantiles are those that LeRobot's statistics have.
var quantiles = []float64{0.01, 0.10, 0.50, 0.90, 0.99}

func quantileName(q float64) string { return fmt.Sprintf("q%02d", int(math.Round(100*q))) }

// summary are statistics of a feature: for each dimension of a vector, or channel of an image.
type summary struct {
	Count     int64                `json:"count"` // rows, or images
	Min       []float64            `json:"min"`
	Max       []float64            `json:"max"`
	Mean      []float64            `json:"mean"`
	Std       []float64            `json:"std"`
	Quantiles map[string][]float64 `json:"quantiles"`
}

// join returns the statistics of all episodes. Quantiles are bounds, as LeRobot joins them: the lowest
// of those up to 50 %, and the highest of the others.
func (s *summary) join(o *summary) *summary {
	if s == nil {
		return o
	}
	n, m := float64(s.Count), float64(o.Count)
	j := &summary{Count: s.Count + o.Count, Quantiles: make(map[string][]float64)}
	for i := range s.Min {
		d := o.Mean[i] - s.Mean[i]
		variance := (n*s.Std[i]*s.Std[i] + m*o.Std[i]*o.Std[i] + d*d*n*m/(n+m)) / (n + m)
		j.Min, j.Max = append(j.Min, min(s.Min[i], o.Min[i])), append(j.Max, max(s.Max[i], o.Max[i]))
		j.Mean, j.Std = append(j.Mean, s.Mean[i]+d*m/(n+m)), append(j.Std, math.Sqrt(variance))
		for _, q := range quantiles {
			name := quantileName(q)
			v := min(s.Quantiles[name][i], o.Quantiles[name][i])
			if q > 0.5 {
				v = max(s.Quantiles[name][i], o.Quantiles[name][i])
			}
			j.Quantiles[name] = append(j.Quantiles[name], v)
		}
	}
	return j
}

// values calls do for each statistic.
func (s *summary) values(do func(name string, v []float64)) {
	do("min", s.Min)
	do("max", s.Max)
	do("mean", s.Mean)
	do("std", s.Std)
	for _, q := range quantiles {
		do(quantileName(q), s.Quantiles[quantileName(q)])
	}
}

// maxKept bounds the values that a running keeps for quantiles.
const maxKept = 1 << 18

// running computes the statistics of vectors. Quantiles are exact until maxKept values; from then on
// they are those of every second row, of every fourth, and so on.
type running struct {
	summary
	kept   [][]float64 // by dimension
	stride int64
}

func (r *running) add(row []float64) {
	if r.Count == 0 {
		r.stride, r.kept = 1, make([][]float64, len(row))
		r.Min, r.Max = slices.Clone(row), slices.Clone(row)
		r.Mean, r.Std = make([]float64, len(row)), make([]float64, len(row))
	}
	if r.Count%r.stride == 0 {
		for i, v := range row {
			r.kept[i] = append(r.kept[i], v)
		}
		if len(row)*len(r.kept[0]) >= maxKept {
			r.thin()
		}
	}
	r.Count++
	for i, v := range row {
		r.Min[i], r.Max[i] = min(r.Min[i], v), max(r.Max[i], v)
		d := v - r.Mean[i]
		r.Mean[i] += d / float64(r.Count)
		r.Std[i] += d * (v - r.Mean[i]) // the sum of squares until the end
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
	r.Quantiles = make(map[string][]float64)
	for i, list := range r.kept {
		r.Std[i] = math.Sqrt(r.Std[i] / float64(r.Count))
		slices.Sort(list)
		for _, q := range quantiles {
			at := q * float64(len(list)-1)
			low := int(at)
			v := list[low]
			if low+1 < len(list) {
				v += (list[low+1] - v) * (at - float64(low))
			}
			r.Quantiles[quantileName(q)] = append(r.Quantiles[quantileName(q)], v)
		}
	}
	return &r.summary
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
	s := &summary{Count: h.images, Quantiles: make(map[string][]float64)}
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
		s.Min, s.Max = append(s.Min, float64(low)/scale), append(s.Max, float64(high)/scale)
		s.Mean, s.Std = append(s.Mean, mean/scale), append(s.Std, math.Sqrt(max(0, squares/total-mean*mean))/scale)
		for _, q := range quantiles {
			left := q * total
			v := low
			for ; v < high; v++ {
				if left -= float64(counts[v]); left <= 0 {
					break
				}
			}
			s.Quantiles[quantileName(q)] = append(s.Quantiles[quantileName(q)], float64(v)/scale)
		}
	}
	return s
}
