package bagstore

import (
	"maps"
	"slices"

	"rsros/bagstore/place"
)

// Content is a recording in another file format: connections, and blocks of messages in place of
// chunks. Messages are serialized as in ROS 1. It must be safe for concurrent use.
type Content interface {
	// Connections returns the topics. Entries and counts refer to their IDs.
	Connections() []*Connection
	// Blocks returns all blocks, in the order of the file.
	Blocks() []Block
	// Entries returns the messages of a block in any order. Those of unknown connections are
	// ignored.
	Entries(block int) ([]Entry, error)
	// Read appends a message to the result of alloc, an empty slice with room for n bytes. Another
	// call of alloc invalidates the previous result.
	Read(block int, e Entry, alloc func(n int) []byte) ([]byte, error)
	Close() error
}

// RemoteExtents is a Content whose blocks may be in files at addresses.
type RemoteExtents interface {
	// Extent returns the file that a block's messages are in, and their range; nil if it is at a path.
	Extent(block int) (in place.File, from, to int64)
}

// Block is a part of a Content with at most a few thousand messages.
type Block struct {
	ChunkInfo   // Pos must increase from block to block
	Compression Compression
	Stored      int64 // bytes of messages in the file
	Size        int64 // bytes of messages uncompressed
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

// Entry is a message of a block.
type Entry struct {
	Time Time // 0 if it is before 1970, MaxTime if it is after 2106, MinTime if the file has 0
	Conn uint32
	Ref  uint32 // identifies the message in its block; increases in the order of the file
}

// ClampedTimes describes times of which [Message.TimeClamped] tells.
const ClampedTimes = "times before 1970 or after 2106, replaced by the nearest that a bag can hold"

// ContentInfo describes the file of a Content.
type ContentInfo struct {
	Path    string
	Version string // of the format, such as "MCAP"
	Size    int64  // of the file or files
	Notes   []Note // what was unusual
}

// OpenContent returns a Bag that reads c. Closing the Bag closes c.
func OpenContent(c Content, info ContentInfo) *Bag {
	b := newBag(nil, info.Size, info.Path)
	b.content, b.version, b.notes, b.indexed = c, info.Version, info.Notes, true
	b.conns = c.Connections()
	for _, conn := range b.conns {
		b.byID[conn.ID] = conn
	}
	for i, k := range c.Blocks() {
		b.chunks = append(b.chunks, chunk{
			ChunkInfo: k.ChunkInfo, block: i,
			head: ChunkHeader{Compression: k.Compression, DataPos: max(k.Pos, 1), Stored: k.Stored, Size: k.Size},
		})
	}
	return b
}

func (cr *chunkReader) contentIndex(x *chunkIndex, c *chunk) error {
	listed, err := cr.b.content.Entries(c.block)
	if err != nil {
		return cr.b.errorAt(c.Pos, "block", err)
	}
	entries := make([]entry, len(listed))
	for i, e := range listed {
		entries[i] = entry{e.Time, e.Ref, e.Conn}
	}
	x.records = []indexRecord{}
	for _, r := range cr.group(entries, nil) {
		x.records = append(x.records, indexRecord{indexRun: r, count: r.len()})
		cr.b.indexes.grew(x, indexRecordSize+len(r.raw))
	}
	return nil
}

// readContent reads the message at p. It calls before when it is about to allocate n bytes.
func (p *messagePos) readContent(b *Bag, before func(n int)) ([]byte, *buffer, error) {
	var blk *buffer
	c := &b.chunks[p.chunk]
	data, err := b.content.Read(c.block, Entry{p.time, p.conn, uint32(p.offset)}, func(n int) []byte {
		if blk != nil {
			blk.release()
		}
		before(n)
		blk = newBuffer(n)
		return blk.bytes[:0]
	})
	if blk == nil {
		blk = wrap(data)
	}
	if err != nil {
		blk.release()
		return nil, nil, b.errorAt(c.Pos, "message", err)
	}
	blk.bytes = data
	return data, blk, nil
}

// Content returns the argument of OpenContent; nil for a bag file.
func (b *Bag) Content() Content { return b.content }
