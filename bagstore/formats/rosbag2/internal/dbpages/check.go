package dbpages

import (
	"cmp"
	"encoding/binary"
	"fmt"
)

// Check compares pages with each other and returns what doesn't agree, up to most lines: each page belongs to one tree or
// value or is free, rows and entries of indexes are in order and don't overlap, and an index of one integer column
// has the rows of its table. It returns nothing if the header is damaged.
func (f *File) Check(most int) []string {
	if f.head == nil {
		return nil
	}
	if format := binary.BigEndian.Uint32(f.head[44:]); format > maxFormat {
		return []string{fmt.Sprintf("the header has schema format %d, SQLite reads up to %d", format, maxFormat)}
	}
	c := checker{f: f, most: most, trees: f.NewSet(), values: f.NewSet(), chain: f.NewReader()}
	objects, err := f.Schema()
	if err != nil {
		c.problem("%v", err)
	}
	c.table("the schema", &Table{Root: 1}, nil)
	indexes := make(map[string][]*Object)
	for i := range objects {
		if o := &objects[i]; o.Kind == "index" && o.Root > 0 {
			indexes[o.Of] = append(indexes[o.Of], o)
		}
	}
	for i := range objects {
		if o := &objects[i]; o.Kind == "table" && o.Root > 0 {
			c.tableAndIndexes(o, indexes[o.Name])
			delete(indexes, o.Name)
		}
	}
	c.pages(objects)
	return c.problems
}

func (c *checker) tableAndIndexes(o *Object, indexes []*Object) {
	t, ok := o.Table()
	if !ok { // a table whose rows have no numbers is an index
		c.index(o.Name, o.Root, &indexed{})
		return
	}
	list := make([]*indexed, len(indexes))
	var compared []*indexed
	for i, x := range indexes {
		list[i] = &indexed{}
		name, _ := parseIndex(x.Name, x.SQL) // an error is the schema's
		if name == "" {
			continue
		}
		column := t.Index(name)
		if column < 0 {
			c.problem("index %s is of a column %s, which table %s doesn't have", x.Name, name, o.Name)
		} else if t.Columns[column].integer && len(compared) < maxCompared {
			list[i].compared, list[i].column = true, column
			compared = append(compared, list[i])
		}
	}
	c.table("table "+o.Name, t, compared)
	for i, x := range list {
		c.index("index "+indexes[i].Name, indexes[i].Root, x)
		if x.inTable != x.inIndex {
			c.problem("index %s doesn't have the rows of table %s", indexes[i].Name, o.Name)
		}
	}
}

// maxCompared bounds the indexes of a table whose rows are compared with the table's.
const maxCompared = 8

// maxFormat of a schema that SQLite reads.
const maxFormat = 4

type checker struct {
	f        *File
	most     int
	problems []string
	trees    Set // pages of tables and indexes
	values   Set // pages of values that are too long for these
	chain    *Reader
}

func (c *checker) problem(format string, args ...any) {
	if len(c.problems) < c.most {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

type indexed struct {
	compared         bool // its rows with those of the table
	column           int  // of the table
	inTable, inIndex tally
	value, row       int64 // of the last entry
}

// tally is a sum over pairs of a number and a row that is the same in any order.
type tally struct{ pairs, sum uint64 }

func (t *tally) add(value, row int64) {
	const a, b = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	x := (uint64(value)*a ^ uint64(row)) * b
	t.pairs++
	t.sum += (x ^ x>>32) * a
}

func (c *checker) table(name string, t *Table, indexes []*indexed) {
	err := c.f.rows(t.Root, c.trees, func(k *Cell) error {
		if !c.f.Fits(k) {
			c.problem("%s: row %d isn't whole", name, k.Row)
		}
		c.overflow(name, k)
		t.Complete(k)
		for _, x := range indexes {
			if v, ok := c.chain.Int(k, x.column); ok {
				x.inTable.add(v, k.Row)
			}
		}
		return nil
	})
	if err != nil {
		c.problem("%s: %v", name, err)
	}
}

// use marks a page as used. Pages used as both are found later.
func (c *checker) use(as Set, name string, page uint32) bool {
	if page == 0 || page > c.f.count || as.Has(page) {
		c.problem("%s: page %d of %d isn't there, or is used twice", name, page, c.f.count)
		return false
	}
	as.Add(page)
	return true
}

func (c *checker) overflow(name string, k *Cell) {
	left, next := k.size-int64(len(k.local)), k.overflow
	for left > 0 {
		if !c.use(c.values, name, next) {
			return
		}
		b, err := c.chain.Page(next)
		if err != nil {
			c.problem("%s: %v", name, err)
			return
		}
		left -= int64(c.f.usable - nextSize)
		next = binary.BigEndian.Uint32(b)
		if (left <= 0) != (next == 0) {
			c.problem("%s: the pages of a value of page %d end before or after it", name, k.Page)
			return
		}
	}
}

func (c *checker) index(name string, root uint32, x *indexed) {
	w := indexWalk{c: c, name: name, x: x, sound: true}
	w.page(root, 0)
	if !w.sound {
		c.problem("%s: its entries aren't whole, or aren't in order", name)
	}
}

type indexWalk struct {
	c     *checker
	name  string
	x     *indexed
	cell  Cell
	sound bool
}

func (w *indexWalk) page(number uint32, depth int) {
	f := w.c.f
	if depth > maxDepth || !w.c.use(w.c.trees, w.name, number) {
		return
	}
	b, err := f.NewPageReader().Page(number)
	if err != nil {
		w.c.problem("%s: %v", w.name, err)
		return
	}
	if b[0] != indexInterior && b[0] != indexLeaf { // no index begins in page 1
		w.sound = false
		return
	}
	count, whole := f.cellCount(b, number)
	w.sound = w.sound && whole
	for i := range count {
		ok := f.decode(b, number, i, &w.cell)
		if child := w.cell.child; child > 0 {
			w.page(child, depth+1)
			ok = f.decode(b, number, i, &w.cell) // again: the pages below had it
		}
		if !ok {
			w.sound = false
			continue
		}
		w.c.overflow(w.name, &w.cell)
		w.entry()
	}
	if b[0] == indexInterior {
		w.page(binary.BigEndian.Uint32(b[lastChild:]), depth+1)
	}
}

// entry takes an entry of an index whose rows are compared: the value, and the row's number.
func (w *indexWalk) entry() {
	x, k := w.x, &w.cell
	if !x.compared {
		return
	}
	if !k.record() || len(k.Columns) != 2 {
		w.sound = false
		return
	}
	value, ok := k.Int(0)
	row, numbered := k.Int(1)
	if !ok {
		return // NULL comes first, and texts last
	}
	if !numbered || x.inIndex.pairs > 0 && cmp.Or(cmp.Compare(x.value, value), cmp.Compare(x.row, row)) >= 0 {
		w.sound = false
	}
	x.value, x.row = value, row
	x.inIndex.add(value, row)
}
