package process

import "math"

// valid says whether a disparity is one.
func valid(p float32) bool { return int32(math.Float32bits(p)) > 0 }

// step smooths one disparity: state is the smoothed value before it on its line,
// before the one as it was.
func (s *Spatial) step(p, before, state float32) float32 {
	if valid(before) {
		if away := before - p; away < s.delta && away > -s.delta {
			return float32(p*s.alpha) + float32(state*s.beta)
		}
	}
	return p
}

// smoothDisparityRow goes over a row and back.
func (s *Spatial) smoothDisparityRow(row []float32) {
	before := row[0]
	state := before
	for x := 1; x < len(row); x++ {
		p := row[x]
		if valid(p) {
			state = s.step(p, before, state)
			row[x] = state
		}
		before = p
	}
	before = row[len(row)-1]
	state = before
	for x := len(row) - 2; x >= 0; x-- {
		p := row[x]
		if valid(p) {
			state = s.step(p, before, state)
			row[x] = state
		}
		before = p
	}
}

// smoothDisparityColumns goes down a strip of columns and up again.
func (s *Spatial) smoothDisparityColumns(w *spatialScratch, left, right int) {
	if len(w.state) < s.columns {
		w.state, w.before = make([]float32, s.columns), make([]float32, s.columns)
	}
	copy(w.state, rowOf[float32](&s.out, 0)[left:right])
	copy(w.before, w.state)
	for y := 1; y < s.out.height; y++ {
		s.stepRow(rowOf[float32](&s.out, y)[left:right], w)
	}
	copy(w.state, rowOf[float32](&s.out, s.out.height-1)[left:right])
	copy(w.before, w.state)
	for y := s.out.height - 2; y >= 0; y-- {
		s.stepRow(rowOf[float32](&s.out, y)[left:right], w)
	}
}

func (s *Spatial) stepRow(row []float32, w *spatialScratch) {
	state, before := w.state[:len(row)], w.before[:len(row)]
	for x, p := range row {
		if valid(p) {
			state[x] = s.step(p, before[x], state[x])
			row[x] = state[x]
		}
		before[x] = p
	}
}

// fillDisparity fills the holes of all rows: from the left, then from the right,
// where the last pixel of a row looks at the first of the next. So the rows go one
// after the other; the SDK reads past the end in the last one, where this takes 0.
func (s *Spatial) fillDisparity() {
	for y := range s.out.height {
		row := rowOf[float32](&s.out, y)
		gap := 0
		for x := 1; x < len(row); x++ {
			gap = s.fill(row, x, row[x-1], gap)
		}
		after := float32(0)
		if y+1 < s.out.height {
			after = rowOf[float32](&s.out, y+1)[0]
		}
		gap = 0
		for x := len(row) - 1; x > 0; x-- {
			gap = s.fill(row, x, after, gap)
			after = row[x]
		}
	}
}

// fill writes a neighbour's value into a hole that is not too wide. It returns the
// width so far.
func (s *Spatial) fill(row []float32, x int, neighbour float32, gap int) int {
	if math.Float32bits(row[x]) != 0 {
		return 0
	}
	if gap++; gap < s.radius {
		row[x] = neighbour
	}
	return gap
}
