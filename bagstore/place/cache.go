package place

import (
	"container/list"
	"math"
	"math/bits"
	"sync"

	"rsros/program/work"
)

const (
	// blockSize is the unit of the cache. A request for less takes as long.
	blockSize = 64 << 10
	// cacheBytes bounds the blocks of all objects, those that are being read included.
	cacheBytes = 64 << 20
	// touchSize is the unit in which blocks note what was needed of them.
	touchSize = blockSize / 64
)

// cache keeps the most recently used blocks of all objects that are or were open.
var cache = blocks{byKey: make(map[blockKey]*block)}

type blocks struct {
	mu    sync.Mutex
	byKey map[blockKey]*block
	used  list.List // of *block, most recent first
}

// blockKey has the size, too: a store whose object is being replaced may return the size of one version with
// the name of the other.
type blockKey struct {
	name, version string
	size          int64
	number        int64
}

// block is a part of an object. data and err are set when done is closed.
type block struct {
	key     blockKey
	at      *list.Element
	done    chan struct{}
	data    []byte
	err     error
	touched uint64 // guarded by blocks.mu: parts that were read
}

// find returns the first block of a span. If it isn't there, missing are the blocks from it on
// that aren't either, as new ones that the caller must fill. They fit into a request.
func (c *blocks) find(of Info, s span) (first *block, missing []*block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := blockKey{of.Name, of.Version, of.Size, s.from}
	first = c.byKey[key]
	if first != nil {
		c.used.MoveToFront(first.at)
		return first, nil
	}
	for ; key.number < s.to && key.number < s.from+maxRange/blockSize && c.byKey[key] == nil; key.number++ {
		missing = append(missing, c.add(key))
	}
	c.evict()
	return missing[0], missing
}

// has reports whether all blocks of a span are there.
func (c *blocks) has(of Info, s span) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := (blockKey{of.Name, of.Version, of.Size, s.from}); key.number < s.to; key.number++ {
		if b := c.byKey[key]; b == nil || !work.Closed(b.done) {
			return false
		}
	}
	return true
}

// add adds a block. c.mu is held.
func (c *blocks) add(key blockKey) *block {
	b := &block{key: key, done: make(chan struct{})}
	b.at = c.used.PushFront(b)
	c.byKey[key] = b
	return b
}

// keep adds the first blocks of an object, of which whole ones are known.
func (c *blocks) keep(of Info, head []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := int64(0); len(head) >= blockSize || len(head) > 0 && n*blockSize+int64(len(head)) == of.Size; n++ {
		data := head[:min(blockSize, len(head))]
		head = head[len(data):]
		if key := (blockKey{of.Name, of.Version, of.Size, n}); c.byKey[key] == nil {
			b := c.add(key)
			b.data = data
			close(b.done)
		}
	}
	c.evict()
}

// evict drops the least recently used blocks. c.mu is held.
func (c *blocks) evict() {
	for at := c.used.Back(); at != nil && c.used.Len() > cacheBytes/blockSize; {
		b, before := at.Value.(*block), at.Prev()
		if work.Closed(b.done) { // otherwise it is being read
			c.remove(b)
		}
		at = before
	}
}

func (c *blocks) remove(b *block) {
	c.used.Remove(b.at)
	delete(c.byKey, b.key)
}

func (c *blocks) fill(b *block, data []byte) {
	b.data = data
	close(b.done)
}

// fail removes a block that can't be read.
func (c *blocks) fail(b *block, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(b)
	b.err = err
	close(b.done)
}

// copy copies from the block's byte at on.
func (b *block) copy(p []byte, at int) int {
	n := copy(p, b.data[at:])
	from, to := at/touchSize, (at+n+touchSize-1)/touchSize
	mask := uint64(math.MaxUint64) << from
	if to < 64 {
		mask &= 1<<to - 1
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	traffic.needed.Add(int64(bits.OnesCount64(mask&^b.touched)) * touchSize)
	b.touched |= mask
	return n
}
