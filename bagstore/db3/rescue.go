package db3

import (
	"cmp"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
)

const kindPages = "pages"

// reopenDamaged opens the database again as one whose header may be damaged. It returns false if the file has no page.
func (f *File) reopenDamaged() bool {
	if f.loose == nil {
		p := sqlite.OpenDamaged(f.r, f.dbSize)
		if p == nil {
			return false
		}
		f.pages, f.loose = p, p.NewSet()
	}
	return true
}

// rescueRows finds the messages page by page, after the table's tree turned out to be damaged, or to lack rows. It
// returns false if there are none.
func (f *File) rescueRows(objects []sqlite.Object, missing []sqlite.Range, why error) bool {
	if !f.reopenDamaged() {
		return false
	}
	g := &gatherer{f: f, missing: missing}
	list := g.find(objects)
	if len(list) == 0 {
		return false
	}
	f.notes.Addf(bagstore.Repairable, -1, kindPages, "%v; messages are read from every page that has some", why)
	if g.more {
		f.notes.Addf(bagstore.Loss, -1, "rows", "more than %d pages have messages; the others are left out", maxLeaves)
	}
	f.rescued, f.dropped = true, make(map[uint32][]bool)
	g.gather(list)
	return true
}

type gatherer struct {
	f       *File
	missing []sqlite.Range // rows that the tree lacks; some of them
	holes   []sqlite.Range // rows outside the reach of the tree
	anyRow  bool           // any row of a page outside the tree counts: by the list of free pages, none was deleted
	more    bool           // more than maxLeaves pages have messages
}

// find lists the pages with messages in the order of their rows: those of the tree, and if pages above leaves are lost,
// or rows are missing within its reach, those outside the tree.
func (g *gatherer) find(objects []sqlite.Object) []leaf {
	p := g.f.pages
	var list []leaf
	keep := func(l leaf) {
		if g.more = g.more || len(list) == maxLeaves; !g.more {
			list = append(list, l)
		}
	}
	seen := p.NewSet()
	tree := &sqlite.Tree{Holes: []sqlite.Range{sqlite.AllRows()}, Lost: true}
	if table := sqlite.Find(objects, "messages"); table != nil && table.Root > 0 {
		r := p.NewReader()
		tree = p.Tree(table.Root, seen, func(t sqlite.Leaf, page []byte) bool {
			if l := g.f.treeLeaf(r, t, page); l.rows > 0 {
				keep(l)
			}
			return true
		})
	}
	g.holes = tree.Holes
	if tree.Lost || len(list) == 0 || slices.ContainsFunc(g.missing, g.unexplained) {
		if len(list) == 0 {
			seen = p.NewSet() // the root in the schema is wrong
			g.holes = []sqlite.Range{sqlite.AllRows()}
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
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.rows, a.rows),
			cmp.Compare(a.page, b.page))
	})
	return list
}

// unexplained reports whether no hole in the tree has the rows.
func (g *gatherer) unexplained(rows sqlite.Range) bool {
	return !slices.ContainsFunc(g.holes, func(h sqlite.Range) bool { return h.Contains(rows.To) })
}

// treeLeaf describes a leaf of the tree. A row whose number is outside the leaf's range has a wrong number, which
// doesn't widen the leaf's range.
func (f *File) treeLeaf(r *sqlite.Reader, t sqlite.Leaf, page []byte) leaf {
	l := leaf{page: t.Page, sure: true}
	all := l
	f.pages.EachRow(page, t.Page, func(c *sqlite.Cell) bool {
		if f.message(r, c, false).ok {
			all.add(c.Row)
			if t.Rows.Contains(c.Row) {
				l.add(c.Row)
				l.last = c.Row
			}
		}
		return true
	})
	if l.rows == 0 {
		return all // the keys above the page are wrong
	}
	return l
}

func (l *leaf) rank() int {
	if l.sure {
		return 1
	}
	return 0
}

// overlapping is how many pages are remembered whose rows may be in later pages, too.
const overlapping = 32

// before is an earlier page, whose rows later ones may have, too.
type before struct {
	leaf
	numbers []int64 // of its own rows, sorted
}

// has reports whether a row of a later page is one of the page's. Two pages of the tree share rows only if
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
		f.strays = f.strays || !l.sure
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
	gaps.report(&f.notes, g.holes)
}

// own sorts the numbers and returns those in the page's range, each once.
func (l *leaf) own(numbers []int64) []int64 {
	slices.Sort(numbers)
	return slices.DeleteFunc(slices.Compact(numbers), func(n int64) bool { return n < l.first || n > l.last })
}

// wanted reports whether a row of a page outside the tree was hidden by the damage, and wasn't deleted.
func (g *gatherer) wanted(row int64) bool {
	return g.anyRow || slices.ContainsFunc(g.holes, func(r sqlite.Range) bool { return r.Contains(row) })
}
