// Package smooth implements the filters for rows of depth and disparity. It has the order
// of operations and the bugs of librealsense, so that results are bit-identical.
//
// Functions are safe for concurrent use on different rows.
package smooth

// Edges are the parameters of the edge-preserving filter.
type Edges struct {
	Alpha  float32 // weight of the new value
	Delta  float32 // least difference at an edge
	Radius int     // of holes to fill; 0 for none
	beta   float32 // 1 - Alpha
}

// NewEdges returns the parameters.
func NewEdges(alpha, delta float32, radius int) Edges { return Edges{alpha, delta, radius, 1 - alpha} }

// mix returns the weighted mean of a depth and the previous value, rounded.
func (e *Edges) mix(depth, before uint16) uint16 {
	return uint16(int32(float32(float32(depth)*e.Alpha) + float32(float32(before)*e.beta) + 0.5))
}

func distance(a, b uint16) uint16 {
	if a > b {
		return a - b
	}
	return b - a
}

// forth filters a row forwards, except for its first and last pixel.
func (e *Edges) forth(row []uint16) { e.row(row, 0, len(row)-1, 1, 0) }

// back filters a row backwards. As in the SDK, a depth of 1 is a hole.
func (e *Edges) back(row []uint16) { e.row(row, len(row)-1, -1, -1, 1) }

// row filters the pixels after first and before end in steps of 1 or -1. Depths up to hole are holes.
func (e *Edges) row(row []uint16, first, end, step int, hole uint16) {
	delta, gap := uint16(e.Delta), 0
	before := row[first]
	for x := first + step; x != end; x += step {
		d := row[x]
		if before != 0 {
			if d > hole {
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

// down smooths a row of depth with the one above it. As in the SDK, depths below Delta leak into holes.
func (e *Edges) down(row, above []uint16) {
	delta := uint16(e.Delta)
	above = above[:len(row)]
	for x, d := range row {
		if before := above[x]; distance(d, before) < delta {
			row[x] = e.mix(d, before)
		}
	}
}

// up smooths a row of depth with the one below it.
func (e *Edges) up(row, below []uint16) {
	delta := uint16(e.Delta)
	below = below[:len(row)]
	for x, d := range row {
		if before := below[x]; d != 0 && before != 0 && distance(d, before) < delta {
			row[x] = e.mix(d, before)
		}
	}
}
