package pagedb

import (
	"encoding/binary"
)

const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

const (
	leafHead     = 8
	interiorHead = 12
	pointerSize  = 2 // of each cell, after the head
)

// cells is a page of a tree while it is laid out.
type cells struct {
	head int
	list [][]byte
	size int // with the pointers
}

func (c *cells) fits(size int) bool { return c.head+c.size+pointerSize+size <= pageSize }

func (c *cells) add(cell []byte) {
	c.list = append(c.list, cell)
	c.size += pointerSize + len(cell)
}

func (c *cells) reset() { c.list, c.size = c.list[:0], 0 }

// layout writes the page into b. Its header starts at offset at.
func (c *cells) layout(b []byte, at int, kind byte, right uint32) {
	b[at] = kind
	binary.BigEndian.PutUint16(b[at+3:], uint16(len(c.list)))
	pointer := at + leafHead
	if kind == tableInterior || kind == indexInterior {
		binary.BigEndian.PutUint32(b[at+leafHead:], right)
		pointer = at + interiorHead
	}
	end := len(b)
	for i, cell := range c.list {
		end -= len(cell)
		copy(b[end:], cell)
		binary.BigEndian.PutUint16(b[pointer+pointerSize*i:], uint16(end))
	}
	binary.BigEndian.PutUint16(b[at+5:], uint16(end%65536))
}

// table is a tree of rows, appended in the order of their ids. The last page of each level is in
// memory, and written again with each commit.
type table struct {
	p      *pages
	leaf   cells
	lastID int64
	levels []level
	spine  []uint32 // the last pages of the levels as of the last commit
	root   uint32
	dirty  bool
}

// level is the open page of a level above the leaves: its children, the newest last.
type level struct {
	children []child
	size     int // of their cells
}

type child struct {
	page uint32
	last int64 // id of its last row
}

const (
	maxLocal = pageSize - 35
	minLocal = (pageSize-12)*32/255 - 23
)

func (t *table) append(id int64, r *record) error {
	head := r.head()
	total := len(head) + r.size
	local := total
	if total > maxLocal {
		if local = minLocal + (total-minLocal)%(pageSize-4); local > maxLocal {
			local = minLocal
		}
	}
	cell := appendVarint(make([]byte, 0, local+24), uint64(total))
	cell = appendVarint(cell, uint64(id))
	start := len(cell)
	cell = append(cell, head...)
	parts := r.parts
	cell = cell[:start+local]
	copyParts(cell[start+len(head):], &parts)
	if local < total {
		first, err := t.p.chain(parts)
		if err != nil {
			return err
		}
		cell = binary.BigEndian.AppendUint32(cell, first)
	}
	if !t.leaf.fits(len(cell)) {
		if err := t.finishLeaf(); err != nil {
			return err
		}
	}
	t.leaf.add(cell)
	t.lastID, t.dirty = id, true
	return nil
}

func (t *table) finishLeaf() error {
	page, err := t.p.append()
	if err != nil {
		return err
	}
	var b [pageSize]byte
	t.leaf.layout(b[:], 0, tableLeaf, 0)
	t.leaf.reset()
	if err := t.p.write(page, b[:]); err != nil {
		return err
	}
	return t.addChild(0, child{page, t.lastID})
}

// keptChildren stay in the open page of a level when the others are written, so that it
// always has the two that SQLite wants.
const keptChildren = 2

// addChild adds a finished page to the level above it.
func (t *table) addChild(n int, c child) error {
	if n == len(t.levels) {
		t.levels = append(t.levels, level{})
	}
	l := &t.levels[n]
	l.children = append(l.children, c)
	l.size += pointerSize + len(interiorCell(c))
	if interiorHead+l.size+pointerSize+maxInteriorCell <= pageSize {
		return nil
	}
	full := l.children[:len(l.children)-keptChildren]
	page, err := t.p.append()
	if err != nil {
		return err
	}
	if err := t.writeInterior(page, full); err != nil {
		return err
	}
	last := full[len(full)-1].last
	l.children = append(l.children[:0], l.children[len(full):]...)
	l.size = 0
	for _, c := range l.children {
		l.size += pointerSize + len(interiorCell(c))
	}
	return t.addChild(n+1, child{page, last})
}

// maxInteriorCell is the size of a cell with the greatest id.
const maxInteriorCell = 4 + 9

func interiorCell(c child) []byte {
	return appendVarint(binary.BigEndian.AppendUint32(make([]byte, 0, maxInteriorCell), c.page), uint64(c.last))
}

func (t *table) writeInterior(page uint32, children []child) error {
	last := len(children) - 1
	content := cells{head: interiorHead}
	for _, c := range children[:last] {
		content.add(interiorCell(c))
	}
	var b [pageSize]byte
	content.layout(b[:], 0, tableInterior, children[last].page)
	return t.p.write(page, b[:])
}

// commit writes the open pages to new places and returns the root.
func (t *table) commit() (uint32, error) {
	if !t.dirty {
		return t.root, nil
	}
	t.dirty = false
	for _, page := range t.spine {
		t.p.release(page)
	}
	t.spine = t.spine[:0]
	var below uint32 // the page of the level below that is open
	if len(t.leaf.list) > 0 || len(t.levels) == 0 {
		var b [pageSize]byte
		t.leaf.layout(b[:], 0, tableLeaf, 0)
		if err := t.place(&below, func(page uint32) error { return t.p.write(page, b[:]) }); err != nil {
			return 0, err
		}
	}
	for i, l := range t.levels {
		children := l.children
		if below != 0 {
			children = append(children[:len(children):len(children)], child{below, t.lastID})
		}
		if i == len(t.levels)-1 && len(children) == 1 {
			below = children[0].page // the root is one level lower
			break
		}
		if err := t.place(&below, func(page uint32) error { return t.writeInterior(page, children) }); err != nil {
			return 0, err
		}
	}
	t.root = below
	return below, nil
}

// place writes a page of the spine.
func (t *table) place(page *uint32, write func(uint32) error) (err error) {
	if *page, err = t.p.allocate(); err != nil {
		return err
	}
	t.spine = append(t.spine, *page)
	return write(*page)
}
