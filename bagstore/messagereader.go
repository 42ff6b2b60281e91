package bagstore

import (
	"container/list"
	"fmt"
	"sync/atomic"
)

// Limits of a messageReader.
const (
	// cacheBytes bounds the cached chunks; the cache always holds at least one.
	cacheBytes = 32 << 20
	// convertedBytes is added if there are converted ones: several large ones may overlap, and those of the past are dropped.
	convertedBytes = 32 << 20
	// plainBytes bounds uncompressed chunks, which are cheap to read again: held memory lets the
	// heap double.
	plainBytes = 8 << 20
	// lentBytes replaces plainBytes if the file is read ahead: cached chunks hold memory
	// that the next blocks need, and recently read blocks stay in it anyway.
	lentBytes = 2 << 20
	// filedBytes bounds the chunks in temporary files that the iterator is in, each counted as filedLeast or more: the files are
	// bounded, too.
	filedBytes = 4 << 30
	filedLeast = 16 << 20
	// unpackings bounds how often a chunk for which there is no room is unpacked, if its bytes are more than backed times those
	// in the file.
	unpackings = 16
	backed     = 4
	// convertAfter is the number of messages after a seek that are converted when they are visited.
	convertAfter = 8
)

// messageReader reads messages for an iterator. It caches chunks and reads ahead on other cores.
type messageReader struct {
	v       *View
	readers []Reader // by bag

	messagePos         // the message to read
	reads      int     // messages since the last seek
	visits     int     // messages read in a row from its chunk
	current    *Buffer // content of the chunk counted by visits; holds one reference

	// Only the iterator's goroutine uses the cache; readers fill in content and close done.
	layouts   map[chunkRef]Layout        // of recently considered chunks
	cache     map[chunkRef]*list.Element // of *chunkContent
	lru       list.List                  // most recent first
	bytes     int64                      // size of the cached chunks
	plain     int64                      // size of the uncompressed ones among them
	filed     int64                      // size of those in temporary files, which isn't in bytes
	filedKeep int64                      // limit of filed
	dropped   map[chunkRef]int           // how often there was no room for a chunk that is still needed
	at        Time                       // of the message to read in the view; -1 after a seek
	keep      int64                      // limit of bytes
	past      int64                      // and after a seek
	plainKeep int64                      // limit of plain
	ahead     prefetcher
}

type messagePos struct {
	chunkRef
	Position
}

// chunkContent is a chunk's uncompressed bytes, or its messages. blk, err and more are set when done is closed.
type chunkContent struct {
	ref   chunkRef
	size  int64        // in memory: as expected; since the first use, the actual one
	filed int64        // in a temporary file, see filedBytes; 0 before the first use
	more  int64        // bytes above size; 0 since the first use
	most  int64        // bytes that what is in the file backs
	plain bool         // stored uncompressed
	state atomic.Int32 // one of the content constants
	done  chan struct{}
	blk   *Buffer // the cache holds one reference
	err   error
	slow  bool // read by the prefetcher's thread of low priority
	ahead bool // read by the prefetcher and not used yet

	converted bool // reading it reads its index, too
}

// layoutsAhead bounds messageReader.layouts. Every message considers the same few chunks.
const layoutsAhead = 64

const (
	contentWaits     int32 = iota // queued by the prefetcher
	contentBegun                  // being read
	contentThere                  // read; done is closed or about to be
	contentAbandoned              // no longer wanted: its reader releases it
)

// plain reports whether a chunk is cheap to read again.
func plain(l Layout) bool { return l.Access == Whole && l.Compression == None }

// claim reports whether the caller is the one to read the content.
func (c *chunkContent) claim() bool { return c.state.CompareAndSwap(contentWaits, contentBegun) }

func (c *chunkContent) ready() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func newMessageReader(v *View) *messageReader {
	mr := &messageReader{v: v, messagePos: messagePos{chunkRef: chunkRef{bag: -1}}, readers: make([]Reader, len(v.bags)), layouts: make(map[chunkRef]Layout), cache: make(map[chunkRef]*list.Element), dropped: make(map[chunkRef]int), at: -1, keep: cacheBytes, filedKeep: filedBytes, plainKeep: plainBytes}
	for _, b := range v.bags {
		if b.info.ReadAhead {
			mr.plainKeep = lentBytes
		}
	}
	if v.lead > 0 {
		mr.keep = v.leadBytes + v.leadBytes/4
	}
	mr.past = mr.keep
	mr.ahead.limit = mr.keep - mr.keep/5 // the rest is for chunks in use
	for _, b := range v.bags {
		if _, converts := b.source.(Messages); converts {
			mr.keep += convertedBytes
			break
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
	if el, there := mr.cache[r]; there {
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
	mr.at = c.key.time
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
		mr.First = mr.visits == 1
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
	mr.reads, mr.at = 0, -1
	clear(mr.dropped)
	mr.forgetQueued()
	mr.evict(mr.past)
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
	mr.measure(c)
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
	c, there := mr.cached(r)
	if !there {
		if plain(l) {
			mr.makeRoom(l.Size)
		}
		c = mr.add(r, l)
		if n := mr.dropped[r]; n >= unpackings && c.claim() {
			b := mr.v.bags[r.bag]
			c.err = &FormatError{b.info.Path, b.blocks[r.chunk].Pos, "chunk", fmt.Errorf(
				"it overlaps in time with others of more than %d MiB, and would be unpacked more than %d times", filedBytes>>20, n)}
			close(c.done)
		}
	}
	mr.ahead.used(c)
	if c.claim() {
		c.slow = false
		in := mr.readers[r.bag]
		mr.ahead.wait.Go(func() { mr.ahead.fill(c, in, l, true) })
	}
	return c
}

// cached returns the content of a chunk, if it is in the cache, and makes it the most recent one.
func (mr *messageReader) cached(r chunkRef) (c *chunkContent, there bool) {
	el, there := mr.cache[r]
	if !there {
		return nil, false
	}
	mr.lru.MoveToFront(el)
	return el.Value.(*chunkContent), true
}

// add adds a chunk to the cache.
func (mr *messageReader) add(r chunkRef, l Layout) *chunkContent {
	c := &chunkContent{ref: r, size: l.Size, most: backed * l.Stored, plain: plain(l), converted: l.Access == Converted, done: make(chan struct{})}
	mr.cache[r] = mr.lru.PushFront(c)
	mr.count(c, +1)
	mr.evict(mr.keep)
	return c
}

// count updates the size of the cache for a content that is added (+1) or removed (-1).
func (mr *messageReader) count(c *chunkContent, sign int64) {
	mr.bytes += sign * c.size
	mr.filed += sign * c.filed
	if c.plain {
		mr.plain += sign * c.size
	}
}

// measure counts a content that was read by what it takes.
func (mr *messageReader) measure(c *chunkContent) {
	mr.count(c, -1)
	mr.ahead.more.Add(-c.more)
	c.more = 0
	if c.size, c.filed = c.blk.held(); c.filed > 0 {
		c.filed = max(c.filed, filedLeast)
	}
	mr.count(c, +1)
}

// makeRoom drops used uncompressed chunks, oldest first, until another one of the given size fits.
// It reports whether there is room.
func (mr *messageReader) makeRoom(size int64) bool {
	for el := mr.lru.Back(); el != nil && mr.plain+size > mr.plainKeep; {
		c, prev := el.Value.(*chunkContent), el.Prev()
		if c.plain && !c.ahead && c.ref != mr.chunkRef && c.ready() {
			mr.remove(el)
		}
		el = prev
	}
	return mr.plain == 0 || mr.plain+size <= mr.plainKeep
}

// evict makes room for all but keep bytes: it drops the least recently used chunks, and puts those into files that the iterator
// is in. Others leave the files. Those being read or read ahead stay.
func (mr *messageReader) evict(keep int64) {
	for el := mr.lru.Back(); el != nil && (mr.bytes > keep || mr.filed > 0) && el != mr.lru.Front(); {
		c, prev := el.Value.(*chunkContent), el.Prev()
		needed := c.ref.start <= mr.at && mr.at <= c.ref.end
		above := mr.bytes > keep && c.size > 0
		switch {
		case c.ref == mr.chunkRef || c.ahead || !c.ready():
		case !needed && (mr.bytes > keep || c.filed > 0):
			mr.remove(el)
		case needed && (above && !mr.file(c) || c.filed > 0 && mr.filed > mr.filedKeep):
			if c.blk.Size() > c.most {
				mr.dropped[c.ref]++
			}
			mr.remove(el)
		}
		el = prev
	}
}

// file puts a content into a file. It returns false if it has to be read again.
func (mr *messageReader) file(c *chunkContent) bool {
	blk := c.blk.inFile()
	if blk == nil {
		return false
	}
	c.blk.Release()
	c.blk = blk
	mr.measure(c)
	return true
}

func (mr *messageReader) remove(el *list.Element) {
	c := el.Value.(*chunkContent)
	mr.lru.Remove(el)
	delete(mr.cache, c.ref)
	mr.count(c, -1)
	mr.ahead.used(c)
	mr.ahead.more.Add(-c.more)
	c.blk.Release()
}

func (mr *messageReader) close() {
	mr.forgetQueued()
	mr.ahead.stop()
	mr.releaseCurrent()
	for el := mr.lru.Front(); el != nil; el = mr.lru.Front() {
		mr.remove(el)
	}
}
