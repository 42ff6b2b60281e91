// Package parquet reads columns of Parquet files within bounds, whatever the files claim: strings and integers, plain
// or with a dictionary, uncompressed or with Snappy or zstd, in lists that aren't nested.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of a file, and of a group of rows.
const (
	maxFooter = 16 << 20
	maxRows   = 1 << 17
	maxValues = 1 << 20   // of a column
	maxBytes  = 128 << 20 // of all values that Column hands out
)

// ErrFormat means that a file isn't Parquet, or is damaged.
var ErrFormat = errors.New("not a valid Parquet file")

var errLimit = errors.New("a group of rows is too large")

const magic = "PAR1"

// Is reports whether a file that begins with head may be Parquet.
func Is(head []byte) bool { return strings.HasPrefix(string(head), magic) }

// File is a Parquet file. It isn't safe for concurrent use.
type File struct {
	r       io.ReaderAt
	columns []column
	groups  []value
	bytes   int // handed out of the current group
}

// column is a leaf of the schema.
type column struct {
	path    string
	typ     int64 // physical
	rep     int   // highest level of repetition
	def     int   // level of definition of a value
	element int   // level of definition of an element of the list
}

// Value is a value of a column.
type Value struct {
	Row   int // in the group
	Index int // in the list, -1 if that is empty
	Null  bool
	Int   int64
	Bytes []byte // valid until the next value
}

// Open reads the description of a file.
func Open(r io.ReaderAt, size int64) (*File, error) {
	end := make([]byte, 8)
	if size < 12 {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrFormat, size)
	}
	if _, err := r.ReadAt(end, size-8); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if string(end[4:]) != magic || n > min(maxFooter, size-12) {
		return nil, fmt.Errorf("%w: its end isn't %s after metadata of up to %d bytes", ErrFormat, magic, maxFooter)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	t := thrift{b: footer}
	meta := t.structure(0)
	if t.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, t.err)
	}
	f := &File{r: io.NewSectionReader(r, 0, size), groups: meta.at(4).list}
	schema := meta.at(2).list
	if len(schema) == 0 {
		return nil, fmt.Errorf("%w: there is no schema", ErrFormat)
	}
	if _, err := f.leaves(schema[1:], schema[0].at(5).n, column{}, 0); err != nil {
		return nil, err
	}
	return f, nil
}

// leaves adds the leaves below a node of the schema with n children. It returns the nodes after them.
func (f *File) leaves(nodes []value, n int64, parent column, depth int) (rest []value, err error) {
	for ; n > 0; n-- {
		if len(nodes) == 0 || depth > maxNest {
			return nil, fmt.Errorf("%w: its schema is incomplete", ErrFormat)
		}
		node, c := nodes[0], parent
		nodes = nodes[1:]
		c.path = strings.TrimPrefix(c.path+"."+string(node.at(4).bytes), ".")
		switch node.at(3).n {
		case 1: // optional
			c.def++
		case 2: // repeated
			c.rep, c.def = c.rep+1, c.def+1
			c.element = c.def
		}
		if children := node.at(5).n; children > 0 {
			if nodes, err = f.leaves(nodes, children, c, depth+1); err != nil {
				return nil, err
			}
			continue
		}
		c.typ = node.at(1).n
		f.columns = append(f.columns, c)
	}
	return nodes, nil
}

// Groups returns the number of groups of rows.
func (f *File) Groups() int { return len(f.groups) }

// Begin begins to read a group of rows. The limits are those of one group.
func (f *File) Begin() { f.bytes = 0 }

// Column calls do for all values of a column in a group, a null for an empty list. It does nothing if there is no
// such column.
func (f *File) Column(group int, path string, do func(Value) error) error {
	for i, c := range f.columns {
		if c.path != path {
			continue
		}
		chunks := f.groups[group].at(1).list
		if i >= len(chunks) {
			return fmt.Errorf("%w: group %d has %d columns", ErrFormat, group, len(chunks))
		}
		r := chunkReader{file: f, column: c, meta: chunks[i].at(3), do: do, row: -1}
		if err := r.read(); err != nil {
			return fmt.Errorf("column %s of group %d: %w", path, group, err)
		}
	}
	return nil
}
