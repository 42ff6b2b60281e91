package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Declaration makes a table, or an index, which comes after its table.
type Declaration struct {
	Name string
	SQL  string // that makes it
	// Of is the table of an index on its integer column of the number Column.
	Of     string
	Column int
}

// Writer writes a database. After an error it is of no use.
type Writer struct {
	p       pages
	objects []object
	record  record
	commits uint32
	private bool
	changed bool
}

// object is a table or an index.
type object struct {
	Declaration
	table *table // nil of an index
	index *index
}

// NewWriter begins a database in an empty file, which has nothing until the first Commit. A private one
// has no readers until it is complete, and uses free pages again at once.
func NewWriter(f Output, list []Declaration, private bool) *Writer {
	w := &Writer{p: pages{f: f, delay: reuseAfter}, changed: true, private: private}
	w.p.next.Store(2)
	if private {
		w.p.delay = 0
	}
	for _, d := range list {
		o := object{Declaration: d}
		if d.Of == "" {
			o.table = &table{p: &w.p, leaf: cells{head: leafHead}, dirty: true}
		} else {
			o.index = newIndex(&w.p)
		}
		w.objects = append(w.objects, o)
	}
	return w
}

// Append adds a row, whose id is greater than those before. Errors are permanent.
func (w *Writer) Append(name string, id int64, row ...Value) error {
	if w.p.err != nil {
		return w.p.err
	}
	w.record.set(row)
	known := false
	for i := range w.objects {
		switch o := &w.objects[i]; {
		case o.Name == name && o.table != nil && id > o.table.lastID:
			known, w.changed = true, true
			o.table.append(id, &w.record)
		case known && o.Of == name:
			o.index.insert(entry{row[o.Column].int, id})
		}
	}
	if !known {
		return fmt.Errorf("table %s takes no row %d", name, id)
	}
	return w.p.err
}

// Size returns the size of the file. It may be called from any goroutine.
func (w *Writer) Size() int64 { return int64(w.p.next.Load()-1) * pageSize }

// Changed reports whether there is something to commit.
func (w *Writer) Changed() bool { return w.changed }

// Prepare writes everything but page 1, which makes it visible and which it returns, to be written before
// the next Prepare.
func (w *Writer) Prepare() (page []byte, err error) {
	if w.p.err == nil {
		page = w.prepare()
	}
	if w.p.err == nil && !w.private {
		w.p.fail(w.p.f.Wait())
	}
	return page, w.p.err
}

func (w *Writer) prepare() []byte {
	roots := make([]uint32, len(w.objects))
	for i, o := range w.objects {
		if o.table != nil {
			roots[i] = o.table.commit()
		} else {
			roots[i] = o.index.commit()
		}
	}
	first, free := w.p.listFree()
	w.p.flush()
	w.commits++
	w.changed = false
	return w.first(roots, first, free)
}

// Commit makes all that was appended visible.
func (w *Writer) Commit() error {
	page, err := w.Prepare()
	if err == nil {
		w.p.fail(w.p.f.WriteHead(page))
	}
	return w.p.err
}

const (
	schemaFormat  = 4
	textUTF8      = 1
	sqliteVersion = 3040001 // whose form this is
)

// first lays out page 1: the header of the database, and the table of its tables.
func (w *Writer) first(roots []uint32, free uint32, freeCount int) []byte {
	b := make([]byte, pageSize)
	copy(b, magic)
	binary.BigEndian.PutUint16(b[16:], pageSize)
	b[18], b[19] = 1, 1 // read and written without a write-ahead log
	copy(b[21:], payloadFractions)
	put := func(at int, v uint32) { binary.BigEndian.PutUint32(b[at:], v) }
	put(24, w.commits)
	put(28, w.p.next.Load()-1)
	put(32, free)
	put(36, uint32(freeCount))
	put(40, w.commits) // the roots have moved
	put(44, schemaFormat)
	put(56, textUTF8)
	put(92, w.commits)
	put(96, sqliteVersion)
	content := cells{head: headerSize + leafHead}
	for i, o := range w.objects {
		kind, of := "table", o.Name
		if o.Of != "" {
			kind, of = "index", o.Of
		}
		var r record
		r.set([]Value{Text(kind), Text(o.Name), Text(of), Int(int64(roots[i])), Text(o.SQL)})
		head := r.head()
		cell := append(appendVarint(appendVarint(nil, uint64(len(head)+r.size)), uint64(i+1)), head...)
		for _, p := range r.parts {
			cell = append(cell, p...)
		}
		if !content.fits(len(cell)) {
			w.p.fail(errors.New("the tables' declarations don't fit into a page"))
			return nil
		}
		content.add(cell)
	}
	content.layout(b, headerSize, kindLeaf, 0)
	return b
}
