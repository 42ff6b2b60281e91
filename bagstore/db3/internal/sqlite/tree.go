package sqlite

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"rsros/bagstore/place"
)

// maxDepth of a tree. One of 64-bit ids in pages of 512 bytes isn't deeper.
const maxDepth = 20

type Tree struct {
	// Holes are ranges of rows whose pages aren't there, are damaged or have lost all rows.
	Holes []Range
	// Lost: pages above leaves are damaged, so leaves may be anywhere in the file.
	Lost bool
}

// Leaf is a page, and the rows that it should have by the keys above it.
type Leaf struct {
	Page uint32
	Rows Range
}

// Range is the rows after one and up to another. A range after the least possible row includes that row.
type Range struct{ After, To int64 }

func (r Range) Contains(row int64) bool {
	return (row > r.After || r.After == math.MinInt64) && row <= r.To
}

// Tree visits the leaves of the table with the root page, in the order of the rows, until each returns false. The page
// is valid during the call. Pages that are in seen belong to other trees; those that it leads to are added, and each is
// visited once.
func (f *File) Tree(root uint32, seen Set, each func(l Leaf, page []byte) bool) *Tree {
	w := treeWalk{f: f, seen: seen, r: f.NewReader(), each: each, tree: &Tree{}, leafDepth: -1}
	w.r.ahead = 1
	w.page(root, 0, AllRows())
	for _, depth := range w.gone {
		w.tree.Lost = w.tree.Lost || depth != w.leafDepth
	}
	return w.tree
}

// EachLeaf calls each for every page that has the form of a table's leaf, until it returns false.
// The page is valid during the call.
func (f *File) EachLeaf(each func(number uint32, page []byte) bool) {
	r := f.newReader(walkBytes)
	for number := uint32(1); number <= f.count; number++ {
		b, err := r.Page(number)
		if place.Ended(err) || err == nil && b[headAt(number)] == kindLeaf && !each(number, b) {
			return
		}
	}
}

// walkBytes is what EachLeaf reads at once.
const walkBytes = 1 << 20

// Rows calls each for the rows of the table with the root page, in their order, until it returns an
// error, which is then returned. All rows that can be reached are visited; if others can't be, the error at the end is
// ErrDamaged. The Cell is valid during the call.
func (f *File) Rows(root uint32, each func(*Cell) error) (err error) {
	var damaged error
	next := int64(math.MinInt64)
	tree := f.Tree(root, f.NewSet(), func(l Leaf, page []byte) bool {
		sound := f.EachRow(page, l.Page, func(c *Cell) bool {
			if c.Row < next || !l.Rows.Contains(c.Row) {
				damaged = fmt.Errorf("%w: page %d has row %d, which isn't one of its rows", ErrDamaged, l.Page, c.Row)
				return true
			}
			next = c.Row
			if next < math.MaxInt64 {
				next++
			}
			err = each(c)
			return err == nil
		})
		if err == nil && damaged == nil && !sound {
			damaged = fmt.Errorf("%w: page %d has rows that aren't whole", ErrDamaged, l.Page)
		}
		return err == nil
	})
	if err == nil && damaged == nil && len(tree.Holes) > 0 {
		hole := "the first rows"
		if after := tree.Holes[0].After; after != math.MinInt64 {
			hole = fmt.Sprintf("the rows after %d", after)
		}
		damaged = fmt.Errorf("%w: the page of %s can't be read", ErrDamaged, hole)
	}
	return cmp.Or(err, damaged)
}

func AllRows() Range { return Range{math.MinInt64, math.MaxInt64} }

type treeWalk struct {
	f         *File
	r         *Reader
	seen      Set
	each      func(Leaf, []byte) bool
	stopped   bool // each returned false
	tree      *Tree
	leafDepth int   // -1: no leaf was reached
	gone      []int // depths of empty pages: above leaves, they led to more
}

// maxHoles bounds what is remembered of a tree that is damaged everywhere.
const maxHoles = 10000

// hole adds rows that can't be reached.
func (w *treeWalk) hole(rows Range) {
	if last := len(w.tree.Holes) - 1; last == maxHoles-1 {
		w.tree.Holes[last].To = max(w.tree.Holes[last].To, rows.To)
		return
	}
	w.tree.Holes = append(w.tree.Holes, rows)
}

// misled adds rows whose page isn't what the page above says; theirs may be anywhere.
func (w *treeWalk) misled(rows Range) {
	w.tree.Lost = true
	w.hole(rows)
}

// empty adds rows whose page is past the end of the file, or zero.
func (w *treeWalk) empty(depth int, rows Range) {
	w.hole(rows)
	if !slices.Contains(w.gone, depth) {
		w.gone = append(w.gone, depth)
	}
}

func (w *treeWalk) page(number uint32, depth int, rows Range) {
	if number > w.f.count {
		w.empty(depth, rows)
		return
	}
	if w.seen.Has(number) || depth > maxDepth {
		w.misled(rows)
		return
	}
	w.seen.Add(number)
	b, err := w.r.Page(number)
	if err != nil {
		w.misled(rows)
		return
	}
	switch b[headAt(number)] {
	case kindLeaf:
		w.leafDepth = max(w.leafDepth, depth)
		if cells, _ := w.f.cellCount(b, number); cells == 0 && depth > 0 {
			w.hole(rows)
		}
		w.stopped = !w.each(Leaf{number, rows}, b)
	case kindInterior:
		w.below(b, number, depth, rows)
	default:
		if isZero(b) {
			w.empty(depth, rows)
		} else {
			w.misled(rows)
		}
	}
}

func (w *treeWalk) below(b []byte, number uint32, depth int, rows Range) {
	list, sound := w.f.children(b, number, rows)
	if w.f.Fetch != nil {
		w.fetch(list)
	}
	for i, c := range list {
		w.r.ahead = uint32(following(list[i:], int(w.r.window)))
		w.page(c.Page, depth+1, c.Rows)
		if w.stopped {
			return
		}
	}
	if !sound {
		w.misled(rows)
	}
}

// fetch announces pages to Fetch, adjacent ones in one call.
func (w *treeWalk) fetch(list []Leaf) {
	for len(list) > 0 {
		n := following(list, len(list))
		first, last := list[0].Page, list[n-1].Page
		list = list[n:]
		if first > 0 && first <= w.f.count && !w.seen.Has(first) {
			w.f.Fetch(w.f.Offset(first), int64(min(last, w.f.count)-first+1)*int64(w.f.page))
		}
	}
}

// following counts the pages at the beginning of the list that are adjacent in the file, up to most.
func following(list []Leaf, most int) int {
	n := 1
	for n < min(most, len(list)) && list[n].Page == list[0].Page+uint32(n) {
		n++
	}
	return n
}

func isZero(b []byte) bool { return b[0] == 0 && bytes.Equal(b[:len(b)-1], b[1:]) }

// children lists the pages below one. sound is false if some can't be read from it.
func (f *File) children(b []byte, number uint32, rows Range) (list []Leaf, sound bool) {
	var c Cell
	cells, sound := f.cellCount(b, number)
	after := rows.After
	for i := range cells {
		if ok := f.decode(b, number, i, &c); !ok || c.Row <= after || c.Row > rows.To {
			sound = false
			if !ok {
				continue
			}
			c.Row = after
		}
		list = append(list, Leaf{c.child, Range{after, c.Row}})
		after = c.Row
	}
	last := binary.BigEndian.Uint32(b[headAt(number)+lastChild:])
	return append(list, Leaf{last, Range{after, rows.To}}), sound
}
