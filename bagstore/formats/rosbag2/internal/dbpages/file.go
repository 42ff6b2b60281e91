package dbpages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Wire constants of the format.
const (
	headerSize   = 100 // of the database, at the beginning of page 1
	minPage      = 512
	maxPage      = 64 << 10
	usualPage    = 4096
	kindInterior = 5
	kindLeaf     = 13
	leafHead     = 8
	interiorHead = 12
	pointerSize  = 2
	nextSize     = 4 // of the number of the next page of a chain
)

// ErrDamaged: a page isn't what leads to it says.
var ErrDamaged = errors.New("the database is damaged")

// File is the pages of a database.
type File struct {
	r      io.ReaderAt
	size   int64
	page   int    // bytes of a page
	usable int    // of them
	count  uint32 // whole pages that are there
	header bool   // the database's header can be believed
}

// Open looks at the pages of a database, of which the header may be damaged. It returns nil if there
// isn't a page.
func Open(r io.ReaderAt, size int64) *File {
	f := &File{r: r, size: size, page: usualPage, usable: usualPage}
	head := make([]byte, headerSize)
	if n, _ := r.ReadAt(head, 0); n == len(head) {
		f.readHeader(head)
	}
	if !f.header || f.score(f.page, 1) == 0 {
		f.guess()
	}
	f.count = uint32(min(size/int64(f.page), math.MaxUint32-1))
	if f.count == 0 {
		return nil
	}
	return f
}

// readHeader takes the size of pages from the header, if it has one.
func (f *File) readHeader(head []byte) {
	page := int(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = maxPage
	}
	reserved := int(head[20])
	f.header = string(head[:15]) == "SQLite format 3" && page >= minPage && page&(page-1) == 0 && page-reserved >= 480
	if f.header {
		f.page, f.usable = page, page-reserved
	}
}

// sampleBytes is how much of a file without a header is looked at for the size of its pages.
const sampleBytes = 64 << 20

// guess finds the size of pages with which most bytes are leaves.
func (f *File) guess() {
	best := 0
	for page := minPage; page <= maxPage; page *= 2 {
		if n := f.score(page, math.MaxInt) * page; n > best {
			best, f.page, f.usable = n, page, page
		}
	}
}

// score counts the leaves that a file has if its pages have a size, until there are enough. What a page
// has begins or ends where the page does.
func (f *File) score(page, enough int) (leaves int) {
	as := *f
	if page != f.page {
		as.page, as.usable = page, page
	}
	as.count = uint32(min(f.size, sampleBytes) / int64(page))
	r := as.NewReader()
	for n := uint32(1); n <= as.count && leaves < enough; n++ {
		b, err := r.Page(n)
		if err != nil {
			return leaves
		}
		if at := headAt(n); b[at] == kindLeaf && as.fills(b, at) {
			leaves++
		}
	}
	return leaves
}

// fills reports whether the cells of a leaf are whole and reach its end.
func (f *File) fills(b []byte, at int) bool {
	end, cells := 0, 0
	f.eachCell(b, at, func(c Cell) bool {
		end, cells = max(end, c.end), cells+1
		return true
	})
	// Cells of less than 4 bytes take 4, and bytes that are too few for a cell are left over.
	return cells > 0 && cells == int(binary.BigEndian.Uint16(b[at+3:])) && end > f.usable-4
}

// headAt is where the head of a page begins.
func headAt(number uint32) int {
	if number == 1 {
		return headerSize
	}
	return 0
}

// Pages is how many pages the file has.
func (f *File) Pages() uint32 { return f.count }

// windowBytes is what a Reader reads at once: pages of a chain mostly follow each other.
const windowBytes = 64 << 10

// Reader reads pages.
type Reader struct {
	f     *File
	ahead uint32 // pages to be read at once
	first uint32
	buf   []byte // pages from first on
	// Pages that are read alone, from one up to another: something among them can't be read.
	alone, together uint32
}

// NewReader returns a reader of pages that mostly follow each other.
func (f *File) NewReader() *Reader { return f.newReader(windowBytes) }

// NewPageReader returns a reader of pages that are anywhere.
func (f *File) NewPageReader() *Reader { return f.newReader(f.page) }

func (f *File) newReader(window int) *Reader {
	return &Reader{f: f, ahead: uint32(max(1, window/f.page))}
}

// Page returns a page, which is valid until the next call. Numbers count from 1. Pages beside it that can't be
// read are no error.
func (r *Reader) Page(number uint32) ([]byte, error) {
	f := r.f
	if number < 1 || number > f.count {
		return nil, fmt.Errorf("%w: page %d of %d", ErrDamaged, number, f.count)
	}
	if have := uint32(len(r.buf) / f.page); number < r.first || number-r.first >= have {
		n := min(r.ahead, f.count-number+1)
		if number >= r.alone && number < r.together {
			n = 1
		}
		err := r.read(number, n)
		if err != nil && n > 1 {
			r.alone, r.together = number, number+n
			err = r.read(number, 1)
		}
		if err != nil {
			return nil, fmt.Errorf("read page %d: %w", number, err)
		}
	}
	at := int(number-r.first) * f.page
	return r.buf[at : at+f.page], nil
}

// read fills the buffer with pages.
func (r *Reader) read(first, n uint32) error {
	page := r.f.page
	if r.buf == nil {
		r.buf = make([]byte, int(r.ahead)*page)
	}
	r.buf, r.first = r.buf[:int(n)*page], first
	got, err := r.f.r.ReadAt(r.buf, int64(first-1)*int64(page))
	if got == len(r.buf) {
		return nil
	}
	r.buf = r.buf[:0]
	return err
}
