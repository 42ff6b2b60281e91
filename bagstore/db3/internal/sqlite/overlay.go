package sqlite

import (
	"fmt"
	"io"
)

// Overlay is an [io.ReaderAt] of a database with some pages replaced by those of a journal or log.
type Overlay struct {
	db, side io.ReaderAt
	page     int64
	pages    map[uint32]int64 // offsets of pages in side
	dbSize   int64
	size     int64 // with the pages of side
}

func newOverlay(db io.ReaderAt, size int64, side io.ReaderAt) *Overlay {
	return &Overlay{db: db, side: side, dbSize: size, size: size, pages: make(map[uint32]int64)}
}

func (o *Overlay) setPage(size uint32) error {
	if size < 512 || size > 64<<10 || size&(size-1) != 0 {
		return fmt.Errorf("pages of %d bytes", size)
	}
	o.page = int64(size)
	return nil
}

// possible returns an error if a database of so many pages isn't made of those that there are.
func (o *Overlay) possible(pages uint32) error {
	const locks = 1 // SQLite leaves out the page with the locks
	if have := (o.dbSize+o.page-1)/o.page + int64(len(o.pages)) + locks; int64(pages) > have {
		return fmt.Errorf("a database of %d pages, %d are there", pages, have)
	}
	return nil
}

func (o *Overlay) Size() int64 { return o.size }

func (o *Overlay) Pages() int { return len(o.pages) }

func (o *Overlay) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < o.size {
		number, in := uint32(off/o.page)+1, off%o.page
		part := p[n:min(int64(len(p)), int64(n)+o.page-in)]
		r, at := o.db, off
		if taken, ok := o.pages[number]; ok {
			r, at = o.side, taken+in
		}
		k, err := readAt(r, part, at)
		n, off = n+k, off+int64(k)
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readAt is r.ReadAt without the EOF of a read that was whole.
func readAt(r io.ReaderAt, p []byte, off int64) (int, error) {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		err = nil
	}
	return n, err
}
