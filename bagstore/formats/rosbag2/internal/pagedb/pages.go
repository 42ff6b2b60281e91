package pagedb

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

const (
	pageSize = 4096
	// lockPage is where SQLite locks bytes of the file, at 1 GiB. It holds nothing.
	lockPage = 0x40000000/pageSize + 1
	// trunkRoom is how many free pages SQLite lists in one page of the list.
	trunkRoom = pageSize/4 - 8
)

const (
	// reuseAfter is the number of commits for which a replaced page stays, for readers of earlier
	// ones.
	reuseAfter = 64
	// flushBytes is how much is collected before it goes to the file.
	flushBytes = 1 << 20
)

// File is what a database is written to. Its beginning is empty.
type File interface {
	io.ReaderAt
	io.WriterAt
}

type pages struct {
	f      File
	next   uint32 // the first page that was never used
	buf    []byte // consecutive pages that aren't in the file yet
	at     uint32 // the first of them
	commit uint64 // number of the commit that comes next
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
	if p.next == lockPage {
		if err := p.write(p.next, make([]byte, pageSize)); err != nil {
			return 0, err
		}
		p.next++
	}
	if p.next == math.MaxUint32 {
		return 0, fmt.Errorf("the database has %d pages, which is all it can have", p.next)
	}
	p.next++
	return p.next - 1, nil
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

func (p *pages) write(page uint32, data []byte) error {
	if page != p.at+uint32(len(p.buf)/pageSize) || len(p.buf) >= flushBytes {
		if err := p.flush(); err != nil {
			return err
		}
		p.at = page
	}
	p.buf = append(p.buf, data...)
	p.buf = append(p.buf, zeros[:pageSize-len(data)]...)
	return nil
}

var zeros [pageSize]byte

func (p *pages) flush() error {
	if len(p.buf) == 0 {
		return nil
	}
	_, err := p.f.WriteAt(p.buf, int64(p.at-1)*pageSize)
	p.buf = p.buf[:0]
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
func (p *pages) chain(parts [][]byte) (uint32, error) {
	var first uint32
	var page [pageSize]byte
	rest := 0
	for _, b := range parts {
		rest += len(b)
	}
	this, err := p.append()
	for first = this; err == nil; {
		n := copyParts(page[4:], &parts)
		rest -= n
		next := uint32(0)
		if rest > 0 {
			if next, err = p.append(); err != nil {
				break
			}
		}
		binary.BigEndian.PutUint32(page[:], next)
		if err = p.write(this, page[:4+n]); err != nil || rest == 0 {
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
