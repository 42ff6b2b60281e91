package sqlite

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync/atomic"
)

const (
	pageSize = 4096 // of what is written; readers accept any
	// lockPage is the page that has lockByte. It holds nothing.
	lockPage = lockByte/pageSize + 1
	// trunkRoom is how many free pages SQLite lists in one page of the list.
	trunkRoom = pageSize/4 - 8
	// reuseAfter is the number of commits for which a replaced page stays, for readers of earlier ones.
	reuseAfter = 64
)

// Output is what a database is written to, which is empty. [disk.Pages] is one. After an error only the caller uses it.
type Output interface {
	// ReadAt reads a page that was written.
	io.ReaderAt
	// Buffer returns memory for consecutive pages, with room for one at least.
	Buffer() []byte
	// Write writes pages at an offset. They are the beginning of the last Buffer, which it takes back.
	Write(pages []byte, off int64) error
	// Wait waits until all pages are in the file.
	Wait() error
	// WriteHead writes page 1.
	WriteHead(page []byte) error
}

// pages are those of a database that is being written. After an error, nothing more is written, and what methods return
// means nothing.
type pages struct {
	f      Output
	err    error         // the first one
	next   atomic.Uint32 // the first page that was never used; any goroutine may read it
	buf    []byte        // consecutive pages that aren't in the file yet, in a Buffer of it; nil: none
	at     uint32        // the first of them
	commit uint64        // number of the commit that comes next
	free   []freePage
	delay  uint64 // commits after which a free page is used again
}

// freePage is a page that no tree uses any more, from a commit on.
type freePage struct {
	page   uint32
	commit uint64
}

func (p *pages) fail(err error) { p.err = cmp.Or(p.err, err) }

// append returns a new page at the end of the file, so that pages that are written one
// after the other follow each other.
func (p *pages) append() uint32 {
	if p.next.Load() == lockPage {
		p.write(lockPage, nil)
		p.next.Add(1)
	}
	if n := p.next.Load(); n == math.MaxUint32 {
		p.fail(fmt.Errorf("the database has %d pages, which is all it can have", n))
		return n
	}
	return p.next.Add(1) - 1
}

// allocate returns a page that nobody looks at, an old one if there is one.
func (p *pages) allocate() uint32 {
	if len(p.free) > 0 && p.free[0].commit+p.delay <= p.commit {
		n := p.free[0].page
		p.free = p.free[1:]
		return n
	}
	return p.append()
}

// release frees a page of the last commit with the next one.
func (p *pages) release(page uint32) {
	if page != 0 {
		p.free = append(p.free, freePage{page, p.commit})
	}
}

// room returns the memory of a page, which must be filled before another page is written.
func (p *pages) room(page uint32) []byte {
	if page != p.at+uint32(len(p.buf)/pageSize) || cap(p.buf)-len(p.buf) < pageSize {
		p.flush()
	}
	if p.err != nil {
		return make([]byte, pageSize)
	}
	if p.buf == nil {
		p.buf, p.at = p.f.Buffer()[:0], page
	}
	n := len(p.buf)
	p.buf = p.buf[:n+pageSize]
	return p.buf[n:]
}

// write writes a page, whose data may be shorter.
func (p *pages) write(page uint32, data []byte) {
	b := p.room(page)
	clear(b[copy(b, data):])
}

func (p *pages) flush() {
	if p.buf != nil && p.err == nil {
		p.fail(p.f.Write(p.buf, int64(p.at-1)*pageSize))
		p.buf = nil
	}
}

func (p *pages) read(page uint32) []byte {
	p.flush()
	b := make([]byte, pageSize)
	if p.err == nil {
		if _, err := p.f.ReadAt(b, int64(page-1)*pageSize); err != nil {
			p.fail(fmt.Errorf("read page %d: %w", page, err))
		}
	}
	return b
}

// chain writes parts into a chain of overflow pages, and returns the first.
func (p *pages) chain(parts [][]byte) (first uint32) {
	rest := 0
	for _, b := range parts {
		rest += len(b)
	}
	first = p.append()
	for this := first; rest > 0 && p.err == nil; {
		next := uint32(0)
		if rest > pageSize-nextSize {
			next = p.append()
		}
		b := p.room(this)
		binary.BigEndian.PutUint32(b, next)
		n := copyParts(b[nextSize:], &parts)
		clear(b[nextSize+n:])
		rest, this = rest-n, next
	}
	return first
}

// copyParts moves bytes from the beginning of parts to the beginning of dst.
func copyParts(dst []byte, parts *[][]byte) (n int) {
	for n < len(dst) && len(*parts) > 0 {
		k := copy(dst[n:], (*parts)[0])
		n += k
		(*parts)[0] = (*parts)[0][k:]
		if len((*parts)[0]) == 0 {
			*parts = (*parts)[1:]
		}
	}
	return n
}

// listFree writes the list of free pages. It returns its first page and the number of free pages.
func (p *pages) listFree() (first uint32, count int) {
	var trunks []uint32
	for len(trunks)*trunkRoom < len(p.free) {
		trunks = append(trunks, p.allocate())
	}
	list := p.free
	for i, t := range trunks {
		var page [pageSize]byte
		n := min(len(list), trunkRoom)
		if i+1 < len(trunks) {
			binary.BigEndian.PutUint32(page[:], trunks[i+1])
		}
		binary.BigEndian.PutUint32(page[4:], uint32(n))
		for k, f := range list[:n] {
			binary.BigEndian.PutUint32(page[8+4*k:], f.page)
		}
		list = list[n:]
		p.write(t, page[:])
	}
	count = len(p.free) + len(trunks)
	p.commit++
	for _, t := range trunks { // the next commit has a list of its own
		p.release(t)
	}
	if len(trunks) > 0 {
		first = trunks[0]
	}
	return first, count
}
