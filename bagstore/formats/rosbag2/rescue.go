package rosbag2

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2/internal/dbpages"
)

// rescue is the messages of a file whose table SQLite can't follow, found in its pages. Its
// blocks are those of the File.
type rescue struct {
	pages   *dbpages.File
	blocks  [][]uint32        // pages, by block
	dropped map[uint32][]bool // cells of pages that don't count: other pages have their rows
	readers sync.Pool         // of *rescueReader
}

// rescueReader is what reading one message takes.
type rescueReader struct{ leaf, chain *dbpages.Reader }

func (r *rescue) reader() *rescueReader {
	if k, ok := r.readers.Get().(*rescueReader); ok {
		return k
	}
	return &rescueReader{r.pages.NewPageReader(), r.pages.NewReader()}
}

// found is a message in a page.
type found struct {
	cell             int
	row, topic, time int64
}

// kindPages is the kind of notes about what SQLite can't follow.
const kindPages = "pages"

// openPages reports whether there are pages to be looked at.
func (f *File) openPages() bool {
	if f.pages == nil {
		f.pages = dbpages.Open(f.raw, f.rawSize)
	}
	return f.pages != nil
}

// rescueRows finds the messages page by page, after SQLite could not. It returns false if there are none.
func (f *File) rescueRows(why error) bool {
	if !f.openPages() {
		return false
	}
	g := &gatherer{f: f, r: &rescue{pages: f.pages, dropped: make(map[uint32][]bool)}}
	list := g.find()
	if len(list) == 0 {
		return false
	}
	f.notes.Addf(bagstore.Repairable, -1, kindPages, "SQLite can't read all messages (%v); they are taken from the pages that have them", why)
	if g.more {
		f.notes.Addf(bagstore.Loss, -1, "rows", "messages are in more than %d pages; the others are left out", maxLeaves)
	}
	f.blocks, f.rescued = nil, g.r
	g.gather(list)
	return true
}

// gatherer builds blocks from the pages with messages.
type gatherer struct {
	f       *File
	r       *rescue
	holes   []dbpages.Range // rows that the tree doesn't reach
	anyRow  bool            // pages that the tree doesn't reach may have any rows: those that were deleted are elsewhere
	strange int
	more    bool    // there are more than maxLeaves pages
	open    scanner // counts the open block
}

// find lists the pages with messages in the order of their rows: those of the tree, and if pages above them are lost, those
// that belong to no other tree.
func (g *gatherer) find() []leaf {
	p := g.f.pages
	seen := p.NewSet()
	tree := &dbpages.Tree{Holes: []dbpages.Range{dbpages.AllRows()}, Lost: true}
	if root, ok := p.Roots()["messages"]; ok {
		tree = p.Tree(root, seen)
	}
	g.holes = tree.Holes
	var list []leaf
	keep := func(l leaf) {
		if len(list) == maxLeaves {
			g.more = true
			return
		}
		list = append(list, l)
	}
	r := p.NewPageReader()
	for _, t := range tree.Leaves {
		if l := g.f.treeLeaf(r, t); l.rows > 0 {
			keep(l)
		}
	}
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
func (f *File) treeLeaf(r *dbpages.Reader, t dbpages.Leaf) leaf {
	l := leaf{page: t.Page, sure: true}
	all := l
	page, err := r.Page(t.Page)
	if err != nil {
		return l
	}
	f.pages.EachRow(page, t.Page, func(c dbpages.Cell) bool {
		if isMessage(&c) {
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
	k := g.r.reader()
	g.open = scanner{f: g.f, counts: make(map[uint32]uint32)}
	for _, l := range list {
		active = slices.DeleteFunc(active, func(b before) bool { return b.last < l.first })
		var err error
		if rows, err = g.r.rows(k, l.page, rows[:0]); err != nil {
			g.f.notes.Addf(bagstore.Loss, -1, "rows", "messages of a page are left out: %v", err)
			continue
		}
		var numbers []int64
		var drop []bool
		for i, r := range rows {
			twice := slices.ContainsFunc(active, func(b before) bool { return b.has(r.row, l.sure) })
			if twice || !l.sure && !g.wanted(r.row) {
				if drop == nil {
					drop = make([]bool, l.cells(rows))
				}
				drop[r.cell], rows[i].topic = true, 0
				continue
			}
			numbers = append(numbers, r.row)
		}
		if len(numbers) == 0 {
			continue
		}
		own := l.own(numbers)
		gaps.page(own, len(numbers)-len(own))
		if drop != nil {
			g.r.dropped[l.page] = drop
		}
		if active = append(active, before{l, own}); len(active) > overlapping {
			active = active[1:]
		}
		g.add(l.page, rows)
	}
	g.open.close()
	gaps.say(g.f, g.holes)
	if g.strange > 0 {
		g.f.sayStrange(g.strange)
	}
}

// own returns those of the numbers that rows of the page can have, each once, in their order. It changes the list.
func (l *leaf) own(numbers []int64) []int64 {
	slices.Sort(numbers)
	return slices.DeleteFunc(slices.Compact(numbers), func(n int64) bool { return n < l.first || n > l.last })
}

// cells is how many cells of the page there are, up to the last one that is a message.
func (l *leaf) cells(rows []found) int { return rows[len(rows)-1].cell + 1 }

// wanted reports whether a row of a page that the tree doesn't lead to is one that the damage hides, and not
// one that was deleted.
func (g *gatherer) wanted(row int64) bool {
	return g.anyRow || slices.ContainsFunc(g.holes, func(r dbpages.Range) bool { return r.Contains(row) })
}

// add adds the rows of a page to the open block.
func (g *gatherer) add(page uint32, rows []found) {
	s := &g.open
	if s.open+len(rows) > blockRows || len(g.r.blocks) > 0 && len(g.r.blocks[len(g.r.blocks)-1]) > math.MaxUint16 {
		s.close()
	}
	for _, r := range rows {
		if r.topic == 0 {
			continue // dropped
		}
		topic, ok := g.f.topicOf(r.topic)
		if !ok {
			g.strange++
			continue
		}
		if s.open == 0 {
			g.r.blocks = append(g.r.blocks, nil)
		}
		s.add(r.row, topic, timeOf(r.time))
		last := &g.r.blocks[len(g.r.blocks)-1]
		if n := len(*last); n == 0 || (*last)[n-1] != page {
			*last = append(*last, page)
		}
	}
}

// rows lists the messages of a page in the order of its cells.
func (r *rescue) rows(k *rescueReader, number uint32, list []found) ([]found, error) {
	page, err := k.leaf.Page(number)
	if err != nil {
		return list, err
	}
	r.pages.EachRow(page, number, func(c dbpages.Cell) bool {
		if isMessage(&c) {
			topic, _ := c.Int(1)
			time, _ := c.Int(2)
			list = append(list, found{c.Index, c.Row, topic, time})
		}
		return true
	})
	return list, nil
}

// entries lists the messages of a block.
func (r *rescue) entries(f *File, n int) (list []bagstore.Entry, err error) {
	var rows []found
	k := r.reader()
	defer r.readers.Put(k)
	for i, page := range r.blocks[n] {
		drop := r.dropped[page]
		if rows, err = r.rows(k, page, rows[:0]); err != nil {
			return list, err
		}
		for _, m := range rows {
			if m.cell < len(drop) && drop[m.cell] {
				continue
			}
			if topic, known := f.byID[m.topic]; known {
				list = append(list, bagstore.Entry{Time: timeOf(m.time), Conn: topic, Ref: uint32(i)<<16 | uint32(m.cell)})
			}
		}
	}
	return list, nil
}

// stored reads a message's bytes.
func (r *rescue) stored(n int, e bagstore.Entry, alloc func(n int) []byte) (data []byte, err error) {
	k := r.reader()
	defer r.readers.Put(k)
	number := r.blocks[n][e.Ref>>16]
	page, err := k.leaf.Page(number)
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("%w: page %d changed", dbpages.ErrDamaged, number)
	r.pages.EachRow(page, number, func(c dbpages.Cell) bool {
		if c.Index != int(e.Ref&math.MaxUint16) {
			return true
		}
		if isMessage(&c) {
			data, err = k.chain.Value(&c, 3, alloc)
		}
		return false
	})
	return data, err
}
