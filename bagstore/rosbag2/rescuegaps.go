package rosbag2

import (
	"math"

	"rsros/bagstore"
	"rsros/bagstore/internal/dbpages"
)

// gaps finds rows that no page has. rosbag2 numbers them from 1 without gaps.
type gaps struct {
	list []dbpages.Range
	more int
	last int64
}

const (
	// maxGaps is how many gaps are named.
	maxGaps = 20
	// wideGap is one that no loss explains, but a row with a wrong number.
	wideGap = math.MaxInt32
)

// row takes the next row. Those of pages that overlap may be out of order.
func (g *gaps) row(row int64) {
	if row <= g.last || row-g.last > wideGap {
		return
	}
	if row > g.last+1 {
		if len(g.list) < maxGaps {
			g.list = append(g.list, dbpages.Range{After: g.last, To: row - 1})
		} else {
			g.more++
		}
	}
	g.last = row
}

// say notes the gaps, and what may be missing at the end.
func (g *gaps) say(f *File, holes []dbpages.Range) {
	for _, r := range g.list {
		f.notes.Addf(bagstore.Loss, -1, "rows", "the messages from row %d to %d can't be read: no page has them", r.After+1, r.To)
	}
	if g.more > 0 {
		f.notes.Addf(bagstore.Loss, -1, "rows", "messages of %d more ranges of rows can't be read", g.more)
	}
	for _, h := range holes {
		if h.To == math.MaxInt64 {
			f.sayTail(h, g.last)
		}
	}
}

// sayTail notes what isn't known of the end, of which the tree has a hole.
func (f *File) sayTail(hole dbpages.Range, last int64) {
	if last <= hole.After {
		f.notes.Addf(bagstore.Loss, -1, "rows", "the messages after row %d can't be read", last)
		return
	}
	f.notes.Addf(bagstore.Repairable, -1, "rows", "whether messages followed row %d, the last one that a page has, isn't known", last)
}
