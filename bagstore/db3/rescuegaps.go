package db3

import (
	"math"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
)

// gaps finds missing rows. rosbag2 numbers rows from 1 without gaps.
type gaps struct {
	list  []sqlite.Range
	more  int
	last  int64
	wrong int64 // messages with a wrong number that no missing row was matched with yet
}

const (
	// maxGaps is how many gaps are noted one by one.
	maxGaps = 20
	// wideGap is a gap that must come from a wrong number.
	wideGap = math.MaxInt32
)

// page adds the sorted rows of the next page, and the number of its rows with wrong numbers.
func (g *gaps) page(rows []int64, wrong int) {
	g.wrong += int64(wrong)
	for _, row := range rows {
		g.row(row)
	}
}

func (g *gaps) row(row int64) {
	if row <= g.last || row-g.last > wideGap {
		return
	}
	missing := row - g.last - 1
	misnumbered := min(missing, g.wrong)
	g.wrong -= misnumbered
	if missing > misnumbered {
		if len(g.list) < maxGaps {
			g.list = append(g.list, sqlite.Range{After: g.last, To: row - 1})
		} else {
			g.more++
		}
	}
	g.last = row
}

// report notes the gaps, and what may be missing at the end.
func (g *gaps) report(notes *bagstore.Notes, holes []sqlite.Range) {
	for _, r := range g.list {
		notes.Addf(bagstore.Loss, -1, "rows", "the messages from row %d to %d can't be read: no page has them",
			r.After+1, r.To)
	}
	if g.more > 0 {
		notes.Addf(bagstore.Loss, -1, "rows", "messages of %d more ranges of rows can't be read", g.more)
	}
	for _, h := range holes {
		switch {
		case h.To < math.MaxInt64: // the tree reaches the end
		case g.last <= h.After:
			notes.Addf(bagstore.Loss, -1, "rows", "the messages after row %d can't be read", g.last)
		default:
			notes.Addf(bagstore.Repairable, -1, "rows", "messages after row %d, the last one found, may be missing", g.last)
		}
	}
}
