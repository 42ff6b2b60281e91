package bagstore

import (
	"maps"
	"slices"
)

// Compression of a block.
type Compression string

// Compressions of bags, but for Zstd, which MCAP has instead of BZ2. Wire constants.
const (
	None Compression = "none"
	BZ2  Compression = "bz2"
	LZ4  Compression = "lz4"
	Zstd Compression = "zstd"
)

// ConnCount is the number of messages of one connection in a block.
type ConnCount struct {
	ID    uint32
	Count uint32
}

// ChunkInfo describes the messages of a block.
type ChunkInfo struct {
	Pos        int64 // in the file
	Start, End Time  // of the earliest and latest message inside
	Counts     []ConnCount
}

// Messages returns the number of messages in the block.
func (c *ChunkInfo) Messages() uint64 {
	n := uint64(0)
	for _, k := range c.Counts {
		n += uint64(k.Count)
	}
	return n
}

// Summarize sets times and counts to those of a block's messages. The list must not be empty.
func (c *ChunkInfo) Summarize(entries []Entry) {
	counts := make(map[uint32]uint32)
	c.Start, c.End = entries[0].Time, entries[0].Time
	for _, e := range entries {
		counts[e.Conn]++
		c.Start, c.End = min(c.Start, e.Time), max(c.End, e.Time)
	}
	c.Counts = SortedCounts(counts)
}

// SortedCounts lists the counts above 0 in the order of the connections.
func SortedCounts(counts map[uint32]uint32) (list []ConnCount) {
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		if counts[id] > 0 {
			list = append(list, ConnCount{ID: id, Count: counts[id]})
		}
	}
	return list
}
