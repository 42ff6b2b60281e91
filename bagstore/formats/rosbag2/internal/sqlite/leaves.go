package sqlite

import (
	"encoding/binary"
	"fmt"
)

// The types of a page of a table's tree. Wire constants.
const (
	pageInterior = 5
	pageLeaf     = 13
)

// Limits of Leaves.
const (
	maxInterior = 64 << 20 // bytes of pages that are read
	maxDepth    = 8
)

// Leaves calls each for the ranges of the file that have the leaves of a table's tree, in the
// order of the rows, as far as the pages above them can be read. Whoever is about to read all
// rows can have them fetched from the disk at once; SQLite reads one after the other. It says
// nothing of whether the pages are sound.
func (db *DB) Leaves(table string, each func(off, n int64)) error {
	root := int64(0)
	// A table's name comes from our own source.
	err := db.Query(fmt.Sprintf("SELECT rootpage FROM sqlite_schema WHERE type='table' AND name='%s'", table), func(r Row) (bool, error) {
		root = r.Int(0)
		return false, nil
	})
	if err != nil {
		return err
	}
	w := leafWalk{db: db, each: each}
	w.page(root, 0)
	w.flush()
	return nil
}

// leafWalk visits the pages above the leaves.
type leafWalk struct {
	db      *DB
	each    func(off, n int64)
	read    int64 // bytes of pages above them
	leaves  int64 // how many there are; no more than pages in the file
	off, to int64 // the range that is open
}

// page visits a page and returns whether it is a leaf.
func (w *leafWalk) page(number int64, depth int) (leaf bool) {
	size := w.db.page
	at := (number - 1) * size
	if number < 1 || at+size > w.db.size || depth == maxDepth || w.read > maxInterior {
		return false
	}
	w.read += size
	b := make([]byte, size)
	if n, _ := w.db.r.ReadAt(b, at); int64(n) < size {
		return false
	}
	head := b
	if number == 1 {
		head = b[100:] // after the header of the database
	}
	if head[0] != pageInterior {
		return head[0] == pageLeaf
	}
	be := binary.BigEndian
	cells := int(be.Uint16(head[3:]))
	leaves := false
	for i := range cells + 1 {
		child := be.Uint32(head[8:]) // the last one
		if i < cells {
			pointer := 12 + 2*i
			if pointer+2 > len(head) {
				return false
			}
			cell := int(be.Uint16(head[pointer:]))
			if cell+4 > len(b) {
				return false
			}
			child = be.Uint32(b[cell:])
		}
		// All children of a page are of one kind, so the first says what they are.
		if i == 0 || !leaves {
			leaves = w.page(int64(child), depth+1)
		}
		if leaves {
			w.leaf(int64(child))
		}
	}
	return false
}

// leaf adds a leaf to the open range, or begins another.
func (w *leafWalk) leaf(number int64) {
	at := (number - 1) * w.db.page
	if number < 1 || at+w.db.page > w.db.size || w.leaves > w.db.size/w.db.page {
		return
	}
	w.leaves++
	if at != w.to {
		w.flush()
		w.off = at
	}
	w.to = at + w.db.page
}

func (w *leafWalk) flush() {
	if w.to > w.off {
		w.each(w.off, w.to-w.off)
	}
	w.off, w.to = 0, 0
}
