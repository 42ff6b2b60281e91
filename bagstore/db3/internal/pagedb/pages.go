package pagedb

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync/atomic"
)

const (
	pageSize = 4096
	// lockPage is where SQLite locks bytes of the file, at 1 GiB. It holds nothing.
	lockPage = 0x40000000/pageSize + 1
	// trunkRoom is how many free pages SQLite lists in one page of the list.
	trunkRoom = pageSize/4 - 8
)

const (
	// reuseAfter is the number of commits for which a replaced page stays, for readers of earlier ones.
	reuseAfter = 64
)

// File is what a database is written to, which is empty. [disk.Pages] is one.
type File interface {
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

type pages struct {
	f      File
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

// append returns a new page at the end of the file, so that pages that are written one
// after the other follow each other.
func (p *pages) append() (uint32, error) {
	if p.next.Load() == lockPage {
		if err := p.write(lockPage, make([]byte, pageSize)); err != nil {
			return 0, err
		}
		p.next.Add(1)
	}
	if n := p.next.Load(); n == math.MaxUint32 {
		return 0, fmt.Errorf("the database has %d pages, which is all it can have", n)
	}
	return p.next.Add(1) - 1, nil
}

// allocate returns a page that nobody looks at, an old one if there is one.
func (p *pages) allocate() (uint32, error) {
	if len(p.free) > 0 && p.free[0].commit+p.delay <= p.commit {
		n := p.free[0].page
		p.free = p.free[1:]
		return n, nil
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
func (p *pages) room(page uint32) ([]byte, error) {
	if page != p.at+uint32(len(p.buf)/pageSize) || cap(p.buf)-len(p.buf) < pageSize {
		if err := p.flush(); err != nil {
			return nil, err
		}
	}
	if p.buf == nil {
		p.buf, p.at = p.f.Buffer()[:0], page
	}
	n := len(p.buf)
	p.buf = p.buf[:n+pageSize]
	return p.buf[n:], nil
}

func (p *pages) write(page uint32, data []byte) error {
	b, err := p.room(page)
	if err == nil {
		clear(b[copy(b, data):])
	}
	return err
}

func (p *pages) flush() error {
	if p.buf == nil {
		return nil
	}
	err := p.f.Write(p.buf, int64(p.at-1)*pageSize)
	p.buf = nil
	return err
}

func (p *pages) read(page uint32) ([]byte, error) {
	if err := p.flush(); err != nil {
		return nil, err
	}
	b := make([]byte, pageSize)
	_, err := p.f.ReadAt(b, int64(page-1)*pageSize)
	return b, err
}

// chain writes parts into a chain of overflow pages, and returns the first.
func (p *pages) chain(parts [][]byte) (first uint32, err error) {
	rest := 0
	for _, b := range parts {
		rest += len(b)
	}
	this, err := p.append()
	for first = this; err == nil; {
		next := uint32(0)
		if rest > pageSize-4 {
			if next, err = p.append(); err != nil {
				break
			}
		}
		var b []byte
		if b, err = p.room(this); err != nil {
			break
		}
		binary.BigEndian.PutUint32(b, next)
		n := copyParts(b[4:], &parts)
		clear(b[4+n:])
		if rest -= n; rest == 0 {
			break
		}
		this = next
	}
	return first, err
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
func (p *pages) listFree() (first uint32, count int, err error) {
	var trunks []uint32
	for len(trunks)*trunkRoom < len(p.free) {
		t, err := p.allocate()
		if err != nil {
			return 0, 0, err
		}
		trunks = append(trunks, t)
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
		if err := p.write(t, page[:]); err != nil {
			return 0, 0, err
		}
	}
	count = len(p.free) + len(trunks)
	p.commit++
	for _, t := range trunks { // the next commit has a list of its own
		p.release(t)
	}
	if len(trunks) > 0 {
		first = trunks[0]
	}
	return first, count, nil
}
