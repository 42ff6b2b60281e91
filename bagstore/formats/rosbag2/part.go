package rosbag2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2/internal/dbpages"
	"rsros/bagstore/place"
)

// OpenPart is OpenFile for callers that read a part in time. If the file has an index of times, it reads no
// page with rows: only messages at [bagstore.MinTime] and the first ones after it are listed, and those of Narrow after
// it is called.
func OpenPart(ctx context.Context, f place.File) (*File, error) { return openFile(ctx, f, byTime) }

const (
	// headRows are listed always: callers of Narrow ask for the time of the first message.
	headRows = 8
	// partRows bounds the memory for a part. A larger one is listed by all pages with rows.
	partRows = 1 << 21
	// partBytes is about where a block of a part ends, so that blocks can be fetched ahead of time.
	partBytes = 4 << 20
)

var errPart = errors.New("more messages than are listed by an index")

// part is what a file was opened for by its index of times.
type part struct {
	objects []dbpages.Object
	index   uint32 // its root
	rows    []int64
	times   []int64         // of the rows
	spans   []span          // their times
	head    []int64         // times of the first messages with one of their own
	start   int64           // of what Narrow lists
	settled map[uint32]bool // topics with no message from start on, by the counts of the metadata
}

// span is a range of times, both inclusive, with at most so many rows; 0: any number.
type span struct {
	lo, hi int64
	rows   int
}

// lists reports whether every message at a time is listed.
func (p *part) lists(time int64) bool {
	return slices.ContainsFunc(p.spans, func(s span) bool { return s.rows == 0 && s.lo <= time && time <= s.hi })
}

// timeless are messages without a time of their own, which are in each part.
func timeless() span { return span{lo: math.MinInt64, hi: int64(bagstore.MinTime)} }

// openPart returns false if the file can't be read by an index.
func (f *File) openPart(objects []dbpages.Object) bool {
	index := dbpages.IndexOn(objects, "messages", "timestamp")
	if index == 0 || f.pages.Missing() > 0 || f.readForm(objects) != nil {
		return false
	}
	f.part = &part{objects: objects, index: index}
	err := f.listPart(timeless(), span{int64(bagstore.MinTime) + 1, math.MaxInt64, headRows})
	if err != nil {
		f.part = nil
		return false
	}
	for _, t := range f.part.times {
		if t > int64(bagstore.MinTime) {
			f.part.head = append(f.part.head, t)
		}
	}
	return true
}

// Partial reports whether Narrow lists messages.
func (f *File) Partial() bool { return f.part != nil }

// Narrow is [Group.Narrow] of one file.
func (f *File) Narrow(ctx context.Context, part bagstore.Part) error {
	if f.part == nil {
		return nil
	}
	return f.alone().Narrow(ctx, part)
}

// narrow lists the messages of spans, or all if the index is damaged.
func (f *File) narrow(spans []span) error {
	err := f.listPart(spans...)
	if err == nil || len(f.files) > 0 && place.Failed(f.files[0]) != nil {
		return err
	}
	objects := f.part.objects
	f.part = nil
	if err := f.scan(objects, nil); err != nil {
		return err
	}
	f.noteUnnamed()
	return nil
}

// listPart lists the messages of spans, which don't overlap.
func (f *File) listPart(spans ...span) error {
	type moment struct{ row, time int64 }
	var found []moment
	for _, s := range spans {
		most := partRows + 1
		if s.rows > 0 {
			most = min(most, len(found)+s.rows)
		}
		err := f.pages.Between(f.part.index, s.lo, s.hi, s.rows > 0, func(time, row int64) bool {
			found = append(found, moment{row, time})
			return len(found) < most
		})
		if err != nil {
			return err
		}
		if len(found) > partRows {
			return errPart
		}
	}
	slices.SortFunc(found, func(x, y moment) int { return cmp.Compare(x.row, y.row) })
	p := f.part
	p.spans = spans
	p.rows, p.times = make([]int64, len(found)), make([]int64, len(found))
	for i, m := range found {
		if p.rows[i], p.times[i] = m.row, m.time; i > 0 && m.row == p.rows[i-1] {
			return fmt.Errorf("%w: row %d is in the index of times twice", dbpages.ErrDamaged, m.row)
		}
	}
	return f.partBlocks()
}

func (f *File) partBlocks() error {
	p := f.part
	f.blocks = nil
	next := 0 // of p.rows
	last := dbpages.Leaf{}
	return f.pages.LeavesOf(f.rows.table.Root, p.rows, func(l dbpages.Leaf, rows []int64) {
		n := len(f.blocks) - 1
		follows := n >= 0 && last.Rows.To == l.Rows.After
		if n >= 0 && !follows {
			f.blocks[n].apart = true
		}
		if !follows || f.blocks[n].info.Unlisted >= blockRows || f.pages.Offset(l.Page)-f.pages.Offset(f.blocks[n].pages[0]) >= partBytes {
			t := timeOf(p.times[next])
			n = len(f.blocks)
			f.blocks = append(f.blocks, block{from: next, info: bagstore.Block{
				ChunkInfo: bagstore.ChunkInfo{Pos: int64(n) + 1, Start: t, End: t}, Compression: bagstore.None,
			}})
		}
		b := &f.blocks[n]
		for range rows {
			t := timeOf(p.times[next])
			b.info.Start, b.info.End = min(b.info.Start, t), max(b.info.End, t)
			next++
		}
		b.info.Unlisted += len(rows)
		b.pages = append(b.pages, l.Page)
		last = l
	})
}

// partEntries is Entries for a part. Rows that the index doesn't have, or has and the pages don't, are noted.
func (f *File) partEntries(n int) (list []bagstore.Entry, err error) {
	b := &f.blocks[n]
	f.pages.FetchPages(b.pages)
	r := &reader{leaf: f.pages.NewPageReader(), chain: f.pages.NewReader()}
	var rows []found
	rest, times := f.part.rows[b.from:b.from+b.info.Unlisted], f.part.times[b.from:]
	list = make([]bagstore.Entry, 0, len(rest))
	wrong, uncounted := 0, 0
	for i, page := range b.pages {
		if rows, err = f.pageRows(r, page, rows[:0]); err != nil {
			return list, err
		}
		for _, m := range rows {
			for len(rest) > 0 && rest[0] < m.row {
				wrong, rest, times = wrong+1, rest[1:], times[1:]
			}
			topic, known := f.byID[m.topic]
			if len(rest) == 0 || rest[0] > m.row {
				if m.ok && known && f.part.lists(m.time) {
					wrong++ // the index lacks it
				}
				continue
			}
			if !m.ok || !known || m.time != times[0] {
				continue // rest counts it
			}
			if m.time >= f.part.start && f.part.settled[topic] {
				uncounted++
			}
			list = append(list, bagstore.Entry{Time: timeOf(m.time), Conn: topic, Ref: uint32(i)<<16 | uint32(m.cell)})
			rest, times = rest[1:], times[1:]
		}
	}
	if wrong += len(rest); wrong > 0 {
		f.found.Add(bagstore.Note{Offset: f.pages.Offset(b.pages[0]), Kind: "rows", Severity: bagstore.Loss,
			Text: fmt.Sprintf("the index of times is wrong for %d messages: they aren't there, have another time or no topic or data, or the index lacks them", wrong)})
	}
	if uncounted > 0 {
		f.found.Add(bagstore.Note{Offset: f.pages.Offset(b.pages[0]), Kind: "metadata", Severity: bagstore.Loss,
			Text: fmt.Sprintf("%d messages of topics that have fewer by the counts of the metadata; latched messages from before may be missing", uncounted)})
	}
	return list, nil
}
