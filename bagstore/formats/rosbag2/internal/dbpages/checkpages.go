package dbpages

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// pages finds pages with no use or several, and pages whose content doesn't fill them.
func (c *checker) pages(objects []Object) {
	f := c.f
	free, whole := f.Free()
	if !whole {
		c.problem("the list of free pages isn't whole")
	}
	c.vacuum(objects)
	count := f.count
	if n := f.claimed(); n > 0 {
		count = min(count, n)
	}
	r := f.NewPageReader()
	unused, first := 0, uint32(0)
	for page := uint32(1); page <= count; page++ {
		uses := 0
		for _, used := range []bool{c.trees.Has(page), c.values.Has(page), free.Has(page), f.reserved(page)} {
			if used {
				uses++
			}
		}
		switch {
		case uses > 1:
			c.problem("page %d is used twice", page)
		case uses == 0:
			if unused++; unused == 1 {
				first = page
			}
		case c.trees.Has(page):
			if b, err := r.Page(page); err == nil && !f.filled(b[:f.usable], page) {
				c.problem("page %d: cells and free space overlap, or leave bytes out", page)
			}
		}
	}
	if unused > 0 && len(c.problems) == 0 { // after other damage, what led to them is gone
		c.problem("nothing uses %d pages, of which the first is %d", unused, first)
	}
}

// vacuum compares the header of an auto-vacuum database with the roots.
func (c *checker) vacuum(objects []Object) {
	be := binary.BigEndian
	root, most := be.Uint32(c.f.head[52:]), uint32(1)
	for _, o := range objects {
		most = max(most, o.Root)
	}
	if root != 0 && root != most || root == 0 && be.Uint32(c.f.head[64:]) != 0 {
		c.problem("the last root in the header is page %d, and in the schema page %d", root, most)
	}
}

// reserved reports whether a page holds no data: the one that SQLite locks, and in an auto-vacuum database the ptrmap pages,
// which name the page above each page.
func (f *File) reserved(page uint32) bool {
	lock := uint32(lockByte/f.page) + 1
	if page == lock {
		return true
	}
	if binary.BigEndian.Uint32(f.head[52:]) == 0 || page < 2 {
		return false
	}
	group := uint32(f.usable/5) + 1
	at := (page-2)/group*group + 2
	if at == lock {
		at++
	}
	return page == at
}

type part struct{ from, to int }

// Offsets of the layout of the content in the head of a page.
const (
	freeBlock    = 1 // the offset of the first free part
	contentStart = 5 // the offset of the first byte of cells
	fragments    = 7 // the number of free bytes in parts too small to be listed
)

// filled reports whether cells and free parts fill the content of a page of a tree, each byte once.
func (f *File) filled(b []byte, number uint32) bool {
	be := binary.BigEndian
	head := b[headAt(number):]
	start := int(be.Uint16(head[contentStart:]))
	if start == 0 {
		start = maxPage
	}
	count, ok := f.cellCount(b, number)
	if !ok || start < pointersAt(b, number)+count*pointerSize || start > f.usable {
		return false
	}
	var parts []part
	var c Cell
	for i := range count {
		if !f.decode(b, number, i, &c) {
			return false
		}
		parts = append(parts, part{c.pos, max(c.end, c.pos+minCell)})
	}
	for free, before := int(be.Uint16(head[freeBlock:])), 0; free != 0; free = int(be.Uint16(b[free:])) {
		if free <= before || free+minCell > f.usable {
			return false
		}
		parts = append(parts, part{free, free + int(be.Uint16(b[free+2:]))})
		before = free
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	at, between := start, 0
	for _, p := range append(parts, part{f.usable, f.usable}) {
		if p.from < at || p.to < p.from {
			return false
		}
		between += p.from - at
		at = p.to
	}
	return between == int(head[fragments])
}
