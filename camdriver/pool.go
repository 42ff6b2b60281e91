package camdriver

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/program/buffers"
)

// PageSize is the alignment of pooled buffers.
var PageSize = buffers.PageSize

// Pool is a bounded pool of page-aligned buffers for the frames of a device. When
// limit bytes are in use, Get fails and the caller drops the frame.
//
// Buffers of image size are cut from huge pages if the system has them, because direct I/O pins every page of a buffer.
// The pool keeps released buffers as long as they and those in use fit in limit, and frees blocks of them that it
// doesn't need for a while. Beyond limit, each buffer has memory of its own.
type Pool struct {
	limit int64
	out   atomic.Int64 // bytes in use

	mu     sync.Mutex
	free   map[int][]*Buffer // by capacity
	held   int64             // bytes of all blocks
	round  int               // of tidy
	tidies bool              // tidy will be called
}

// tidyEvery is how often a pool frees the blocks that it hasn't used meanwhile.
const tidyEvery = 10 * time.Second

// block is memory that is freed together.
type block struct {
	bytes int64
	used  int // buffers in use
	round int // of tidy, when one was taken last
}

// NewPool returns a pool that hands out at most limit bytes.
func NewPool(limit int64) *Pool { return &Pool{limit: limit, free: make(map[int][]*Buffer)} }

// Buffer is memory for one frame. It implements buffers.Releaser.
type Buffer struct {
	Bytes []byte // page-aligned, of the requested length
	whole []byte
	block *block
	pool  *Pool
	refs  buffers.Refs
}

// Get returns a buffer of n bytes with one reference, or nil at the pool's limit. The buffer is not cleared.
func (p *Pool) Get(n int) *Buffer {
	size := buffers.Round(n)
	if p.out.Add(int64(size)) > p.limit {
		p.out.Add(int64(-size))
		return nil
	}
	b := p.take(size)
	b.Bytes = b.whole[:n]
	b.refs.Init()
	return b
}

func (p *Pool) take(size int) *Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free[size]) == 0 {
		more := int64(max(size, buffers.MostCut))
		if p.held+more > p.limit {
			p.trim(p.round + 1)
		}
		if p.held+more > p.limit {
			p.add(buffers.Single(size))
		} else {
			p.add(buffers.Cut(size)...)
		}
	}
	list := p.free[size]
	b := list[len(list)-1]
	p.free[size] = list[:len(list)-1]
	b.block.used++
	b.block.round = p.round
	return b
}

// add adds the buffers of a block. The caller must hold mu.
func (p *Pool) add(memory ...[]byte) {
	size := len(memory[0])
	k := &block{bytes: int64(len(memory) * size), round: p.round}
	p.held += k.bytes
	for _, m := range memory {
		p.free[size] = append(p.free[size], &Buffer{whole: m, block: k, pool: p})
	}
}

// trim frees the blocks of which no buffer is in use or was taken since a round began. It reports whether others are
// not in use, either. The caller must hold mu.
func (p *Pool) trim(round int) (left bool) {
	for size, list := range p.free {
		list = slices.DeleteFunc(list, func(b *Buffer) bool {
			idle := b.block.used == 0 && b.block.round < round
			left = left || b.block.used == 0 && !idle
			if idle {
				p.held -= b.block.bytes
				b.block.bytes = 0 // for its other buffers
			}
			return idle
		})
		if p.free[size] = list; len(list) == 0 {
			delete(p.free, size)
		}
	}
	return left
}

// tidy frees what a burst has left. It is called again while there are blocks that were in use since it was called
// last, and after the next Release.
func (p *Pool) tidy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.held
	p.tidies = p.trim(p.round)
	p.round++
	if p.tidies {
		time.AfterFunc(tidyEvery, p.tidy)
	}
	if before-p.held >= buffers.MostCut {
		buffers.ReturnSoon()
	}
}

// Reserve adds memory for count buffers of n bytes, side by side: a buffer of its own leaves up to
// an eighth of its huge pages unused. All of it is freed together.
func (p *Pool) Reserve(n, count int) {
	size := buffers.Round(n)
	memory := buffers.Cut(count * size)[0][:count*size]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(slices.Collect(slices.Chunk(memory, size))...)
}

// InUse returns the number of bytes that have not been released.
func (p *Pool) InUse() int64 { return p.out.Load() }

// Retain adds a reference.
func (b *Buffer) Retain() { b.refs.Retain() }

// Release drops a reference. The last one returns the buffer to its pool.
func (b *Buffer) Release() {
	if !b.refs.Release() {
		return
	}
	p := b.pool
	p.mu.Lock()
	b.block.used--
	p.free[len(b.whole)] = append(p.free[len(b.whole)], b)
	if !p.tidies {
		p.tidies = true
		time.AfterFunc(tidyEvery, p.tidy)
	}
	p.mu.Unlock()
	p.out.Add(-int64(len(b.whole)))
}
