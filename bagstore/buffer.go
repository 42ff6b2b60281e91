package bagstore

import (
	"sync"
	"sync/atomic"

	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/record"
)

// buffer is reference-counted memory: from a pool, borrowed from the read-ahead, or mapped.
type buffer struct {
	bytes   []byte
	refs    atomic.Int32
	pool    *bufferPool // nil: borrowed or mapped
	loan    disk.Loan   // of bytes, if borrowed
	mapping []byte      // the pages that contain bytes, if mapped
}

// retain adds a reference; a new buffer has none.
func (b *buffer) retain() *buffer {
	b.refs.Add(1)
	return b
}

func (b *buffer) release() {
	switch n := b.refs.Add(-1); {
	case n == 0 && b.mapping != nil:
		disk.Unmap(b.mapping)
	case n == 0 && b.pool == nil:
		b.loan.Release()
	case n == 0:
		b.pool.put(b)
	case n < 0:
		panic("bagstore: buffer released twice")
	}
}

// Message is the message that an iterator visits.
type Message struct {
	Bag  int // index of the bag in the view
	Conn *Connection
	Time Time
	// Data is the serialized message. It is valid until the iterator moves, or until
	// the Buffer that Retain returned is released. The caller must not change it.
	Data []byte

	block *buffer
	at    int64 // offset of Data in the bag's file; 0: it is not there verbatim
}

// Retain keeps Data valid until the returned Buffer is released.
func (m Message) Retain() Buffer {
	if m.block == nil {
		return Buffer{}
	}
	return Buffer{m.block.retain()}
}

// Buffer is a reference to a message's memory, which Release must end once, from any goroutine.
type Buffer struct{ b *buffer }

// Release drops the reference.
func (b Buffer) Release() {
	if b.b != nil {
		b.b.release()
	}
}

// Limits of a pool. Small buffers are cheap to allocate and numerous; they would displace large
// ones, whose pages are expensive to fault in.
const (
	poolBuffers = 8
	poolBytes   = 16 << 20
	poolLeast   = 16 << 10
)

// bufferPool keeps a few free buffers, so that reading a whole bag allocates only a few.
type bufferPool struct {
	mu    sync.Mutex
	free  []*buffer
	bytes int
}

// get returns a buffer of n bytes with one reference; its content is undefined.
func (p *bufferPool) get(n int) *buffer {
	b := p.take(n)
	if b == nil {
		// The spare room is for the next message, which is often slightly larger.
		b = &buffer{bytes: make([]byte, n, n+n/8), pool: p}
	}
	b.bytes = b.bytes[:n]
	return b.retain()
}

// wrap returns a buffer of memory that did not come from the pool, with one reference.
func (p *bufferPool) wrap(b []byte) *buffer { return (&buffer{bytes: b, pool: p}).retain() }

// take removes the smallest free buffer that holds n bytes, unless it would waste three quarters.
func (p *bufferPool) take(n int) *buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, b := range p.free {
		if c := cap(b.bytes); c >= n && c/4 <= n && (best < 0 || c < cap(p.free[best].bytes)) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	b := p.free[best]
	last := len(p.free) - 1
	p.free[best], p.free[last] = p.free[last], nil
	p.free = p.free[:last]
	p.bytes -= cap(b.bytes)
	return b
}

func (p *bufferPool) put(b *buffer) {
	if cap(b.bytes) < poolLeast {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == poolBuffers || p.bytes+cap(b.bytes) > poolBytes {
		if len(p.free) == 0 {
			return
		}
		// Drop the oldest: recent sizes are more likely to be needed.
		p.bytes -= cap(p.free[0].bytes)
		copy(p.free, p.free[1:])
		p.free[len(p.free)-1] = nil
		p.free = p.free[:len(p.free)-1]
		if p.bytes+cap(b.bytes) > poolBytes {
			return
		}
	}
	p.free = append(p.free, b)
	p.bytes += cap(b.bytes)
}

// borrowLeast is the size from which copying costs more than borrowing. Smaller pieces
// are also the ones that callers may keep for long.
const borrowLeast = 32 << 10

// borrow returns n bytes of the file in the memory of the read-ahead; nil if they must be
// copied. The tail of a killed recorder's bag isn't in the file and can't be borrowed.
func (b *Bag) borrow(off int64, n int) *buffer {
	a, ok := b.r.(*disk.Ahead)
	if !ok || n < borrowLeast {
		return nil
	}
	data, loan := a.Borrow(off, n)
	if data == nil {
		return nil
	}
	return (&buffer{bytes: data, loan: loan}).retain()
}

// read returns n bytes of the bag with one reference: borrowed or copied.
func (b *Bag) read(pool *bufferPool, off int64, n int) (*buffer, error) {
	if blk := b.borrow(off, n); blk != nil {
		return blk, nil
	}
	blk := pool.get(n)
	if err := record.ReadFull(b.r, blk.bytes, off); err != nil {
		blk.release()
		return nil, err
	}
	return blk, nil
}

// inFile reports whether bytes that end at end are in the bag's file, not in its tail file.
func (b *Bag) inFile(end int64) bool {
	j, ok := b.r.(*joined)
	return end <= b.onDisk && !(ok && end > j.at)
}
