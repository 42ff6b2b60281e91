package bagstore

import (
	"sync"
	"sync/atomic"

	"rsros/bagstore/internal/disk"
)

// buffer is reference-counted memory: from a pool, lent by the reader that read it ahead, or
// a file's mapping.
type buffer struct {
	bytes   []byte
	refs    atomic.Int32
	pool    *bufferPool // nil: not from a pool
	loan    disk.Loan   // of bytes, without a pool and a mapping
	mapping []byte      // whole pages that bytes lie in
}

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
		panic("bagstore: block released twice")
	}
}

// Buffer is a reference to the memory of a message. Release must be called once, from
// any goroutine; the message's Data is invalid after it.
type Buffer struct{ b *buffer }

// Release ends the use of the data.
func (b Buffer) Release() {
	if b.b != nil {
		b.b.release()
	}
}

// Limits of what a pool keeps for reuse. Small blocks are cheap to make and come
// in numbers (inertial samples between images): they would push out the large
// ones, whose pages are dear.
const (
	poolBuffers = 8
	poolBytes   = 16 << 20
	poolLeast   = 16 << 10
)

// bufferPool keeps a few free blocks, so that reading a bag from end to end
// allocates a handful of them.
type bufferPool struct {
	mu    sync.Mutex
	free  []*buffer
	bytes int
}

// get returns a block of n bytes with one reference; the content is undefined.
func (p *bufferPool) get(n int) *buffer {
	b := p.take(n)
	if b == nil {
		// Room for the next one, which is often a little larger.
		b = &buffer{bytes: make([]byte, n, n+n/8), pool: p}
	}
	b.bytes = b.bytes[:n]
	b.refs.Store(1)
	return b
}

// wrap makes a buffer of memory from elsewhere.
func (p *bufferPool) wrap(b []byte) *buffer {
	blk := &buffer{bytes: b, pool: p}
	blk.refs.Store(1)
	return blk
}

// take finds the smallest free block that n fits in without wasting most of it.
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
		// The oldest makes room: what is in use now fits better.
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
