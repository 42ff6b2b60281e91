// Package smooth has the arithmetic of the filters: what they do to rows of depth,
// of disparity, and of their history. It has the order of operations and the slips
// of librealsense, so that the results are the same to the last bit.
//
// Nothing here keeps a state; all functions may be called from any goroutine, each
// on rows of its own.
package smooth

// Edges are the parameters of the edge-preserving filter.
type Edges struct {
	Alpha  float32 // share of the new value
	Delta  float32 // the least difference that is an edge
	Radius int     // of holes to fill; 0: none
	beta   float32 // 1 - Alpha
}

// NewEdges completes the parameters.
func NewEdges(alpha, delta float32, radius int) Edges { return Edges{alpha, delta, radius, 1 - alpha} }

// mix blends the value before into a depth, rounded.
func (e *Edges) mix(depth, before uint16) uint16 {
	return uint16(int32(float32(float32(depth)*e.Alpha) + float32(float32(before)*e.beta) + 0.5))
}

func distance(a, b uint16) uint16 {
	if a > b {
		return a - b
	}
	return b - a
}

// forth leaves the first and the last pixel as they are.
func (e *Edges) forth(row []uint16) {
	delta, gap := uint16(e.Delta), 0
	before := row[0]
	for x := 1; x < len(row)-1; x++ {
		d := row[x]
		if before != 0 {
			if d != 0 {
				gap = 0
				if away := distance(d, before); away != 0 && away <= delta {
					d = e.mix(d, before)
					row[x] = d
				}
			} else if e.Radius > 0 {
				if gap++; gap < e.Radius {
					d = before
					row[x] = d
				}
			}
		}
		before = d
	}
}

// back takes a depth of 1 for a hole, as the SDK does.
func (e *Edges) back(row []uint16) {
	delta, gap := uint16(e.Delta), 0
	before := row[len(row)-1]
	for x := len(row) - 2; x >= 0; x-- {
		d := row[x]
		if before != 0 {
			if d > 1 {
				gap = 0
				if distance(d, before) <= delta {
					d = e.mix(d, before)
					row[x] = d
				}
			} else if e.Radius > 0 {
				if gap++; gap < e.Radius {
					d = before
					row[x] = d
				}
			}
		}
		before = d
	}
}

// down smooths a row of depth by the one above it. It doesn't ask whether there is
// depth: values below Delta leak into holes.
func (e *Edges) down(row, above []uint16) {
	delta := uint16(e.Delta)
	above = above[:len(row)]
	for x, d := range row {
		if before := above[x]; distance(d, before) < delta {
			row[x] = e.mix(d, before)
		}
	}
}

// up smooths a row of depth by the one below it.
func (e *Edges) up(row, below []uint16) {
	delta := uint16(e.Delta)
	below = below[:len(row)]
	for x, d := range row {
		if before := below[x]; d != 0 && before != 0 && distance(d, before) < delta {
			row[x] = e.mix(d, before)
		}
	}
}
