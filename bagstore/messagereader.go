package bagstore

import (
	"container/list"
	"fmt"
)

// messageReader reads messages for an iterator, whose goroutine calls all methods. It decides how a message is read:
// alone, or from its chunk, which then is in the cache, and read by another core.
type messageReader struct {
	v       *View
	readers []Reader            // by bag
	layouts map[chunkRef]Layout // of recently considered chunks
	cache   contentCache
	ahead   prefetcher

	messagePos         // the message to read
	reads      int     // messages since the last seek
	visits     int     // messages read in a row from its chunk
	current    *Buffer // content of the chunk counted by visits; holds one reference
}

type messagePos struct {
	chunkRef
	Position
}

func newMessageReader(v *View) *messageReader {
	nowhere := chunkRef{bag: -1}
	mr := &messageReader{v: v, messagePos: messagePos{chunkRef: nowhere}, readers: make([]Reader, len(v.bags)),
		layouts: make(map[chunkRef]Layout),
		cache: contentCache{contents: make(map[chunkRef]*list.Element), visited: nowhere, at: -1,
			limit: cacheBytes, plainLimit: plainBytes, filedLimit: filedBytes, dropped: make(map[chunkRef]int)}}
	k := &mr.cache
	if v.lead > 0 {
		k.limit = v.leadBytes + v.leadBytes/4
	}
	k.seekLimit, k.aheadLimit = k.limit, k.limit-k.limit/5
	for _, b := range v.bags {
		if b.info.ReadAhead {
			k.plainLimit = lentBytes
		}
		if _, converts := b.source.(Messages); converts {
			k.limit = k.seekLimit + convertedBytes
		}
	}
	return mr
}

func (mr *messageReader) blockReader(bag int) Reader {
	if mr.readers[bag] == nil {
		mr.readers[bag] = mr.v.bags[bag].reader(mr.v.keeper(bag))
	}
	return mr.readers[bag]
}

func (mr *messageReader) index(r chunkRef) ([]Run, Layout, error) {
	if el, there := mr.cache.contents[r]; there {
		if c := el.Value.(*chunkContent); c.converted && !c.slow {
			<-c.done // instead of unpacking it, too
		}
	}
	return mr.v.bags[r.bag].index(mr.blockReader(r.bag), r.chunk, mr.v.keeper(r.bag))
}

// index returns the index and the layout of a block, which it reads if nobody has.
func (r *Recording) index(in Reader, block int, keep func(uint32) bool) ([]Run, Layout, error) {
	x := r.indexes.get(block)
	x.mu.Lock()
	defer x.mu.Unlock()
	runs, err := in.Index(block, x, keep)
	for i := range runs {
		runs[i].by = r.by
	}
	return runs, x.Layout, err
}

func (mr *messageReader) choose(c *cursor) {
	if c.chunkRef != mr.chunkRef {
		mr.visits = 0
		mr.releaseCurrent()
		mr.chunkRef = c.chunkRef
		mr.Block, mr.Layout = c.chunk, c.head
	}
	mr.cache.visited, mr.cache.at = c.chunkRef, c.key.time
	mr.Conn, mr.Ref, mr.Time = c.Conn.ID, uint32(c.key.offset), c.stored(c.i)
	mr.Mapped = mr.v.mapped != nil && mr.v.mapped(c.Conn)
}

func (mr *messageReader) releaseCurrent() {
	if mr.current != nil {
		mr.current.Release()
		mr.current = nil
	}
}

// start starts reading the chosen message's chunk, so that the caller can then start reading ahead.
func (mr *messageReader) start() {
	mr.reads++
	mr.visits++
	if !mr.alone() && mr.current == nil {
		mr.request(mr.chunkRef, mr.Layout)
	}
}

// alone reports whether the chosen message is read without its chunk: its Layout says so, or it is the
// first from an uncompressed chunk, often the only one after a seek.
func (mr *messageReader) alone() bool {
	switch {
	case mr.Layout.Access == Single:
		return true
	case mr.Layout.Access == Converted:
		return !mr.Layout.Packed && mr.reads <= convertAfter
	}
	return mr.Layout.Compression == None && mr.visits == 1
}

// readMessage reads the chosen message, after start. The caller must release the buffer.
func (mr *messageReader) readMessage(to *Stored) error {
	if mr.alone() {
		return mr.blockReader(mr.bag).Read(&mr.Position, to)
	}
	if mr.current == nil {
		blk, err := mr.content(mr.chunkRef, mr.Layout)
		if err != nil {
			return err
		}
		mr.current = blk
	}
	return mr.readers[mr.bag].Message(mr.current, &mr.Position, to)
}

// restart must be called when the iterator seeks.
func (mr *messageReader) restart() {
	mr.reads = 0
	mr.cache.restart()
}

// steady reports whether reading is sequential, so that reading ahead pays.
func (mr *messageReader) steady() bool {
	if mr.Layout.Access == Converted {
		return mr.reads > convertAfter && mr.visits == 1 || mr.reads == convertAfter+1
	}
	return mr.visits == 2 || mr.visits == 1 && mr.reads > 1 && mr.Layout.Compression != None
}

// content returns the chunk's bytes, which the caller must release.
func (mr *messageReader) content(r chunkRef, l Layout) (*Buffer, error) {
	c := mr.request(r, l)
	if c.slow && mr.starves(c) {
		c = mr.request(r, l)
	}
	<-c.done
	mr.cache.measure(c)
	if c.err != nil {
		return nil, c.err // cached, too: every message of the chunk asks for it
	}
	return c.blk.retain(), nil
}

// layout reads how a chunk that comes soon is stored.
func (mr *messageReader) layout(r chunkRef) Layout {
	l, seen := mr.layouts[r]
	if !seen {
		if len(mr.layouts) >= layoutsAhead {
			clear(mr.layouts)
		}
		l, _ = mr.blockReader(r.bag).Layout(r.chunk) // Single after an error, which reading the chunk returns
		mr.layouts[r] = l
	}
	return l
}

// request starts reading a chunk at once, on all cores, if nobody has.
func (mr *messageReader) request(r chunkRef, l Layout) *chunkContent {
	c := mr.cache.get(r)
	if c == nil {
		if plain(l) {
			mr.cache.makeRoom(l.Size)
		}
		c = mr.cache.add(r, l)
		if n := mr.cache.dropped[r]; n >= unpackings && c.claim() {
			b := mr.v.bags[r.bag]
			c.err = &FormatError{b.info.Path, b.blocks[r.chunk].Pos, "chunk", fmt.Errorf(
				"it overlaps in time with others of more than %d MiB, and would be unpacked more than %d times", filedBytes>>20, n)}
			close(c.done)
		}
	}
	mr.cache.used(c)
	if c.claim() {
		c.slow = false
		in := mr.readers[r.bag]
		mr.ahead.wait.Go(func() { c.fill(in, l, true, &mr.cache.aheadMore) })
	}
	return c
}

func (mr *messageReader) close() {
	mr.cache.dropQueued()
	mr.ahead.stop()
	mr.releaseCurrent()
	mr.cache.clear()
}
