package bagstore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"rsros/bagstore/internal/lz4"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/internal/record"
)

// WholeChunk is a chunk that an [Output] copies as it is stored. All of its messages are selected,
// and its content agrees with its checksum and its chunk info.
type WholeChunk struct {
	ChunkInfo
	all     *wholeChunks
	bag     *Bag
	ref     chunkRef
	head    ChunkHeader
	stored  *buffer // the bytes in the file, one reference
	entries []entry // in the order of the chunk
	data    int64   // bytes of the messages' data
	times   []Time  // of the entries, sorted; nil until needed
	done    chan struct{}
	err     error // valid when done is closed, as are the fields from stored on
}

// maxWhole bounds the stored bytes of a WholeChunk. The messages of a larger chunk are copied one
// by one.
const maxWhole = 32 << 20

// wholeChunk returns the chunk if its chunk info and header allow to copy it, otherwise nil. Its
// content isn't read yet.
func (v *View) wholeChunk(r chunkRef, head ChunkHeader) *WholeChunk {
	b := v.bags[r.bag]
	c := &b.chunks[r.chunk]
	out := func(k ConnCount) bool {
		conn := b.byID[k.ID]
		return k.Count == 0 || conn == nil || conn.garbled || v.keep[r.bag] != nil && !v.keep[r.bag][k.ID]
	}
	if b.content != nil || b.version != "2.0" || c.torn || c.Start < max(v.start, MinTime) || c.End > min(v.end, MaxTime) ||
		head.Stored > maxWhole || !head.plausible() || slices.ContainsFunc(c.Counts, out) {
		return nil
	}
	return &WholeChunk{ChunkInfo: c.ChunkInfo, bag: b, ref: r, head: head, done: make(chan struct{})}
}

// Stored returns the number of bytes in the file.
func (c *WholeChunk) Stored() int64 { return c.head.Stored }

// Connections returns the connections of the chunk's messages.
func (c *WholeChunk) Connections() []*Connection {
	list := make([]*Connection, len(c.Counts))
	for i, k := range c.Counts {
		list[i] = c.bag.byID[k.ID]
	}
	return list
}

func (c *WholeChunk) release() {
	if c.stored != nil {
		c.stored.release()
	}
}

// fill reads the chunk and compares it with its checksum and its chunk info.
func (c *WholeChunk) fill() {
	defer close(c.done)
	if c.stored, c.err = c.bag.read(c.head.DataPos, int(c.head.Stored)); c.err != nil {
		return
	}
	if c.head.Compression == LZ4 && !lz4.Stock(c.stored.bytes) {
		c.err = errors.New("not a frame that stock readers read")
		return
	}
	l := newChunkReader(c.bag)
	l.stored = c.stored
	c.entries, _, c.err = l.walkContent(&c.bag.chunks[c.ref.chunk], walker{bag: c.bag, onConnection: c.connection, onMessage: c.message})
	found := chunk{}
	if len(c.entries) > 0 {
		found.summarize(c.entries)
	}
	if c.err == nil && !found.agrees(&c.ChunkInfo) {
		c.err = errors.New("the chunk info is wrong")
	}
}

// connection accepts a connection record that repeats what the output has.
func (c *WholeChunk) connection(r *record.Record, data []byte) error {
	conn, err := parseConnection(&r.Header, data)
	if err != nil {
		return err
	}
	used := slices.ContainsFunc(c.Counts, func(k ConnCount) bool { return k.ID == conn.ID })
	if known := c.bag.byID[conn.ID]; !used || !conn.same(known) {
		return fmt.Errorf("connection %d has no messages or differs from the index", conn.ID)
	}
	return nil
}

func (c *WholeChunk) message(_ record.Source, r *record.Record, _ entry) error {
	c.data += r.DataLen
	if c.head.Compression == None {
		return nil
	}
	return memory.Fits(r.DataLen, c.head.Stored)
}

// has reports whether a message has time t.
func (c *WholeChunk) has(t Time) bool {
	if c.times == nil {
		c.times = make([]Time, len(c.entries))
		for i, e := range c.entries {
			c.times[i] = e.time
		}
		slices.Sort(c.times)
	}
	_, found := slices.BinarySearch(c.times, t)
	return found
}

// agrees reports whether two chunk infos have the same times and counts.
func (c *ChunkInfo) agrees(d *ChunkInfo) bool {
	return c.Start == d.Start && c.End == d.End && slices.Equal(c.sortedCounts(), d.sortedCounts())
}

func (c *ChunkInfo) sortedCounts() []ConnCount {
	return slices.SortedFunc(slices.Values(c.Counts), func(x, y ConnCount) int { return cmp.Compare(x.ID, y.ID) })
}
