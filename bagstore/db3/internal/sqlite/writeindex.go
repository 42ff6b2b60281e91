package sqlite

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

type entry struct{ value, id int64 }

func (e entry) compare(o entry) int {
	return cmp.Or(cmp.Compare(e.value, o.value), cmp.Compare(e.id, o.id))
}

func (e entry) size() int {
	_, v := intType(e.value)
	_, id := intType(e.id)
	return 1 + entryHead + v + id
}

// entryHead is its own length and two types.
const entryHead = 3

func (e entry) append(b []byte) []byte {
	kv, v := intType(e.value)
	ki, id := intType(e.id)
	b = append(b, byte(entryHead+v+id), entryHead, byte(kv), byte(ki))
	return appendInt(appendInt(b, e.value, v), e.id, id)
}

// index is a tree of entries in order. In memory are the pages that changed since the last commit,
// and the way to the last entry.
type index struct {
	p    *pages
	root *node
}

type node struct {
	entries  []entry
	children []link
	size     int    // of cells with their pointers
	page     uint32 // where it is as of the last commit; 0: nowhere
	dirty    bool
}

// link is a child: a page, and the node if it is in memory.
type link struct {
	page uint32
	node *node
}

func (n *node) leaf() bool { return n.children == nil }

func (n *node) cell(e entry) int {
	if n.leaf() {
		return pointerSize + e.size()
	}
	return pointerSize + nextSize + e.size()
}

func (n *node) full() bool {
	if n.leaf() {
		return leafHead+n.size > pageSize
	}
	return interiorHead+n.size > pageSize
}

func newIndex(p *pages) *index { return &index{p: p, root: &node{dirty: true}} }

func (x *index) insert(e entry) {
	if up, right := x.add(x.root, e, true, maxLevels); right != nil {
		left := x.root
		x.root = &node{entries: []entry{up}, children: []link{{node: left}, {node: right}}, dirty: true}
		x.root.size = x.root.cell(up)
	}
}

// maxLevels is more than 2³² pages have. A damaged page may be its own child.
const maxLevels = 20

// add adds an entry below a node. If the node becomes too large, its right part moves to a new node, which is returned
// with an entry between the two. last: the node is the last of its level. levels is how many there may be, from the
// node down.
func (x *index) add(n *node, e entry, last bool, levels int) (up entry, right *node) {
	at, found := slices.BinarySearchFunc(n.entries, e, entry.compare)
	if found {
		x.p.fail(fmt.Errorf("row %d is in the index already", e.id))
		return up, nil
	}
	end := at == len(n.entries)
	n.dirty = true
	if n.leaf() {
		n.put(at, e)
	} else {
		l := &n.children[at]
		if levels == 1 {
			x.p.fail(fmt.Errorf("page %d is more than %d levels deep: %w", l.page, maxLevels, errPage))
			return up, nil
		}
		if l.node == nil {
			l.node = x.read(l.page)
		}
		between, half := x.add(l.node, e, last && end, levels-1)
		if half == nil {
			return up, nil
		}
		n.put(at, between)
		n.children = slices.Insert(n.children, at+1, link{node: half})
	}
	if !n.full() {
		return up, nil
	}
	return n.split(last && at >= len(n.entries)*3/4)
}

func (n *node) put(at int, e entry) {
	n.entries = slices.Insert(n.entries, at, e)
	n.size += n.cell(e)
}

// split moves half of the entries to a new node, or a tenth if most entries come at the end.
func (n *node) split(atEnd bool) (up entry, right *node) {
	at := len(n.entries) / 2
	if atEnd {
		at = len(n.entries) * 9 / 10
	}
	up = n.entries[at]
	right = &node{entries: slices.Clone(n.entries[at+1:]), dirty: true}
	if !n.leaf() {
		right.children = slices.Clone(n.children[at+1:])
		n.children = n.children[:at+1]
	}
	n.entries = n.entries[:at]
	n.measure()
	right.measure()
	return up, right
}

func (n *node) measure() {
	n.size = 0
	for _, e := range n.entries {
		n.size += n.cell(e)
	}
}

// commit writes what changed to new places and returns the root.
func (x *index) commit() uint32 {
	x.write(x.root)
	return x.root.page
}

// write writes a node and those below it that changed, and forgets all but the last.
func (x *index) write(n *node) {
	if !n.dirty {
		return
	}
	content := cells{head: leafHead}
	kind, right := byte(kindIndexLeaf), uint32(0)
	if !n.leaf() {
		kind, content.head = kindIndexInterior, interiorHead
		last := len(n.children) - 1
		for i := range n.children {
			l := &n.children[i]
			if l.node == nil {
				continue
			}
			x.write(l.node)
			if l.page = l.node.page; i < last {
				l.node = nil
			}
		}
		right = n.children[last].page
	}
	for i, e := range n.entries {
		var cell []byte
		if !n.leaf() {
			cell = binary.BigEndian.AppendUint32(cell, n.children[i].page)
		}
		content.add(e.append(cell))
	}
	var b [pageSize]byte
	content.layout(b[:], 0, kind, right)
	x.p.release(n.page)
	n.page, n.dirty = x.p.allocate(), false
	x.p.write(n.page, b[:])
}

// read reads a node from its page. After an error, it has what could be read.
func (x *index) read(page uint32) *node {
	b := x.p.read(page)
	n := &node{page: page}
	at, below := leafHead, 0 // bytes of a cell before the entry
	switch b[0] {
	case kindIndexLeaf:
	case kindIndexInterior:
		at, below = interiorHead, nextSize
		n.children = []link{}
	default:
		x.p.fail(fmt.Errorf("page %d: %w", page, errPage))
		return n
	}
	count := int(binary.BigEndian.Uint16(b[3:]))
	if at+pointerSize*count > pageSize {
		x.p.fail(fmt.Errorf("page %d: %w", page, errPage))
		count = 0
	}
	for i := range count {
		cell := b[min(int(binary.BigEndian.Uint16(b[at+pointerSize*i:])), pageSize):]
		if len(cell) < below+1+entryHead {
			x.p.fail(fmt.Errorf("page %d: %w", page, errPage))
			break
		}
		if !n.leaf() {
			n.children = append(n.children, link{page: binary.BigEndian.Uint32(cell)})
		}
		cell = cell[below:]
		value, used := readInt(cell[2], cell[4:])
		id, _ := readInt(cell[3], cell[4+used:])
		n.entries = append(n.entries, entry{value, id})
	}
	if !n.leaf() {
		n.children = append(n.children, link{page: binary.BigEndian.Uint32(b[lastChild:])})
	}
	n.measure()
	return n
}
