// Package recvbuf has the reference-counted buffers that messages from the network are read into, and pools of them.
package recvbuf

import (
	"math/bits"
	"slices"
	"sync"

	"rsros/program/buffers"
	"rsros/program/work"
)

// Buffer holds one received message. The last Release returns it to its pool.
type Buffer struct {
	Data []byte // the message
	refs buffers.Refs
	pool *Pool // nil: it is used once
}

// Bytes returns the message, valid until Release.
func (b *Buffer) Bytes() []byte { return b.Data }

// Retain adds a holder.
func (b *Buffer) Retain() { b.refs.Retain() }

// Release removes a holder. It may be called from any goroutine.
func (b *Buffer) Release() {
	if b.refs.Release() && b.pool != nil {
		b.pool.put(b)
	}
}

// Memory returns at least n bytes. Large memory starts at a page, for direct writing.
func (b *Buffer) Memory(n int) []byte {
	switch {
	case n < buffers.LeastHuge:
		return make([]byte, n)
	case b.pool == nil:
		return buffers.Aligned(n, buffers.PageSize)
	}
	return b.pool.cut(n)
}

// Pool keeps unused buffers, up to idleBytes and to what a budget allows.
type Pool struct {
	budget *work.Budget // may be nil

	mu     sync.Mutex
	free   []*Buffer
	idle   int  // bytes in free
	rest   int  // smallest value of idle since the last Trim
	closed bool // released buffers are freed
}

// Share counts unused buffers in a budget, which may be nil. It must be called before all other methods.
func (p *Pool) Share(b *work.Budget) {
	p.budget = b
	b.Join(p)
}

// Close frees the unused buffers, and those that are released later.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.drop(len(p.free))
	p.mu.Unlock()
	p.budget.Leave(p)
}

// Free frees unused buffers, oldest first, until it has freed size bytes or none is left. It returns the number of
// bytes freed.
func (p *Pool) Free(size int64) (given int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for ; n < len(p.free) && given < size; n++ {
		given += int64(cap(p.free[n].Data))
	}
	p.drop(n)
	return given
}

// drop frees the n oldest unused buffers. The caller must hold p.mu.
func (p *Pool) drop(n int) {
	size := 0
	for _, b := range p.free[:n] {
		size += cap(b.Data)
	}
	p.free = slices.Delete(p.free, 0, n)
	p.idle -= size
	p.rest = min(p.rest, p.idle)
	p.budget.TakeSpare(int64(size))
}

// Limits of unused memory in a pool: at any time, and of what Trim leaves.
const (
	idleBytes = 64 << 20
	restBytes = 8 << 20
)

// GetUnpooled is Get for the first message of a publisher, which may be its only one, as latched ones are. Its memory
// isn't cut from huge pages, which hold several messages, and is used once.
func (p *Pool) GetUnpooled(n int) *Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.fit(n); at >= 0 {
		return p.take(at)
	}
	return hold(&Buffer{})
}

// Get returns a buffer with one holder. The reader grows one that is too small.
func (p *Pool) Get(n int) *Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.fit(n)
	if at < 0 {
		at = len(p.free) - 1
	}
	if at < 0 {
		return hold(&Buffer{pool: p})
	}
	return p.take(at)
}

func hold(b *Buffer) *Buffer {
	b.refs.Init()
	return b
}

// fit returns the index of the unused buffer of at least n bytes that was used last, or -1. The caller must
// hold p.mu, as for take.
func (p *Pool) fit(n int) int {
	for i := len(p.free) - 1; i >= 0; i-- {
		if cap(p.free[i].Data) >= n {
			return i
		}
	}
	return -1
}

func (p *Pool) take(at int) *Buffer {
	b := p.free[at]
	last := len(p.free) - 1
	p.free[at], p.free[last] = p.free[last], nil
	p.free = p.free[:last]
	p.idle -= cap(b.Data)
	p.budget.TakeSpare(int64(cap(b.Data)))
	p.rest = min(p.rest, p.idle)
	return hold(b)
}

// Trim frees memory that wasn't used since the last Trim, as after a burst, down to restBytes.
func (p *Pool) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, rest := 0, p.rest
	for ; n < len(p.free) && rest > restBytes; n++ {
		rest -= cap(p.free[n].Data)
	}
	p.drop(n)
	p.rest = p.idle
}

// cut returns at least n bytes of huge pages, and keeps the rest of them as unused buffers. All pieces are freed
// together, so there is only one if the budget has no room for others.
func (p *Pool) cut(n int) []byte {
	size := buffers.Round(roundUp(n))
	if !p.budget.RoomForSpare(buffers.MostCut) {
		return buffers.Single(size)
	}
	pieces := buffers.Cut(size)
	for _, piece := range pieces[1:] {
		p.put(&Buffer{Data: piece, pool: p})
	}
	return pieces[0]
}

// roundUp rounds n up by less than an eighth, because the messages of a topic vary.
func roundUp(n int) int {
	step := 1 << max(bits.Len(uint(n))-4, 0)
	return (n + step - 1) &^ (step - 1)
}

func (p *Pool) put(b *Buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size := cap(b.Data)
	switch {
	case size > idleBytes:
		buffers.ReturnSoon()
	case !p.closed && p.idle+size <= idleBytes && p.budget.AddSpare(int64(size)):
		p.free = append(p.free, b)
		p.idle += size
	}
}

// Idle returns the size of the unused buffers in bytes.
func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle
}
