package disk

import (
	"errors"
	"math"
	"os"

	"rsros/program/buffers"
)

// Pages writes a file of pages of [Grain] bytes in any order. It writes through the page cache while
// the file is small, and past it afterwards, several runs of pages at once.
//
// It is for one goroutine, which may hold one Buffer, except that Sync and WriteHead may be called
// from another one. After an error of Write only Finish may be called.
type Pages struct {
	writes
	f      *os.File
	file   *File
	from   int64 // size from which it writes directly
	end    int64 // of the file
	direct bool
	block  []byte // for reads, aligned
	head   []byte // for WriteHead, aligned
}

// PagesBuffer is the size of a Buffer.
const PagesBuffer = stagingSize

// NewPages returns Pages for an empty file, which they write directly once it has from bytes, if that works and pays.
func NewPages(f *os.File, from int64) *Pages {
	file := NewFile(f)
	p := &Pages{f: f, file: file, from: from, block: buffers.Aligned(Grain, Grain), head: buffers.Aligned(Grain, Grain)}
	if grain, err := TryDirect(f); err != nil || grain != Grain {
		p.from = math.MaxInt64
	}
	p.d, p.over.L = file, &p.mu
	p.free = append(p.free, buffers.Aligned(stagingSize, Grain))
	return p
}

// Buffer returns memory for a run of pages, for Write. Its content is undefined.
func (p *Pages) Buffer() []byte { return p.take() }

// Write starts to write run, the beginning of a Buffer, which it takes back, at off.
func (p *Pages) Write(run []byte, off int64) error {
	end := off + int64(len(run))
	p.end = max(p.end, end)
	staging := run[:cap(run)]
	if p.direct {
		p.await(off, end)
		p.start(staging, [][]byte{run}, off, end, nil)
		return p.failed()
	}
	p.free = append(p.free, staging)
	var err error
	if p.Waits.during(func() { err = p.file.Writev([][]byte{run}, off) }); err != nil || p.end < p.from {
		return err
	}
	return p.turn()
}

// turn changes to direct writing, or gives it up. WriteHead may run meanwhile: its memory suits both.
func (p *Pages) turn() error {
	if setMode(p.f, true) != nil {
		p.from = math.MaxInt64
		return setMode(p.f, false)
	}
	p.direct, p.free = true, nil
	p.begin(nil)
	return p.file.Truncate(p.end) // Start must know the size
}

// ReadAt reads one page that was written.
func (p *Pages) ReadAt(page []byte, off int64) (int, error) {
	if err := p.drain(); err != nil {
		return 0, err
	}
	err := p.file.Read(p.block, off)
	return copy(page, p.block), err
}

// Wait waits until everything has been written, though not on the medium.
func (p *Pages) Wait() error { return p.drain() }

// Sync waits until everything written is on the medium.
func (p *Pages) Sync() error { return p.file.Sync() }

// WriteHead writes the first page.
func (p *Pages) WriteHead(page []byte) error {
	copy(p.head, page)
	return p.file.Writev([][]byte{p.head}, 0)
}

// Finish waits until everything has been written and gives back the space reserved ahead, also after an
// error: then the disk may be full. It doesn't close the file.
func (p *Pages) Finish() error {
	err := p.drain()
	if p.direct {
		err = errors.Join(err, p.file.Truncate(p.end))
	}
	return errors.Join(err, p.file.Close())
}
