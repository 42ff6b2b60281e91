package sqlite

import "encoding/binary"

// Cell is a row of a table, or an entry of a page above its leaves.
type Cell struct {
	Page    uint32
	Index   int   // in its page
	Row     int64 // the row's number; in a page above leaves the last one below the cell
	Columns []Column

	pos, end int                // in the page
	child    uint32             // the page below; 0: the page is a leaf
	local    []byte             // the first part of the record
	size     int64              // of the record
	values   int64              // where its values end, which is its end unless it is damaged
	overflow uint32             // the page with the rest; 0: there is none
	array    [maxColumns]Column // of Columns
}

// Column is a value of a row: its type as SQLite numbers them, and where its bytes are.
type Column struct {
	Type      uint64
	off, size int64  // in the record
	added     []byte // the value itself: the column was added to the table after the row
}

const (
	typeNull  = 0
	typeInt64 = 6
	typeReal  = 7
	typeZero  = 8
	typeOne   = 9
	typeBlob  = 12 // the even ones from here on, with twice the length
	typeText  = 13 // the odd ones
)

// maxColumns bounds what is looked at of a record; tables of rosbag2 have at most 6.
const maxColumns = 64

// IsNull reports whether the value is NULL, as is the column that is an alias of the row's number.
func (c Column) IsNull() bool { return c.Type == typeNull }

func (c Column) IsInt() bool { return c.Type != typeNull && c.Type != typeReal && c.Type <= typeOne }

func (c Column) IsBlob() bool { return c.Type >= typeBlob && c.Type%2 == 0 }

func (c Column) IsText() bool { return c.Type >= typeText && c.Type%2 == 1 }

func (c Column) Size() int64 { return c.size }

// Fits reports whether the values fill the row, and the file has room for it and a page with its rest.
func (f *File) Fits(c *Cell) bool {
	whole := c.size == int64(len(c.local)) || c.overflow > 1 && c.overflow <= f.count
	return c.size == c.values && c.size <= f.size && whole
}

type scratch struct {
	cell Cell
	seen Set // offsets
}

// EachRow calls each for the whole rows of a leaf until it returns false, for each cell once. The Cell is valid during
// the call. sound is whether all cells are whole, each in its own place, and each never returned false.
func (f *File) EachRow(page []byte, number uint32, each func(*Cell) bool) (sound bool) {
	if page[headAt(number)] != kindLeaf {
		return false
	}
	s, ok := f.cells.Get().(*scratch)
	if !ok {
		s = &scratch{seen: make(Set, f.page/64)}
	}
	defer f.cells.Put(s)
	clear(s.seen)
	count, sound := f.cellCount(page, number)
	for i := range count {
		ok := f.decode(page, number, i, &s.cell) && s.cell.record()
		pos := uint32(s.cell.pos)
		ok = ok && !s.seen.Has(pos)
		s.seen.Add(pos)
		if !ok {
			sound = false
			continue
		}
		if !each(&s.cell) {
			return false
		}
	}
	return sound
}

// Row reads one row of a leaf.
func (f *File) Row(page []byte, number uint32, index int, c *Cell) bool {
	count, _ := f.cellCount(page, number)
	return page[headAt(number)] == kindLeaf && index < count && f.decode(page, number, index, c) && c.record()
}

// pointersAt is where the pointers to the cells of a page of a tree begin.
func pointersAt(page []byte, number uint32) int {
	at := headAt(number)
	if page[at] == kindInterior {
		return at + interiorHead
	}
	return at + leafHead
}

// cellCount is how many cells a page has; sound is false if its head counts more than it has room for.
func (f *File) cellCount(page []byte, number uint32) (count int, sound bool) {
	count = int(binary.BigEndian.Uint16(page[headAt(number)+3:]))
	if most := (f.usable - pointersAt(page, number)) / pointerSize; count > most {
		return most, false
	}
	return count, true
}

const (
	maxPayload = 1<<31 - 1 // bytes of a record, the most that SQLite writes
	minCell    = 4         // bytes that a cell takes
)

// decode reads the cell with an index, but for its columns.
func (f *File) decode(page []byte, number uint32, index int, c *Cell) bool {
	be, b := binary.BigEndian, page[:f.usable]
	kind, pointers := b[headAt(number)], pointersAt(b, number)
	at := int(be.Uint16(b[pointers+pointerSize*index:]))
	c.Page, c.Index, c.pos, c.child = number, index, at, 0
	if at < pointers || at > len(b)-minCell {
		return false
	}
	size, n := uint64(0), 0
	if kind == kindInterior {
		c.child = be.Uint32(b[at:])
		at += nextSize
	} else {
		if size, n = uvarint(b[at:]); n == 0 || size > maxPayload {
			return false
		}
		at += n
	}
	row, n := uvarint(b[at:])
	if n == 0 {
		return false
	}
	at += n
	local := localSize(int64(size), f.usable)
	if local > len(b)-at {
		return false
	}
	c.Row, c.size, c.local, c.end, c.overflow = int64(row), int64(size), b[at:at+local], at+local, 0
	if int64(local) < c.size {
		if len(b)-c.end < nextSize {
			return false
		}
		c.overflow = be.Uint32(b[c.end:])
		c.end += nextSize
	}
	return true
}

// localSize returns how many bytes of a row's record are in its page, which has usable bytes. The rest is in a chain of
// pages.
func localSize(size int64, usable int) int {
	most, least := usable-35, (usable-12)*32/255-23
	if size <= int64(most) {
		return int(size)
	}
	if n := least + int((size-int64(least))%int64(usable-nextSize)); n <= most {
		return n
	}
	return least
}

// record finds the columns, which must be in the record.
func (c *Cell) record() bool {
	c.Columns = c.array[:0]
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
		c.Columns = append(c.Columns, Column{Type: kind, off: at, size: size})
		pos, at = pos+n, at+size
	}
	c.values = at
	return true
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
	col := &c.Columns[column]
	bytes := col.added
	switch {
	case col.Type == typeZero, col.Type == typeOne:
		return int64(col.Type - typeZero), true
	case !col.IsInt():
		return 0, false
	case bytes != nil:
	case col.off+col.size > int64(len(c.local)):
		return 0, false
	default:
		bytes = c.local[col.off : col.off+col.size]
	}
	return intOf(bytes), true
}

func intOf(bytes []byte) (v int64) {
	for i, b := range bytes {
		if i == 0 {
			v = int64(int8(b))
		} else {
			v = v<<8 | int64(b)
		}
	}
	return v
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
