package bagstore

import (
	"sync"
	"unsafe"
)

// indexBytes bounds an indexCache, which always keeps the index of at least one chunk.
const indexBytes = 16 << 20

// indexCache keeps the indexes of the chunks that were opened last, for all iterators of a bag.
type indexCache struct {
	mu     sync.Mutex
	chunks map[*chunk]*chunkIndex
	order  []*chunkIndex // oldest first
	bytes  int
}

// chunkIndex is the part of a chunk's index that was read so far. Runs outlive it.
type chunkIndex struct {
	mu      sync.Mutex
	head    ChunkHeader
	records []indexRecord // nil: none, or incomplete

	// Owned by the cache.
	chunk *chunk
	bytes int
}

// indexRecord is an index record; its entries are read when they are first needed.
type indexRecord struct {
	indexRun
	pos   int64 // of the entries in the file
	count int
}

const indexRecordSize = int(unsafe.Sizeof(indexRecord{}))

// get returns the index of a chunk, empty if it isn't cached.
func (x *indexCache) get(c *chunk) *chunkIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, ok := x.chunks[c]
	if !ok {
		if x.chunks == nil {
			x.chunks = make(map[*chunk]*chunkIndex)
		}
		i = &chunkIndex{chunk: c}
		x.chunks[c] = i
		x.order = append(x.order, i)
	}
	return i
}

// grew adds n bytes to the size of an index, and drops the oldest ones above the limit.
func (x *indexCache) grew(i *chunkIndex, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.chunks[i.chunk] != i {
		return // it was dropped
	}
	i.bytes += n
	x.bytes += n
	for x.bytes > indexBytes && len(x.order) > 1 {
		old := x.order[0]
		x.order[0] = nil
		x.order = x.order[1:]
		delete(x.chunks, old.chunk)
		x.bytes -= old.bytes
	}
}
