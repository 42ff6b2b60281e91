package camdriver

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// PageSize is the alignment of pooled buffers: what O_DIRECT asks for on every
// file system in use.
const PageSize = 4096

// Pool hands out page-aligned buffers of one device and takes them back. Its
// memory is bounded: when limit bytes are out, Get fails and the caller drops
// the frame instead of growing.
type Pool struct {
	limit int64
	out   atomic.Int64 // bytes handed out

	mu   sync.Mutex
	free map[int][]*Buffer // by capacity
}

// NewPool returns a pool of at most limit bytes.
func NewPool(limit int64) *Pool { return &Pool{limit: limit, free: make(map[int][]*Buffer)} }

// Buffer is memory for one frame. It implements Releaser.
type Buffer struct {
	Bytes []byte // page-aligned, of the length asked for
	whole []byte
	pool  *Pool
	refs  atomic.Int32
}

// Get returns a buffer of n bytes with one reference, or nil if the pool's
// limit is reached. The content is whatever the last user left.
func (p *Pool) Get(n int) *Buffer {
	size := max((n+PageSize-1)&^(PageSize-1), PageSize)
	if p.out.Add(int64(size)) > p.limit {
		p.out.Add(int64(-size))
		return nil
	}
	b := p.take(size)
	b.Bytes = b.whole[:n]
	b.refs.Store(1)
	return b
}

func (p *Pool) take(size int) *Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if list := p.free[size]; len(list) > 0 {
		b := list[len(list)-1]
		p.free[size] = list[:len(list)-1]
		return b
	}
	return &Buffer{whole: aligned(size), pool: p}
}

// InUse is the number of bytes handed out and not yet released.
func (p *Pool) InUse() int64 { return p.out.Load() }

// Retain adds a reference.
func (b *Buffer) Retain() { b.refs.Add(1) }

// Release gives a reference back; the last one returns the buffer to its pool.
func (b *Buffer) Release() {
	n := b.refs.Add(-1)
	if n < 0 {
		panic("camdriver: buffer released more often than retained")
	}
	if n > 0 {
		return
	}
	p := b.pool
	p.mu.Lock()
	p.free[len(b.whole)] = append(p.free[len(b.whole)], b)
	p.mu.Unlock()
	p.out.Add(-int64(len(b.whole)))
}

func aligned(size int) []byte {
	raw := make([]byte, size+PageSize)
	skip := int(-uintptr(unsafe.Pointer(&raw[0])) & (PageSize - 1))
	return raw[skip : skip+size : skip+size]
}
