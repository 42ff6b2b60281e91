package bagstore

import (
	"sync"
	"unsafe"
)

// indexBytes bounds the index entries that a bag keeps; those of one chunk are
// kept in any case.
const indexBytes = 16 << 20

// indexCache keeps the indexes of the chunks that were opened last, for all
// iterators of a bag: turning round and seeking to and fro find them read and
// checked.
type indexCache struct {
	mu     sync.Mutex
	chunks map[*chunk]*chunkIndex
	order  []*chunkIndex // oldest first
	bytes  int
}

// chunkIndex is the index of a chunk, as far as it was read. Runs that were
// handed out stay good.
type chunkIndex struct {
	mu      sync.Mutex
	head    ChunkHeader
	records []indexRecord // nil: none, or they are not whole

	// The cache's.
	chunk *chunk
	bytes int
}

// indexRecord is an index record; its run is empty until it is asked for.
type indexRecord struct {
	indexRun
	pos   int64 // of the entries in the file
	count int
}

const indexRecordSize = int(unsafe.Sizeof(indexRecord{}))

// of returns the index of a chunk, empty if it isn't kept.
func (x *indexCache) of(c *chunk) *chunkIndex {
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

// grew accounts for what was read of an index, and drops the oldest ones.
func (x *indexCache) grew(i *chunkIndex, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.chunks[i.chunk] != i {
		return // dropped meanwhile
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
