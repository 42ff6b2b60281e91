package pagedb

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Column is a column of a row. The zero value stands for the row's id.
type Column struct {
	kind  byte
	int   int64
	text  string
	parts [][]byte
}

const (
	isID = iota
	isInt
	isText
	isBlob
)

func Int(v int64) Column { return Column{kind: isInt, int: v} }

func Text(s string) Column { return Column{kind: isText, text: s} }

// Blob is a column with bytes, which are borrowed.
func Blob(parts ...[]byte) Column { return Column{kind: isBlob, parts: parts} }

type Object struct {
	Name string
	SQL  string // that makes it
	// Of is the table of an index on its integer column of the number Column.
	Of     string
	Column int
}

type Writer struct {
	p       pages
	objects []Object
	tables  map[string]*table
	indexes map[string][]*columnIndex // by table
	byName  map[string]*columnIndex
	record  record
	commits uint32
	private bool
	changed bool
	err     error
}

type columnIndex struct {
	*index
	column int
}

// New begins a database in an empty file, which has nothing until the first Commit. A private one
// has no readers until it is complete, and uses free pages again at once.
func New(f File, objects []Object, private bool) *Writer {
	w := &Writer{p: pages{f: f, delay: reuseAfter}, objects: objects, tables: make(map[string]*table),
		indexes: make(map[string][]*columnIndex), byName: make(map[string]*columnIndex), changed: true, private: private}
	w.p.next.Store(2)
	if private {
		w.p.delay = 0
	}
	for _, o := range objects {
		if o.Of == "" {
			w.tables[o.Name] = &table{p: &w.p, leaf: cells{head: leafHead}, dirty: true}
			continue
		}
		x := &columnIndex{newIndex(&w.p), o.Column}
		w.indexes[o.Of] = append(w.indexes[o.Of], x)
		w.byName[o.Name] = x
	}
	return w
}

// Append adds a row, whose id is greater than those before. Errors are permanent.
func (w *Writer) Append(name string, id int64, columns ...Column) error {
	if w.err != nil {
		return w.err
	}
	t := w.tables[name]
	if t == nil || id <= t.lastID {
		return fmt.Errorf("table %s takes no row %d", name, id)
	}
	r := &w.record
	r.begin()
	for _, c := range columns {
		switch c.kind {
		case isID:
			r.null()
		case isInt:
			r.int(c.int)
		case isText:
			r.text(c.text)
		case isBlob:
			r.blob(c.parts...)
		}
	}
	w.changed = true
	w.err = t.append(id, r)
	for _, x := range w.indexes[name] {
		if w.err == nil {
			w.err = x.insert(entry{columns[x.column].int, id})
		}
	}
	return w.err
}

// Size returns the size of the file. It may be called from any goroutine.
func (w *Writer) Size() int64 { return int64(w.p.next.Load()-1) * pageSize }

// Changed reports whether there is something to commit.
func (w *Writer) Changed() bool { return w.changed }

// Prepare writes everything but page 1, which makes it visible and which it returns, to be written before
// the next Prepare.
func (w *Writer) Prepare() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	page, err := w.prepare()
	if err == nil && !w.private {
		err = w.p.f.Wait()
	}
	if err != nil {
		w.err = err
	}
	return page, err
}

func (w *Writer) prepare() ([]byte, error) {
	roots := make([]uint32, len(w.objects))
	for i, o := range w.objects {
		var err error
		if o.Of == "" {
			roots[i], err = w.tables[o.Name].commit()
		} else {
			roots[i], err = w.byName[o.Name].commit()
		}
		if err != nil {
			return nil, err
		}
	}
	first, free, err := w.p.listFree()
	if err != nil {
		return nil, err
	}
	if err := w.p.flush(); err != nil {
		return nil, err
	}
	w.commits++
	w.changed = false
	return w.first(roots, first, free)
}

// Commit makes all that was appended visible.
func (w *Writer) Commit() error {
	page, err := w.Prepare()
	if err == nil {
		err = w.p.f.WriteHead(page)
	}
	if err != nil && w.err == nil {
		w.err = err
	}
	return err
}

const (
	headerSize    = 100
	magic         = "SQLite format 3\x00"
	schemaFormat  = 4
	textUTF8      = 1
	sqliteVersion = 3040001 // whose form this is
)

// first lays out page 1: the header of the database, and the table of its tables.
func (w *Writer) first(roots []uint32, free uint32, freeCount int) ([]byte, error) {
	b := make([]byte, pageSize)
	copy(b, magic)
	binary.BigEndian.PutUint16(b[16:], pageSize)
	b[18], b[19] = 1, 1 // read and written without a write-ahead log
	b[21], b[22], b[23] = 64, 32, 32
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
		r.text(kind)
		r.text(o.Name)
		r.text(of)
		r.int(int64(roots[i]))
		r.text(o.SQL)
		head := r.head()
		cell := append(appendVarint(appendVarint(nil, uint64(len(head)+r.size)), uint64(i+1)), head...)
		for _, p := range r.parts {
			cell = append(cell, p...)
		}
		if !content.fits(len(cell)) {
			return nil, errors.New("the tables' declarations don't fit into a page")
		}
		content.add(cell)
	}
	content.layout(b, headerSize, tableLeaf, 0)
	return b, nil
}
