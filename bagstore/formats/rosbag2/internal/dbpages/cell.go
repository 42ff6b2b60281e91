package dbpages

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Cell is a row in a leaf.
type Cell struct {
	Index    int   // in its page
	Row      int64 // the row's id
	Columns  []Column
	local    []byte // the first part of the record
	size     int64  // of the record
	overflow uint32 // the page with the rest; 0: there is none
	end      int    // in the page
}

// Column is a value of a row: its type as SQLite numbers them, and where its bytes are in the record.
type Column struct {
	Type      uint64
	off, size int64
}

// Types of values.
const (
	typeNull = 0
	typeReal = 7
	typeZero = 8
	typeOne  = 9
	typeBlob = 12 // the even ones from here on; text has the odd ones
)

// maxColumns bounds what is looked at of a record; tables of rosbag2 have at most 6.
const maxColumns = 16

// IsNull reports whether the value is NULL, as is the column that is an alias of the row id.
func (c Column) IsNull() bool { return c.Type == typeNull }

// IsInt reports whether the value is an integer.
func (c Column) IsInt() bool {
	return c.Type != typeNull && c.Type != typeReal && c.Type <= typeOne
}

// IsBlob reports whether the value is a blob.
func (c Column) IsBlob() bool { return c.Type >= typeBlob && c.Type%2 == 0 }

// IsText reports whether the value is a text.
func (c Column) IsText() bool { return c.Type > typeBlob && c.Type%2 == 1 }

// Size of the value in bytes.
func (c Column) Size() int64 { return c.size }

// EachRow calls each for the rows in a leaf whose cell and record are sound, until it returns
// false, each cell once, whatever refers to it. What the Cell refers to is the page's. number is the page's.
func (f *File) EachRow(page []byte, number uint32, each func(Cell) bool) {
	if at := headAt(number); page[at] == kindLeaf {
		f.eachCell(page, at, each)
	}
}

// eachCell visits the cells of a leaf of which the head begins at an offset.
func (f *File) eachCell(b []byte, at int, each func(Cell) bool) {
	var (
		columns [maxColumns]Column
		offsets [maxPage / 64]uint64
	)
	seen := Set(offsets[:])
	b = b[:f.usable]
	pointers := at + leafHead
	count := min(int(binary.BigEndian.Uint16(b[at+3:])), (f.usable-pointers)/pointerSize)
	for i := range count {
		c := Cell{Index: i, Columns: columns[:0]}
		pos := int(binary.BigEndian.Uint16(b[pointers+pointerSize*i:]))
		if pos < pointers || seen.Has(uint32(pos)) {
			continue
		}
		seen.Add(uint32(pos))
		if !f.cell(b, pos, &c) || !c.record() {
			continue
		}
		if !each(c) {
			return
		}
	}
}

// cell reads the cell at an offset of a page.
func (f *File) cell(b []byte, pos int, c *Cell) bool {
	if pos >= len(b) {
		return false
	}
	size, n := uvarint(b[pos:])
	row, m := uvarint(b[min(pos+n, len(b)):])
	if n == 0 || m == 0 || size > uint64(f.size) {
		return false
	}
	pos += n + m
	local := f.local(int64(size))
	if local > len(b)-pos {
		return false
	}
	c.Row, c.size, c.local, c.end = int64(row), int64(size), b[pos:pos+local], pos+local
	if int64(local) < c.size {
		if len(b)-c.end < nextSize {
			return false
		}
		c.overflow = binary.BigEndian.Uint32(b[c.end:])
		c.end += nextSize
		return c.overflow > 1
	}
	return true
}

// local is how much of a record is in its leaf; the rest is in a chain of pages.
func (f *File) local(size int64) int {
	most, least := f.usable-35, (f.usable-12)*32/255-23
	if size <= int64(most) {
		return int(size)
	}
	if n := least + int((size-int64(least))%int64(f.usable-nextSize)); n <= most {
		return n
	}
	return least
}

// record finds the columns, whose sizes must add up to the record's.
func (c *Cell) record() bool {
	head, n := uvarint(c.local)
	if n == 0 || head < uint64(n) || head > uint64(len(c.local)) {
		return false
	}
	at := int64(head)
	for pos := n; pos < int(head); {
		kind, n := uvarint(c.local[pos:head])
		size := sizeOf(kind)
		if n == 0 || size < 0 || size > c.size-at || len(c.Columns) == maxColumns {
			return false
		}
		c.Columns = append(c.Columns, Column{kind, at, size})
		pos, at = pos+n, at+size
	}
	return at == c.size
}

// sizeOf is how many bytes a value of a type has; -1: there is no such type.
func sizeOf(kind uint64) int64 {
	switch {
	case kind >= typeBlob:
		return int64((kind - typeBlob) / 2)
	case kind > typeOne:
		return -1
	}
	return [...]int64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}[kind]
}

// Int returns the value of a column that IsInt; ok is false if it isn't in the leaf.
func (c *Cell) Int(column int) (v int64, ok bool) {
	col := c.Columns[column]
	switch {
	case col.Type == typeZero, col.Type == typeOne:
		return int64(col.Type - typeZero), true
	case !col.IsInt() || col.off+col.size > int64(len(c.local)):
		return 0, false
	}
	for i, b := range c.local[col.off : col.off+col.size] {
		if i == 0 {
			v = int64(int8(b))
		} else {
			v = v<<8 | int64(b)
		}
	}
	return v, true
}

// Value appends the bytes of a column to what alloc returns for their number. The Cell's page must not
// be r's own. The pages of the chain are checked as far as that can be: each is in the file, and the
// chain ends where the value does. For columns before the last one, no page after the value is read.
func (r *Reader) Value(c *Cell, column int, alloc func(n int) []byte) ([]byte, error) {
	col := c.Columns[column]
	if col.size > math.MaxInt/2 { // a process of 32 bits has no room for more
		return nil, fmt.Errorf("a value of %d bytes", col.size)
	}
	to := alloc(int(col.size))
	skip, want := col.off, col.size
	part := c.local
	next := c.overflow
	left := c.size // of the record, from part on
	last := column == len(c.Columns)-1
	for {
		n := min(int64(len(part)), left)
		if from := min(skip, n); want > 0 {
			take := min(n-from, want)
			to = append(to, part[from:from+take]...)
			skip, want = skip-from, want-take
		}
		if left -= n; left == 0 || want == 0 && !last {
			break
		}
		b, err := r.Page(next)
		if err != nil {
			return nil, err
		}
		part, next = b[nextSize:r.f.usable], binary.BigEndian.Uint32(b)
		if ends := left <= int64(len(part)); ends != (next == 0) {
			return nil, fmt.Errorf("%w: the pages of a value end %d bytes before or after it", ErrDamaged, left)
		}
	}
	return to, nil
}

// uvarint reads a number of 1 to 9 bytes, and how many they are; 0: it is cut off.
func uvarint(b []byte) (v uint64, n int) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return v<<8 | uint64(b[8]), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
