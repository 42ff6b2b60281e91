package bagstore

import "slices"

// WholeChunk is a block that is copied as it is stored. All of its messages are selected, and its content agrees with
// its checksum and its description.
type WholeChunk struct {
	ChunkInfo
	Layout Layout
	VerbatimBlock
	in    Verbatim
	all   *wholeChunks
	bag   *Recording
	ref   chunkRef
	times []Time // of the entries, sorted; nil until needed
	done  chan struct{}
	err   error // valid when done is closed, as is VerbatimBlock
}

// VerbatimBlock is the content of a block.
type VerbatimBlock struct {
	Memory  *Buffer // the bytes in the file, one reference
	Entries []Entry // in the order of the block
	Data    int64   // bytes of the messages' data
}

// wholeChunk returns the chunk if its description and layout allow to copy it, otherwise nil. Its
// content isn't read yet.
func (v *View) wholeChunk(r chunkRef, l Layout) *WholeChunk {
	b := v.bags[r.bag]
	c := &b.blocks[r.chunk]
	out := func(k ConnCount) bool {
		return k.Count == 0 || b.byID[k.ID] == nil || v.keep[r.bag] != nil && !v.keep[r.bag][k.ID]
	}
	in, ok := b.source.(Verbatim)
	if !ok || !in.Whole(r.chunk, l) || c.Start < max(v.start, MinTime) || c.End > min(v.end, MaxTime) ||
		l.Stored > maxWhole || slices.ContainsFunc(c.Counts, out) {
		return nil
	}
	return &WholeChunk{ChunkInfo: c.ChunkInfo, in: in, bag: b, ref: r, Layout: l, done: make(chan struct{})}
}

// Connections returns the connections of the chunk's messages.
func (c *WholeChunk) Connections() []*Connection {
	list := make([]*Connection, len(c.Counts))
	for i, k := range c.Counts {
		list[i] = c.bag.byID[k.ID]
	}
	return list
}

func (c *WholeChunk) release() { c.Memory.Release() }

// fill reads the chunk and compares it with its checksum and its description.
func (c *WholeChunk) fill() {
	defer close(c.done)
	content, err := c.in.Verbatim(c.ref.chunk, c.Layout)
	if c.err = err; err == nil {
		c.VerbatimBlock = *content
	}
}

// has reports whether a message has time t.
func (c *WholeChunk) has(t Time) bool {
	if c.times == nil {
		c.times = make([]Time, len(c.Entries))
		for i, e := range c.Entries {
			c.times[i] = e.Time
		}
		slices.Sort(c.times)
	}
	_, found := slices.BinarySearch(c.times, t)
	return found
}
