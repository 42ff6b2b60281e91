package bagstore

import (
	"container/list"
	"fmt"
	"sync"
	"sync/atomic"

	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/internal/record"
)

// Limits of a messageReader.
const (
	// directSize is the average message size from which messages of uncompressed chunks are read
	// one by one.
	directSize = 32 << 10
	// wholeSize is the largest uncompressed chunk that is read whole.
	wholeSize = 8 << 20
	// cacheBytes bounds the cached chunks; the cache always holds at least one.
	cacheBytes = 32 << 20
	// plainBytes bounds uncompressed chunks, which are cheap to read again: held memory lets the
	// heap double.
	plainBytes = 8 << 20
	// lentBytes replaces plainBytes if the file is read ahead: cached chunks hold memory
	// that the next blocks need, and recently read blocks stay in it anyway.
	lentBytes = 2 << 20
)

// messageReader reads messages for an iterator. It caches chunks and reads ahead on other cores.
type messageReader struct {
	v            *View
	chunkReaders []*chunkReader // by bag

	messagePos               // the message to read
	visits     int           // messages read in a row from its chunk
	turns      int           // chunks since the last seek
	rec        record.Record // the message's header
	at         int64         // offset of the message's data in the file; 0: not there verbatim
	current    *buffer       // content of the chunk counted by visits; holds one reference
	source     record.Source // of current's bytes: made once, as it is on the heap

	// Only the iterator's goroutine uses the cache; readers fill in content and close done.
	heads     map[chunkRef]chunkAhead    // headers of recently considered chunks
	cache     map[chunkRef]*list.Element // of *chunkContent
	lru       list.List                  // most recent first
	bytes     int64                      // size of the cached chunks
	plain     int64                      // size of the uncompressed ones among them
	keep      int64                      // limit of bytes
	plainKeep int64                      // limit of plain
	quiet     quietWorker
	wait      sync.WaitGroup
}

type messagePos struct {
	chunkRef
	head   ChunkHeader
	conn   uint32
	time   Time
	offset int64
	mapped bool // map it instead of copying it, if it is large
}

// chunkContent is a chunk's uncompressed bytes. blk and err are set when done is closed.
type chunkContent struct {
	ref   chunkRef
	size  int64
	plain bool         // stored uncompressed
	kept  bool         // plain and used: makeRoom may drop it
	state atomic.Int32 // one of the content constants
	done  chan struct{}
	blk   *buffer // the cache holds one reference
	err   error
	quiet bool // read by the quietWorker
	ahead bool // read by the quietWorker and not used yet
}

// chunkAhead is a chunk that was considered for reading ahead.
type chunkAhead struct {
	head  ChunkHeader
	whole bool // it is read as a whole
}

// headsAhead bounds messageReader.heads. Every message considers the same few chunks.
const headsAhead = 64

const (
	contentWaits     int32 = iota // queued for the quietWorker
	contentBegun                  // being read
	contentThere                  // read; done is closed or about to be
	contentAbandoned              // no longer wanted: its reader releases it
)

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
	mr := &messageReader{v: v, chunkReaders: make([]*chunkReader, len(v.bags)), heads: make(map[chunkRef]chunkAhead), cache: make(map[chunkRef]*list.Element), keep: cacheBytes, plainKeep: plainBytes}
	for _, b := range v.bags {
		if b.ahead != nil {
			mr.plainKeep = lentBytes
		}
	}
	if v.lead > 0 {
		mr.keep = v.leadBytes + v.leadBytes/4 // the last quarter is for chunks in use
	}
	return mr
}

func (mr *messageReader) chunkReader(bag int) *chunkReader {
	if mr.chunkReaders[bag] == nil {
		mr.chunkReaders[bag] = newChunkReader(mr.v.bags[bag])
	}
	return mr.chunkReaders[bag]
}

func (mr *messageReader) index(r chunkRef) ([]indexRun, ChunkHeader, error) {
	return mr.chunkReader(r.bag).runs(&mr.v.bags[r.bag].chunks[r.chunk], mr.v.keeper(r.bag))
}

func (mr *messageReader) choose(c *cursor) {
	if c.chunkRef != mr.chunkRef {
		mr.visits = 0
		mr.turns++
		mr.releaseCurrent()
	}
	mr.messagePos = messagePos{c.chunkRef, c.head, c.conn.ID, c.key.time, c.key.offset, mr.v.mapped != nil && mr.v.mapped(c.conn)}
}

func (mr *messageReader) releaseCurrent() {
	if mr.current != nil {
		mr.current.release()
		mr.current, mr.source = nil, nil
	}
}

// start starts reading the chosen message's chunk, so that the caller can then start reading ahead.
func (mr *messageReader) start() {
	mr.visits++
	if !mr.alone() && mr.current == nil {
		mr.request(mr.chunkRef, mr.head, true)
	}
}

// alone reports whether the chosen message is read without its chunk: it is of a [Content], or the
// first from an uncompressed chunk, often the only one after a seek, or large.
func (mr *messageReader) alone() bool {
	return mr.v.bags[mr.bag].content != nil || mr.head.Compression == None && (mr.visits == 1 || direct(&mr.v.bags[mr.bag].chunks[mr.chunk], mr.head))
}

// readMessage reads the chosen message, after start. The caller must release the buffer.
func (mr *messageReader) readMessage() ([]byte, *buffer, error) {
	b := mr.v.bags[mr.bag]
	mr.at = 0
	if b.content != nil {
		return mr.readContent(b, func(int) {})
	}
	if mr.alone() {
		if mr.visits == 1 {
			b.compareDescriptions(mr.chunk, record.Section{Source: mr.chunkReader(mr.bag).w, Base: mr.head.DataPos}, mr.head.Size)
		}
		return mr.readDirect(b)
	}
	if mr.current == nil {
		blk, err := mr.content(mr.chunkRef, mr.head)
		if err != nil {
			return nil, nil, b.errorAt(mr.head.DataPos, "chunk", err)
		}
		mr.current, mr.source = blk, blk.source()
	}
	blk, r := mr.current, &mr.rec
	err := mr.locate(mr.source, blk.size(), mr.offset, r)
	if err == nil && blk.content != nil {
		err = blk.content.Fits(r.DataLen)
	}
	if err == nil && blk.bytes == nil {
		if blk, err = unpackedMessage(blk.content, r); err == nil {
			return blk.bytes, blk, nil
		}
	}
	if err != nil {
		return nil, nil, b.errorAt(b.chunks[mr.chunk].Pos, "chunk", fmt.Errorf("message of %.100q at its byte %d: %w", b.topicOf(mr.conn), mr.offset, err))
	}
	if mr.head.Compression == None {
		mr.at = mr.head.DataPos + r.DataPos
	}
	return blk.bytes[r.DataPos:r.Next():r.Next()], blk.retain(), nil
}

// unpackedMessage reads a message of a chunk that was unpacked to a file.
func unpackedMessage(c *memory.Content, r *record.Record) (*buffer, error) {
	blk := newBuffer(int(r.DataLen))
	if err := record.ReadFull(c, blk.bytes, r.DataPos); err != nil {
		blk.release()
		return nil, err
	}
	return blk, nil
}

// restart must be called when the iterator seeks.
func (mr *messageReader) restart() {
	mr.turns = 0
	mr.forgetQueued()
}

// steady reports whether reading is sequential, so that reading ahead pays.
func (mr *messageReader) steady() bool {
	return mr.visits == 2 || mr.visits == 1 && mr.turns > 1 && mr.head.Compression != None
}

// direct reports whether the messages of a chunk are read one by one.
func direct(c *chunk, head ChunkHeader) bool {
	return head.Size > wholeSize || head.Size/int64(max(1, c.Messages())) >= directSize
}

// mapLeast is the size from which mapping costs less than reading.
const mapLeast = 256 << 10

func (mr *messageReader) readDirect(b *Bag) ([]byte, *buffer, error) {
	r := &mr.rec
	pos, w := mr.head.DataPos+mr.offset, mr.chunkReader(mr.bag).w
	if err := mr.locate(w, mr.head.end(), pos, r); err != nil {
		return nil, nil, b.errorAt(pos, "message", err)
	}
	if err := record.Fits(r.DataLen); err != nil {
		return nil, nil, b.errorAt(pos, "message", err)
	}
	if mr.mapped && r.DataLen >= mapLeast && b.file != nil && b.inFile(r.Next()) {
		if data, pages := disk.Map(b.file, r.DataPos, int(r.DataLen)); data != nil {
			return data, (&buffer{bytes: data, mapping: pages}).retain(), nil
		}
	}
	blk, err := b.read(r.DataPos, int(r.DataLen))
	if err != nil {
		return nil, nil, b.errorAt(pos, "message", err)
	}
	mr.at = r.DataPos
	return blk.bytes, blk, nil
}

// locate reads the header of the message record at pos, or after the connection record there.
func (mr *messageReader) locate(src record.Source, limit, pos int64, r *record.Record) error {
	for {
		if err := record.Read(src, pos, limit, r); err != nil {
			return err
		}
		if r.Op != record.OpConnection {
			break
		}
		pos = r.Next()
	}
	if r.Op != record.OpMessage {
		return fmt.Errorf("found a %s record", record.OpName(r.Op))
	}
	if r.Has&record.HasConn != 0 && r.Conn != mr.conn {
		return fmt.Errorf("message is of connection %d, the index says %d", r.Conn, mr.conn)
	}
	return nil
}

// content returns the chunk's bytes, which the caller must release.
func (mr *messageReader) content(r chunkRef, head ChunkHeader) (*buffer, error) {
	c := mr.request(r, head, true)
	if c.quiet && mr.starves(c) {
		c = mr.request(r, head, true)
	}
	<-c.done
	if c.err != nil {
		return nil, c.err // cached, too: every message of the chunk asks for it
	}
	return c.blk.retain(), nil
}

// prefetch starts reading a chunk that is needed soon, and reports whether there is room for more.
func (mr *messageReader) prefetch(r chunkRef) bool {
	if _, ok := mr.cache[r]; ok {
		return true
	}
	if head, ok := mr.worthAhead(r); ok {
		if head.Compression == None && !mr.makeRoom(head.Size) {
			return false
		}
		mr.request(r, head, false)
	}
	return mr.bytes <= mr.keep
}

// worthAhead reads a chunk's header and reports whether the chunk is read as a whole.
func (mr *messageReader) worthAhead(r chunkRef) (ChunkHeader, bool) {
	b := mr.v.bags[r.bag]
	if b.content != nil {
		return ChunkHeader{}, false
	}
	if seen, ok := mr.heads[r]; ok {
		return seen.head, seen.whole
	}
	c := &b.chunks[r.chunk]
	head, err := mr.chunkReader(r.bag).header(c)
	if len(mr.heads) >= headsAhead {
		clear(mr.heads)
	}
	mr.heads[r] = chunkAhead{head, err == nil && !(head.Compression == None && direct(c, head))}
	return head, mr.heads[r].whole
}

// request starts reading a chunk if nobody has. Urgent chunks are decompressed on all cores; others
// leave the cores to consumers of earlier messages.
func (mr *messageReader) request(r chunkRef, head ChunkHeader, urgent bool) *chunkContent {
	c := mr.find(r, head, urgent)
	if urgent {
		mr.quiet.used(c)
	}
	if c.claim() {
		c.quiet = false
		mr.wait.Go(func() { mr.fill(c, head, urgent) })
	}
	return c
}

// find returns the cache entry of a chunk, adding it if needed, and makes it the most recent one.
func (mr *messageReader) find(r chunkRef, head ChunkHeader, urgent bool) *chunkContent {
	if el, ok := mr.cache[r]; ok {
		mr.lru.MoveToFront(el)
		c := el.Value.(*chunkContent)
		c.kept = c.kept || urgent && c.plain
		return c
	}
	c := &chunkContent{ref: r, size: head.Size, plain: head.Compression == None, done: make(chan struct{})}
	if c.plain && urgent {
		mr.makeRoom(c.size)
	}
	c.kept = urgent && c.plain
	mr.cache[r] = mr.lru.PushFront(c)
	mr.count(c, +1)
	mr.evict()
	return c
}

// fill reads content claimed by the caller.
func (mr *messageReader) fill(c *chunkContent, head ChunkHeader, urgent bool) {
	defer close(c.done)
	blk, err := mr.read(c.ref, head, urgent)
	c.blk, c.err = blk, err
	if !c.state.CompareAndSwap(contentBegun, contentThere) && blk != nil {
		blk.release()
	}
}

// count updates the size of the cache for a content that is added (+1) or removed (-1).
func (mr *messageReader) count(c *chunkContent, sign int64) {
	mr.bytes += sign * c.size
	if c.plain {
		mr.plain += sign * c.size
	}
}

// makeRoom drops used uncompressed chunks, oldest first, until another one of the given size fits.
// It reports whether there is room.
func (mr *messageReader) makeRoom(size int64) bool {
	for el := mr.lru.Back(); el != nil && mr.plain+size > mr.plainKeep; {
		c, prev := el.Value.(*chunkContent), el.Prev()
		if c.kept && c.ref != mr.chunkRef && c.ready() {
			mr.remove(el)
		}
		el = prev
	}
	return mr.plain == 0 || mr.plain+size <= mr.plainKeep
}

// evict drops the least recently used chunks, except those being read or read ahead.
func (mr *messageReader) evict() {
	for el := mr.lru.Back(); el != nil && mr.bytes > mr.keep && el != mr.lru.Front(); {
		c, prev := el.Value.(*chunkContent), el.Prev()
		if c.ref != mr.chunkRef && !c.ahead && c.ready() {
			mr.remove(el)
		}
		el = prev
	}
}

func (mr *messageReader) remove(el *list.Element) {
	c := el.Value.(*chunkContent)
	mr.lru.Remove(el)
	delete(mr.cache, c.ref)
	mr.count(c, -1)
	mr.quiet.used(c)
	if c.blk != nil {
		c.blk.release()
	}
}

// read reads and decompresses a chunk. It runs outside the iterator's goroutine.
func (mr *messageReader) read(r chunkRef, head ChunkHeader, urgent bool) (*buffer, error) {
	b := mr.v.bags[r.bag]
	torn, l := b.chunks[r.chunk].torn, chunkReader{b: b, urgent: urgent}
	if head.Compression == None {
		blk, err := b.read(head.DataPos, int(head.Size)) // at most wholeSize
		if err == nil {
			b.compareDescriptions(r.chunk, blk.source(), blk.size())
		}
		return blk, err
	}
	content, err := l.unpack(head)
	if content == nil {
		return nil, err
	}
	if err != nil && !torn {
		content.Release()
		return nil, err
	}
	blk := &buffer{content: content}
	blk.bytes, _ = content.Bytes()
	b.compareDescriptions(r.chunk, blk.source(), blk.size())
	return blk.retain(), nil
}

func (mr *messageReader) close() {
	mr.forgetQueued()
	mr.quiet.stop()
	mr.wait.Wait()
	mr.releaseCurrent()
	for el := mr.lru.Front(); el != nil; el = mr.lru.Front() {
		mr.remove(el)
	}
}
