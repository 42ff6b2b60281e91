package dbpages

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
	Of   string // the table that an index belongs to
	Root uint32 // 0: it has no pages
	SQL  string // empty: SQLite made it for itself
}

const (
	maxObjects = 1 << 16
	maxName    = 1000
	maxSQL     = 64 << 10
	maxSchema  = 16 << 20 // of all names and declarations
)

// errSchema is what no recorder writes.
var errSchema = errors.New("the schema is too large")

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
		if err := o.check(); err != nil {
			lost = fmt.Errorf("%w: that of %s", err, o.Name)
		}
		list = append(list, o)
		if size += len(o.Name) + len(o.Of) + len(o.SQL); size > maxSchema || len(list) > maxObjects {
			return errSchema
		}
		return nil
	})
	return list, cmp.Or(err, lost)
}

// check looks for a declaration that SQLite would refuse.
func (o *Object) check() (err error) {
	switch o.Kind {
	case "table":
		_, err = parseTable(o.Name, o.SQL)
	case "index":
		_, err = parseIndex(o.Name, o.SQL)
	case "view", "trigger":
	default:
		return errMalformed
	}
	if errors.Is(err, ErrDamaged) {
		return err
	}
	return nil
}

// object takes a row of the schema: type, name, tbl_name, rootpage, sql.
func (r *Reader) object(c *Cell) (o Object, err error) {
	if len(c.Columns) != 5 {
		return o, fmt.Errorf("it has %d columns, not 5", len(c.Columns))
	}
	for i, to := range []*string{&o.Kind, &o.Name, &o.Of, nil, &o.SQL} {
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
	integer   bool   // numbers are stored as integers, in the row itself
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
