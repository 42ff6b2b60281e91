package sqlite

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
)

// Value appends the bytes of a column to what alloc returns for their number. The Cell's page must not be r's own. A
// value that the file has no room for is an error before anything is allocated. The pages of the chain are checked as
// far as that can be: each is in the file, and the chain ends where the record does. No page after the value is read
// unless the value is the record's last.
func (r *Reader) Value(c *Cell, column int, alloc func(n int) []byte) ([]byte, error) {
	col := &c.Columns[column]
	if col.added != nil {
		return append(alloc(len(col.added)), col.added...), nil
	}
	if c.values != c.size {
		return nil, fmt.Errorf("%w: values of %d bytes in a row of %d", ErrDamaged, c.values, c.size)
	}
	if col.size > r.f.size || col.size > math.MaxInt/2 { // a process of 32 bits has no room for more
		return nil, fmt.Errorf("%w: a value of %d bytes in a file of %d", ErrDamaged, col.size, r.f.size)
	}
	to := alloc(int(col.size))
	skip, want := col.off, col.size
	part := c.local
	next := c.overflow
	left := c.size // of the record, from part on
	last := col.off+col.size == c.size
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

// maxFar bounds how many times the size of the file a Reader reads for integers that aren't in their leaf: any number
// of rows may refer to the same pages.
const maxFar = 16

// Int returns the value of a column, wherever it is; ok is false if it is no integer, or is lost.
func (r *Reader) Int(c *Cell, column int) (v int64, ok bool) {
	if v, ok = c.Int(column); ok || !c.Columns[column].IsInt() {
		return v, ok
	}
	if r.far += c.Columns[column].off; r.far/maxFar > r.f.size {
		return 0, false
	}
	b, err := r.Value(c, column, func(n int) []byte { return make([]byte, 0, n) })
	return intOf(b), err == nil
}

// Text returns the value of a column as text in UTF-8; empty if it is NULL. One of more bytes than most is an error.
func (r *Reader) Text(c *Cell, column int, most int64) (string, error) {
	col := &c.Columns[column]
	switch {
	case col.IsNull():
		return "", nil
	case col.IsInt():
		v, _ := r.Int(c, column)
		return strconv.FormatInt(v, 10), nil
	case col.size > most:
		return "", fmt.Errorf("a text of %d bytes, expected at most %d", col.size, most)
	}
	b, err := r.Value(c, column, func(n int) []byte { return make([]byte, 0, n) })
	if order := r.f.utf16(); order != nil && col.IsText() && col.added == nil {
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = order.Uint16(b[2*i:])
		}
		return string(utf16.Decode(units)), err
	}
	return string(b), err
}

// utf16 is the byte order of texts; nil if they are in UTF-8.
func (f *File) utf16() binary.ByteOrder {
	if f.head != nil {
		switch f.head[59] & 3 { // the lowest byte of four
		case 2:
			return binary.LittleEndian
		case 3:
			return binary.BigEndian
		}
	}
	return nil
}
