package smooth

import "math"

// valid says whether a disparity is one.
func valid(p float32) bool { return int32(math.Float32bits(p)) > 0 }

// step smooths one disparity: state is the smoothed value before it on its line,
// before the one as it was.
func (e *Edges) step(p, before, state float32) float32 {
	if valid(before) {
		if away := before - p; away < e.Delta && away > -e.Delta {
			return float32(p*e.Alpha) + float32(state*e.beta)
		}
	}
	return p
}

// RowDisparity goes over a row and back.
func (e *Edges) RowDisparity(row []float32) {
	before := row[0]
	state := before
	for x := 1; x < len(row); x++ {
		p := row[x]
		if valid(p) {
			state = e.step(p, before, state)
			row[x] = state
		}
		before = p
	}
	before = row[len(row)-1]
	state = before
	for x := len(row) - 2; x >= 0; x-- {
		p := row[x]
		if valid(p) {
			state = e.step(p, before, state)
			row[x] = state
		}
		before = p
	}
}

// Columns is the state of a number of columns of disparity.
type Columns struct{ state, before []float32 }

// Begin starts with the first row.
func (c *Columns) Begin(row []float32) {
	c.state, c.before = append(c.state[:0], row...), append(c.before[:0], row...)
}

// Next smooths the next row of the columns.
func (e *Edges) Next(row []float32, c *Columns) {
	state, before := c.state[:len(row)], c.before[:len(row)]
	for x, p := range row {
		if valid(p) {
			state[x] = e.step(p, before[x], state[x])
			row[x] = state[x]
		}
		before[x] = p
	}
}

// FillDisparity fills the holes of a row: from the left, then from the right, where
// the last pixel looks at after.
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

// fill writes a neighbour's value into a hole that is not too wide. It returns the
// width so far.
func (e *Edges) fill(row []float32, x int, neighbour float32, gap int) int {
	if math.Float32bits(row[x]) != 0 {
		return 0
	}
	if gap++; gap < e.Radius {
		row[x] = neighbour
	}
	return gap
}
