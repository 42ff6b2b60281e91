package dbpages

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// IndexOn returns the root page of an index of all rows of a table on one integer column, in ascending
// order; 0 if there is none.
func IndexOn(objects []Object, table, column string) uint32 {
	t := Find(objects, table)
	if t == nil {
		return 0
	}
	if i := t.Index(column); i < 0 || !t.Columns[i].integer {
		return 0
	}
	for i := range objects {
		if o := &objects[i]; o.Kind == "index" && strings.EqualFold(o.Of, table) {
			if c, err := parseIndex(o.Name, o.SQL); err == nil && c == column {
				return o.Root
			}
		}
	}
	return 0
}

// Between calls each for the entries of an index of integers whose values are from lo to hi, in their order,
// until each returns false. It reads only the pages that lead there. Unless each wants few entries of the range, the
// pages with all of them are announced to Fetch. The error is ErrDamaged if the entries aren't in order, or a page
// isn't one of the index.
func (f *File) Between(root uint32, lo, hi int64, few bool, each func(value, row int64) bool) error {
	w := between{f: f, seen: f.NewSet(), lo: lo, hi: hi, few: few, each: each, value: math.MinInt64, row: math.MinInt64}
	if err := w.page(root, 0); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

type between struct {
	f          *File
	seen       Set
	lo, hi     int64
	few        bool
	each       func(value, row int64) bool
	value, row int64     // of the last entry
	readers    []*Reader // by depth
}

func (w *between) page(number uint32, depth int) error {
	if number == 0 || number > w.f.count || w.seen.Has(number) || depth > maxDepth {
		return fmt.Errorf("%w: page %d of an index isn't there, or is used twice", ErrDamaged, number)
	}
	w.seen.Add(number)
	if depth == len(w.readers) {
		w.readers = append(w.readers, w.f.NewPageReader())
	}
	b, err := w.readers[depth].Page(number)
	if err != nil {
		return err
	}
	list, err := w.entries(b, number)
	if err != nil {
		return err
	}
	inner := b[0] == indexInterior
	if inner && !w.few {
		w.fetch(list)
	}
	for _, e := range list {
		if inner && e.child > 0 {
			if err := w.page(e.child, depth+1); err != nil {
				return err
			}
		}
		if err := w.entry(e); err != nil {
			return err
		}
	}
	return nil
}

// indexEntry is an entry, and the page with those before it.
type indexEntry struct {
	value, row int64
	child      uint32 // 0: there is none, or it has no entry of the range
	last       bool   // there is a child, and no entry
}

// entries lists those of a page that are in the range, or whose children may have some.
func (w *between) entries(b []byte, number uint32) (list []indexEntry, err error) {
	kind := b[0] // no index begins in page 1
	count, whole := w.f.cellCount(b, number)
	if !whole || kind != indexInterior && kind != indexLeaf {
		return nil, fmt.Errorf("%w: page %d isn't one of an index", ErrDamaged, number)
	}
	before := int64(math.MinInt64)
	var c Cell
	for i := range count {
		if !w.f.decode(b, number, i, &c) || !c.record() || len(c.Columns) != 2 {
			return nil, fmt.Errorf("%w: page %d of an index has entries that aren't whole", ErrDamaged, number)
		}
		e := indexEntry{child: c.child}
		var timed, numbered bool
		e.value, timed = c.Int(0)
		e.row, numbered = c.Int(1)
		if !timed || !numbered {
			return nil, fmt.Errorf("%w: page %d of an index has other values than integers", ErrDamaged, number)
		}
		if before > w.hi {
			return list, nil
		}
		if before = e.value; e.value >= w.lo {
			list = append(list, e)
		}
	}
	if kind == indexInterior && before <= w.hi {
		list = append(list, indexEntry{child: binary.BigEndian.Uint32(b[lastChild:]), last: true})
	}
	return list, nil
}

func (w *between) entry(e indexEntry) error {
	if e.last || e.value < w.lo {
		return nil
	}
	if e.value > w.hi {
		return errEnough
	}
	if cmp.Or(cmp.Compare(e.value, w.value), cmp.Compare(e.row, w.row)) <= 0 {
		return fmt.Errorf("%w: the entries of an index aren't in order", ErrDamaged)
	}
	w.value, w.row = e.value, e.row
	if !w.each(e.value, e.row) {
		return errEnough
	}
	return nil
}

func (w *between) fetch(list []indexEntry) {
	pages := make([]uint32, 0, len(list))
	for _, e := range list {
		pages = append(pages, e.child)
	}
	w.f.FetchPages(pages)
}

// FetchPages announces pages to Fetch, those near each other in one call.
func (f *File) FetchPages(pages []uint32) {
	if f.Fetch == nil {
		return
	}
	for len(pages) > 0 {
		first, end := pages[0], pages[0]
		for pages = pages[1:]; len(pages) > 0 && pages[0] >= end && int64(pages[0]-end)*int64(f.page) <= max(f.Near, int64(f.page)); pages = pages[1:] {
			end = pages[0]
		}
		if first > 0 && first <= f.count {
			f.Fetch(f.Offset(first), int64(min(end, f.count)-first+1)*int64(f.page))
		}
	}
}

// LeavesOf calls each for the leaves that have the given rows, which must be in order and differ, with
// those of the leaf. It reads the pages above leaves only. The error is ErrDamaged if these don't lead to
// leaves.
func (f *File) LeavesOf(root uint32, rows []int64, each func(l Leaf, rows []int64)) error {
	if len(rows) == 0 {
		return nil
	}
	depth, err := f.depth(root)
	if err != nil {
		return err
	}
	return f.leavesOf(Leaf{root, AllRows()}, depth, rows, each)
}

// depth counts the pages above each leaf of a table.
func (f *File) depth(root uint32) (int, error) {
	r, at := f.NewPageReader(), Leaf{root, AllRows()}
	for depth := range maxDepth {
		b, err := r.Page(at.Page)
		if err != nil {
			return 0, err
		}
		switch b[headAt(at.Page)] {
		case kindLeaf:
			return depth, nil
		case kindInterior:
			list, _ := f.children(b, at.Page, at.Rows)
			at = list[0]
			continue
		}
		break
	}
	return 0, fmt.Errorf("%w: page %d doesn't lead to rows", ErrDamaged, at.Page)
}

func (f *File) leavesOf(at Leaf, depth int, rows []int64, each func(Leaf, []int64)) error {
	if depth == 0 {
		each(at, rows)
		return nil
	}
	b, err := f.NewPageReader().Page(at.Page)
	if err != nil {
		return err
	}
	if b[headAt(at.Page)] != kindInterior {
		return fmt.Errorf("%w: page %d isn't one above leaves", ErrDamaged, at.Page)
	}
	list, sound := f.children(b, at.Page, at.Rows)
	if !sound {
		return fmt.Errorf("%w: page %d doesn't lead to all of its rows", ErrDamaged, at.Page)
	}
	var below []Leaf
	var theirs [][]int64
	var pages []uint32
	for _, c := range list {
		n, found := slices.BinarySearch(rows, c.Rows.To)
		if found {
			n++
		}
		if n > 0 {
			below, theirs, pages = append(below, c), append(theirs, rows[:n]), append(pages, c.Page)
		}
		rows = rows[n:]
	}
	if depth > 1 {
		f.FetchPages(pages)
	}
	for i, c := range below {
		if err := f.leavesOf(c, depth-1, theirs[i], each); err != nil {
			return err
		}
	}
	return nil
}
