package bagstore

import (
	"sync"
	"unsafe"
)

// indexCache keeps the indexes of the blocks that were opened last, for all iterators of a recording.
type indexCache struct {
	mu     sync.Mutex
	blocks map[int]*Index
	order  []*Index // oldest first
	bytes  int
}

// Index is the part of a block's index that was read so far. Runs outlive it.
type Index struct {
	Layout  Layout
	Records []IndexRecord // nil: none, or incomplete

	mu sync.Mutex // guards the fields above

	// Owned by the cache.
	cache *indexCache
	block int
	bytes int
}

// IndexRecord is a Run whose entries are read when they are first needed.
type IndexRecord struct {
	Run
	Pos   int64 // of the entries in the file
	Count int
}

// IndexRecordSize is the size of an IndexRecord in memory.
const IndexRecordSize = int(unsafe.Sizeof(IndexRecord{}))

// get returns the index of a block, empty if it isn't cached.
func (x *indexCache) get(block int) *Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, ok := x.blocks[block]
	if !ok {
		if x.blocks == nil {
			x.blocks = make(map[int]*Index)
		}
		i = &Index{cache: x, block: block}
		x.blocks[block] = i
		x.order = append(x.order, i)
	}
	return i
}

// Grew adds n bytes to the size of the index. The oldest ones above the cache's limit are dropped.
func (i *Index) Grew(n int) {
	x := i.cache
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.blocks[i.block] != i {
		return // it was dropped
	}
	i.bytes += n
	x.bytes += n
	for x.bytes > indexBytes && len(x.order) > 1 {
		old := x.order[0]
		x.order[0] = nil
		x.order = x.order[1:]
		delete(x.blocks, old.block)
		x.bytes -= old.bytes
	}
}
