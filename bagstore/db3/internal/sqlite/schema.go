package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Object is a table, index, view or trigger, as the schema describes it.
type Object struct {
	Kind string // "table", "index", "view", "trigger"
	Name string
	Root uint32 // 0: it has no pages
	SQL  string // empty: SQLite made it for itself
}

const (
	maxObjects = 1 << 16
	maxName    = 1000
	maxSQL     = 64 << 10
	maxSchema  = 16 << 20 // of all names and declarations
)

// Schema lists what the database has, as far as that can be read. The error is ErrDamaged if there may be more, or
// a declaration is malformed.
func (f *File) Schema() (list []Object, err error) {
	r := f.NewPageReader()
	var lost error
	size := 0
	err = f.Rows(1, func(c *Cell) error {
		o, err := r.object(c)
		if err != nil {
			lost = fmt.Errorf("%w: the schema's row %d: %w", ErrDamaged, c.Row, err)
			return nil
		}
		if _, err := parseTable(o.Name, o.SQL); o.Kind == "table" && errors.Is(err, ErrDamaged) {
			lost = fmt.Errorf("%w: that of %s", err, o.Name)
		}
		list = append(list, o)
		if size += len(o.Name) + len(o.SQL); size > maxSchema || len(list) > maxObjects {
			return errSchema
		}
		return nil
	})
	return list, cmp.Or(err, lost)
}

// object takes a row of the schema: type, name, tbl_name, rootpage, sql.
func (r *Reader) object(c *Cell) (o Object, err error) {
	if len(c.Columns) != 5 {
		return o, fmt.Errorf("it has %d columns, not 5", len(c.Columns))
	}
	for i, to := range []*string{&o.Kind, &o.Name, nil, nil, &o.SQL} {
		if to == nil {
			continue
		}
		most := int64(maxName)
		if to == &o.SQL {
			most = maxSQL
		}
		if *to, err = r.Text(c, i, most); err != nil {
			return o, err
		}
	}
	if root, ok := r.Int(c, 3); ok && root > 0 && root <= int64(r.f.count) {
		o.Root = uint32(root)
	}
	return o, nil
}

type Table struct {
	Root    uint32
	Columns []TableColumn
}

type TableColumn struct {
	Name      string // in lower case
	Generated bool   // computed, and not always stored
	missing   Column // the value in rows that were written before the column was added
}

// Table takes an object for a table. ok is false if it is none that has rows with numbers.
func (o *Object) Table() (t *Table, ok bool) {
	if o.Kind != "table" {
		return nil, false
	}
	columns, err := parseTable(o.Name, o.SQL)
	return &Table{o.Root, columns}, err == nil
}

// Find returns the table with a name; nil if there is none that has rows with numbers.
func Find(list []Object, name string) *Table {
	for i := range list {
		if strings.EqualFold(list[i].Name, name) {
			if t, ok := list[i].Table(); ok {
				return t
			}
		}
	}
	return nil
}

func (t *Table) Index(name string) int {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// Complete adds the columns to a row that were added to the table after it.
func (t *Table) Complete(c *Cell) {
	for n := len(c.Columns); n < len(t.Columns); n++ {
		c.Columns = append(c.Columns, t.Columns[n].missing)
	}
}
