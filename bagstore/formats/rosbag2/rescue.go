package rosbag2

import (
	"cmp"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2/internal/dbpages"
)

// kindPages is the kind of notes about pages that nothing leads to.
const kindPages = "pages"

// distrust opens the database as one whose header may be damaged. It reports whether there are pages to be looked at.
func (f *File) distrust() bool {
	if f.loose == nil {
		p := dbpages.OpenDamaged(f.r, f.dbSize)
		if p == nil {
			return false
		}
		f.pages, f.loose = p, p.NewSet()
	}
	return true
}

// rescueRows finds the messages page by page, because not all pages can be reached. It returns false if there are none.
func (f *File) rescueRows(objects []dbpages.Object, why error) bool {
	if !f.distrust() {
		return false
	}
	g := &gatherer{f: f}
	list := g.find(objects)
	if len(list) == 0 {
		return false
	}
	f.notes.Addf(bagstore.Repairable, -1, kindPages, "the database is damaged (%v); its messages are taken from all pages that have some", why)
	if g.more {
		f.notes.Addf(bagstore.Loss, -1, "rows", "messages are in more than %d pages; the others are left out", maxLeaves)
	}
	f.rescued, f.dropped = true, make(map[uint32][]bool)
	g.gather(list)
	return true
}

// gatherer builds blocks from the pages with messages.
type gatherer struct {
	f      *File
	holes  []dbpages.Range // rows that the tree doesn't reach
	anyRow bool            // pages that the tree doesn't reach may have any rows: those that were deleted are elsewhere
	more   bool            // there are more than maxLeaves pages
}

// find lists the pages with messages in the order of their rows: those of the tree, and if pages above them are lost, those
// that belong to no other tree.
func (g *gatherer) find(objects []dbpages.Object) []leaf {
	p := g.f.pages
	var list []leaf
	keep := func(l leaf) {
		if g.more = g.more || len(list) == maxLeaves; !g.more {
			list = append(list, l)
		}
	}
	seen := p.NewSet()
	tree := &dbpages.Tree{Holes: []dbpages.Range{dbpages.AllRows()}, Lost: true}
	if table := dbpages.Find(objects, "messages"); table != nil && table.Root > 0 {
		r := p.NewReader()
		tree = p.Tree(table.Root, seen, func(t dbpages.Leaf, page []byte) bool {
			if l := g.f.treeLeaf(r, t, page); l.rows > 0 {
				keep(l)
			}
			return true
		})
	}
	g.holes = tree.Holes
	if tree.Lost || len(list) == 0 {
		if len(list) == 0 {
			seen = p.NewSet() // what the schema says is wrong
			g.holes = []dbpages.Range{dbpages.AllRows()}
		}
		free, whole := p.Free()
		g.anyRow = whole
		s := g.f.surveyed()
		g.more = g.more || s.more
		for _, l := range s.leaves {
			if !seen.Has(l.page) && !(whole && free.Has(l.page)) {
				g.f.loose.Add(l.page)
				keep(l)
			}
		}
	}
	slices.SortFunc(list, func(a, b leaf) int {
		return cmp.Or(cmp.Compare(a.first, b.first), compareBool(b.sure, a.sure), cmp.Compare(b.rows, a.rows), cmp.Compare(a.page, b.page))
	})
	return list
}

// treeLeaf looks at a page that the tree leads to. A row that should be in another page has a wrong number,
// as has one above the last, and neither says which rows the page has.
func (f *File) treeLeaf(r *dbpages.Reader, t dbpages.Leaf, page []byte) leaf {
	l := leaf{page: t.Page, sure: true}
	all := l
	f.pages.EachRow(page, t.Page, func(c *dbpages.Cell) bool {
		if _, _, ok := f.message(r, c, false); ok {
			all.add(c.Row)
			if t.Rows.Contains(c.Row) {
				l.add(c.Row)
				l.last = c.Row
			}
		}
		return true
	})
	if l.rows == 0 {
		return all // what leads to the page is wrong
	}
	return l
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// overlapping is how many pages are kept in mind whose rows may be in others, too.
const overlapping = 32

// before is a page that came before, whose rows others may have, too.
type before struct {
	leaf
	numbers []int64 // of the rows that are its own, in their order
}

// has reports whether a row of another page is one of the page's. Pages that the tree leads to share none, unless
// a number is wrong.
func (b *before) has(row int64, sure bool) bool {
	if b.sure && sure {
		return false
	}
	_, ok := slices.BinarySearch(b.numbers, row)
	return ok
}

// gather makes blocks of pages.
func (g *gatherer) gather(list []leaf) {
	var (
		active []before
		gaps   gaps
		rows   []found
	)
	f := g.f
	r, b := f.reader(), f.newBuilder()
	for _, l := range list {
		active = slices.DeleteFunc(active, func(b before) bool { return b.last < l.first })
		var err error
		if rows, err = f.pageRows(r, l.page, rows[:0]); err != nil {
			f.notes.Addf(bagstore.Loss, -1, "rows", "messages of a page are left out: %v", err)
			continue
		}
		var numbers []int64
		var drop []bool
		rows = slices.DeleteFunc(rows, func(r found) bool {
			twice := slices.ContainsFunc(active, func(b before) bool { return b.has(r.row, l.sure) })
			if twice || !l.sure && !g.wanted(r.row) {
				drop = append(drop, make([]bool, r.cell+1-len(drop))...)
				drop[r.cell] = true
				return true
			}
			numbers = append(numbers, r.row)
			return false
		})
		if len(numbers) == 0 {
			continue
		}
		own := l.own(numbers)
		gaps.page(own, len(numbers)-len(own))
		if drop != nil {
			f.dropped[l.page] = drop
		}
		if active = append(active, before{l, own}); len(active) > overlapping {
			active = active[1:]
		}
		b.add(l.page, rows)
	}
	b.close()
	gaps.say(f, g.holes)
}

// own returns those of the numbers that rows of the page can have, each once, in their order. It changes the list.
func (l *leaf) own(numbers []int64) []int64 {
	slices.Sort(numbers)
	return slices.DeleteFunc(slices.Compact(numbers), func(n int64) bool { return n < l.first || n > l.last })
}

// wanted reports whether a row of a page that the tree doesn't lead to is one that the damage hides, and not
// one that was deleted.
func (g *gatherer) wanted(row int64) bool {
	return g.anyRow || slices.ContainsFunc(g.holes, func(r dbpages.Range) bool { return r.Contains(row) })
}
