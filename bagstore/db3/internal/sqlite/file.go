package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
)

const (
	headerSize = 100 // of the database, at the beginning of page 1
	minPage    = 512
	minUsable  = 480
	maxPage    = 64 << 10

	// The kinds of pages of trees.
	kindIndexInterior = 2
	kindInterior      = 5
	kindIndexLeaf     = 10
	kindLeaf          = 13

	leafHead     = 8
	interiorHead = 12
	lastChild    = 8 // where the head of a page above leaves has the last page below it
	pointerSize  = 2
	nextSize     = 4       // of the number of the next page of a chain
	readVersion  = 2       // of the format; 1 is a rollback journal, 2 is a write-ahead log
	lockByte     = 1 << 30 // SQLite locks it, and keeps nothing in its page

	payloadFractions = "\x40\x20\x20"
)

const magic = "SQLite format 3\x00"

func Is(head []byte) bool { return len(head) >= len(magic) && string(head[:len(magic)]) == magic }

type File struct {
	// Fetch, if set, is called with the ranges of the file that are about to be read, so that reading can begin for all
	// of them: the pages of a tree are scattered.
	Fetch func(off, n int64)

	r      io.ReaderAt
	size   int64
	page   int    // bytes of a page
	usable int    // of them
	count  uint32 // whole pages that are there
	head   []byte // the database's header; nil if it can't be believed
	cells  sync.Pool
}

// Open opens a database, which must not change. A database that was cut off reads as far as it is there. The error is
// ErrNotDatabase.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	if err := f.readHeader(); err != nil {
		return nil, err
	}
	return f, nil
}

// OpenDamaged opens a database whose header may be damaged. It returns nil if there isn't a page.
func OpenDamaged(r io.ReaderAt, size int64) *File {
	f := &File{r: r, size: size}
	if f.readHeader() != nil || f.score(math.MaxUint32, 1) == 0 {
		f = guess(r, size)
	}
	if f.count == 0 {
		return nil
	}
	return f
}

func (f *File) setPage(page, reserved int) {
	f.page, f.usable = page, page-reserved
	f.count = uint32(min(f.size/int64(page), math.MaxUint32-1))
}

func (f *File) readHeader() error {
	head := make([]byte, headerSize)
	if n, err := f.r.ReadAt(head, 0); n < len(head) && errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the file has only %d bytes", ErrNotDatabase, n)
	} else if n < len(head) {
		return fmt.Errorf("%w: header: %w", ErrNotDatabase, err)
	}
	page := int(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = maxPage
	}
	reserved := int(head[20])
	if !Is(head) || page < minPage || page&(page-1) != 0 || page-reserved < minUsable {
		return ErrNotDatabase
	}
	if head[19] > readVersion || string(head[21:24]) != payloadFractions {
		return fmt.Errorf("%w: its format isn't that of SQLite 3", ErrNotDatabase)
	}
	f.head = head
	f.setPage(page, reserved)
	return nil
}

// claimed is the number of pages in the header; 0 if it isn't valid.
func (f *File) claimed() uint32 {
	be := binary.BigEndian
	if f.head == nil || be.Uint32(f.head[24:]) != be.Uint32(f.head[92:]) {
		return 0 // a program before SQLite 3.7 wrote it last
	}
	return be.Uint32(f.head[28:])
}

// Missing is how many bytes the database's header counts that aren't there.
func (f *File) Missing() int64 { return max(0, int64(f.claimed())*int64(f.page)-f.size) }

// sampleBytes is how much of a file without a header is looked at for the size of its pages.
const sampleBytes = 64 << 20

// guess opens a file with the size of pages with which most bytes are leaves.
func guess(r io.ReaderAt, size int64) *File {
	best, most := &File{r: r, size: size}, 0
	best.setPage(pageSize, 0)
	for page := minPage; page <= maxPage; page *= 2 {
		f := &File{r: r, size: size}
		f.setPage(page, 0)
		if n := f.score(uint32(sampleBytes/page), math.MaxInt) * page; n > most {
			best, most = f, n
		}
	}
	return best
}

// score counts the leaves in the first pages, until there are enough. What a page has begins or ends where the page
// does.
func (f *File) score(pages uint32, enough int) (leaves int) {
	r := f.NewReader()
	for n := uint32(1); n <= min(pages, f.count) && leaves < enough; n++ {
		b, err := r.Page(n)
		if err != nil {
			return leaves
		}
		if at := headAt(n); b[at] == kindLeaf && f.fills(b, n) {
			leaves++
		}
	}
	return leaves
}

// fills reports whether the cells of a leaf are whole and reach its end.
func (f *File) fills(b []byte, number uint32) bool {
	end, cells := 0, 0
	sound := f.EachRow(b, number, func(c *Cell) bool {
		end, cells = max(end, c.end), cells+1
		return f.Fits(c)
	})
	// Cells of less than 4 bytes take 4, and bytes that are too few for a cell are left over.
	return sound && cells > 0 && end > f.usable-4
}

func headAt(number uint32) int {
	if number == 1 {
		return headerSize
	}
	return 0
}

func (f *File) Pages() uint32 { return f.count }

// Offset returns where a page begins in the file.
func (f *File) Offset(page uint32) int64 { return int64(page-1) * int64(f.page) }

// windowBytes is what a Reader reads at once: pages of a chain mostly follow each other.
const windowBytes = 64 << 10

type Reader struct {
	f      *File
	window uint32 // pages that there is room for
	ahead  uint32 // pages to be read at once
	first  uint32
	buf    []byte // pages from first on
	far    int64  // bytes that were read for integers
	// Pages that are read alone, from one up to another: something among them can't be read.
	alone, together uint32
}

// NewReader returns a reader of pages that mostly follow each other.
func (f *File) NewReader() *Reader { return f.newReader(windowBytes) }

// NewPageReader returns a reader of pages that are anywhere.
func (f *File) NewPageReader() *Reader { return f.newReader(f.page) }

func (f *File) newReader(window int) *Reader {
	n := uint32(max(1, window/f.page))
	return &Reader{f: f, window: n, ahead: n}
}

// Page returns a page, which is valid until the next call. Numbers count from 1. Neighbouring pages that
// can't be read are no error.
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

func (r *Reader) read(first, n uint32) error {
	page := r.f.page
	if r.buf == nil {
		r.buf = make([]byte, int(r.window)*page)
	}
	r.buf, r.first = r.buf[:int(n)*page], first
	got, err := r.f.r.ReadAt(r.buf, int64(first-1)*int64(page))
	if got == len(r.buf) {
		return nil
	}
	r.buf = r.buf[:0]
	return err
}
