package sqlite

import "encoding/binary"

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
	if kind == kindInterior || kind == kindIndexInterior {
		binary.BigEndian.PutUint32(b[at+lastChild:], right)
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

func (t *table) append(id int64, r *record) {
	head := r.head()
	total := len(head) + r.size
	local := localSize(int64(total), pageSize)
	cell := appendVarint(make([]byte, 0, local+24), uint64(total))
	cell = appendVarint(cell, uint64(id))
	start := len(cell)
	cell = append(cell, head...)
	parts := r.parts
	cell = cell[:start+local]
	copyParts(cell[start+len(head):], &parts)
	if local < total {
		cell = binary.BigEndian.AppendUint32(cell, t.p.chain(parts))
	}
	if !t.leaf.fits(len(cell)) {
		t.finishLeaf()
	}
	t.leaf.add(cell)
	t.lastID, t.dirty = id, true
}

func (t *table) finishLeaf() {
	page := t.p.append()
	var b [pageSize]byte
	t.leaf.layout(b[:], 0, kindLeaf, 0)
	t.leaf.reset()
	t.p.write(page, b[:])
	t.addChild(0, child{page, t.lastID})
}

// keptChildren stay in the open page of a level when the others are written, so that it
// always has the two that SQLite wants.
const keptChildren = 2

// addChild adds a finished page to the level above it.
func (t *table) addChild(n int, c child) {
	if n == len(t.levels) {
		t.levels = append(t.levels, level{})
	}
	l := &t.levels[n]
	l.children = append(l.children, c)
	l.size += pointerSize + len(interiorCell(c))
	if interiorHead+l.size+pointerSize+maxInteriorCell <= pageSize {
		return
	}
	full := l.children[:len(l.children)-keptChildren]
	page := t.p.append()
	t.p.write(page, interiorPage(full))
	last := full[len(full)-1].last
	l.children = append(l.children[:0], l.children[len(full):]...)
	l.size = 0
	for _, c := range l.children {
		l.size += pointerSize + len(interiorCell(c))
	}
	t.addChild(n+1, child{page, last})
}

// maxInteriorCell is the size of a cell with the greatest id.
const maxInteriorCell = nextSize + 9

func interiorCell(c child) []byte {
	return appendVarint(binary.BigEndian.AppendUint32(make([]byte, 0, maxInteriorCell), c.page), uint64(c.last))
}

func interiorPage(children []child) []byte {
	last := len(children) - 1
	content := cells{head: interiorHead}
	for _, c := range children[:last] {
		content.add(interiorCell(c))
	}
	b := make([]byte, pageSize)
	content.layout(b, 0, kindInterior, children[last].page)
	return b
}

// commit writes the open pages to new places and returns the root.
func (t *table) commit() uint32 {
	if !t.dirty {
		return t.root
	}
	t.dirty = false
	for _, page := range t.spine {
		t.p.release(page)
	}
	t.spine = t.spine[:0]
	t.root = 0 // of the levels so far
	if len(t.leaf.list) > 0 || len(t.levels) == 0 {
		b := make([]byte, pageSize)
		t.leaf.layout(b, 0, kindLeaf, 0)
		t.place(b)
	}
	for i, l := range t.levels {
		children := l.children
		if t.root != 0 {
			children = append(children[:len(children):len(children)], child{t.root, t.lastID})
		}
		if i == len(t.levels)-1 && len(children) == 1 {
			t.root = children[0].page // the root is one level lower
			break
		}
		t.place(interiorPage(children))
	}
	return t.root
}

// place writes a page of the spine, which is the root until there is one above it.
func (t *table) place(page []byte) {
	t.root = t.p.allocate()
	t.spine = append(t.spine, t.root)
	t.p.write(t.root, page)
}
