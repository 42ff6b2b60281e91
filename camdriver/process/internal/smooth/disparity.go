package smooth

import "math"

// valid reports whether p is a disparity, not a hole.
func valid(p float32) bool { return int32(math.Float32bits(p)) > 0 }

// rowDisparity filters a row from its first pixel on. step is 1, or -1 for the way back.
func (e *Edges) rowDisparity(row []float32, first, step int) {
	alpha, beta, delta := e.Alpha, e.beta, e.Delta
	before := row[first]
	state := before
	for x := first + step; x >= 0 && x < len(row); x += step {
		p := row[x]
		if valid(p) {
			if away := before - p; away < delta && away > -delta && valid(before) {
				state = float32(p*alpha) + float32(state*beta)
				row[x] = state
			} else {
				state = p
			}
		}
		before = p
	}
}

// columns is the state of columns of disparity.
type columns struct{ state, before []float32 }

// begin initializes the state from the first row.
func (c *columns) begin(row []float32) {
	c.state, c.before = append(c.state[:0], row...), append(c.before[:0], row...)
}

// next filters the next row of the columns. A value is smoothed with the previous one in
// its column unless their original values differ by delta or more. p is of vectors.
func (e *Edges) next(row []float32, c *columns, p *float32) {
	alpha, beta, delta := e.Alpha, e.beta, e.Delta
	state, before := c.state[:len(row)], c.before[:len(row)]
	if n := len(row) &^ (floatLanes - 1); fast && n > 0 {
		nextAVX2(&row[0], &state[0], &before[0], n, p)
		row, state, before = row[n:], state[n:], before[n:]
	}
	for x, p := range row {
		b := before[x]
		before[x] = p
		if !valid(p) {
			continue
		}
		if away := b - p; away < delta && away > -delta && valid(b) {
			s := float32(p*alpha) + float32(state[x]*beta)
			state[x], row[x] = s, s
		} else {
			state[x] = p
		}
	}
}

// FillDisparity fills the holes of a row from the left, then from the right. after is the
// value to the right of the last pixel.
func (e *Edges) FillDisparity(row []float32, after float32) {
	gap := 0
	for x := 1; x < len(row); x++ {
		gap = e.fill(row, x, row[x-1], gap)
	}
	gap = 0
	for x := len(row) - 1; x > 0; x-- {
		gap = e.fill(row, x, after, gap)
		after = row[x]
	}
}

// fill writes a neighbour's value into a hole unless it is too wide. It returns the width so far.
func (e *Edges) fill(row []float32, x int, neighbour float32, gap int) int {
	if math.Float32bits(row[x]) != 0 {
		return 0
	}
	if gap++; gap < e.Radius {
		row[x] = neighbour
	}
	return gap
}
