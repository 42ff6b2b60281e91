package dbpages

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// maxDepth of a tree. One of 64-bit ids in pages of 512 bytes isn't deeper.
const maxDepth = 20

// Tree is what can be reached of a table.
type Tree struct {
	Leaves []Leaf // in the order of the rows
	// Holes are ranges of rows whose pages aren't there or are damaged.
	Holes []Range
	// Lost: pages above leaves are among those, so leaves may be anywhere in the file.
	Lost bool
}

// Leaf is a page, and the rows that it should have by the keys above it.
type Leaf struct {
	Page uint32
	Rows Range
}

// Range is rows after one and up to another.
type Range struct{ After, To int64 }

// Contains reports whether a row is in the range.
func (r Range) Contains(row int64) bool { return row > r.After && row <= r.To }

// Tree finds the leaves of the table with the root page. Pages that are in seen belong to other trees; those that
// it leads to are added, and each is read once.
func (f *File) Tree(root uint32, seen Set) *Tree {
	w := treeWalk{f: f, seen: seen, r: f.NewPageReader(), tree: &Tree{}, leafDepth: -1}
	w.page(root, 0, AllRows())
	for _, depth := range w.gone {
		w.tree.Lost = w.tree.Lost || depth != w.leafDepth
	}
	return w.tree
}

// AllRows is the range of all rows.
func AllRows() Range { return Range{math.MinInt64, math.MaxInt64} }

type treeWalk struct {
	f         *File
	r         *Reader
	seen      Set
	tree      *Tree
	leafDepth int   // -1: no leaf was reached
	gone      []int // depths of pages that have no content: above leaves, they led to more
}

// maxHoles bounds what is remembered of a tree that is damaged everywhere.
const maxHoles = 10000

// hole notes rows that can't be reached.
func (w *treeWalk) hole(rows Range) {
	if last := len(w.tree.Holes) - 1; last == maxHoles-1 {
		w.tree.Holes[last].To = max(w.tree.Holes[last].To, rows.To)
		return
	}
	w.tree.Holes = append(w.tree.Holes, rows)
}

// misled notes rows whose page is another one than what leads to it says, so that theirs may be anywhere.
func (w *treeWalk) misled(rows Range) {
	w.tree.Lost = true
	w.hole(rows)
}

// empty notes rows whose page is past the file's end, or zero.
func (w *treeWalk) empty(depth int, rows Range) {
	w.hole(rows)
	if !slices.Contains(w.gone, depth) {
		w.gone = append(w.gone, depth)
	}
}

// page visits a page and those below it.
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
	at := headAt(number)
	switch b[at] {
	case kindLeaf:
		w.leafDepth = max(w.leafDepth, depth)
		w.tree.Leaves = append(w.tree.Leaves, Leaf{number, rows})
	case kindInterior:
		list, sound := w.f.children(b, at, rows)
		for _, c := range list {
			w.page(c.Page, depth+1, c.Rows)
		}
		if !sound {
			w.misled(rows)
		}
	default:
		if isZero(b) {
			w.empty(depth, rows)
		} else {
			w.misled(rows)
		}
	}
}

func isZero(b []byte) bool {
	return b[0] == 0 && bytes.Equal(b[:len(b)-1], b[1:])
}

// children lists the pages below one. sound is false if some can't be read from it.
func (f *File) children(b []byte, at int, rows Range) (list []Leaf, sound bool) {
	be := binary.BigEndian
	sound = true
	pointers := at + interiorHead
	cells := int(be.Uint16(b[at+3:]))
	if most := (f.usable - pointers) / pointerSize; cells > most {
		cells, sound = most, false
	}
	after := rows.After
	for i := range cells {
		pos := int(be.Uint16(b[pointers+pointerSize*i:]))
		if pos < pointers || pos+nextSize >= f.usable {
			sound = false
			continue
		}
		key, n := uvarint(b[pos+nextSize : f.usable])
		if n == 0 || int64(key) <= after || int64(key) > rows.To {
			sound = false
			key = uint64(after)
		}
		list = append(list, Leaf{be.Uint32(b[pos:]), Range{after, int64(key)}})
		after = int64(key)
	}
	return append(list, Leaf{be.Uint32(b[at+nextSize+4:]), Range{after, rows.To}}), sound
}
