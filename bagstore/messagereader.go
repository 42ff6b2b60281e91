package bagstore

import (
	"container/list"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/record"
)

// Limits of a messageReader.
const (
	// directSize: messages of uncompressed chunks that are at least so large
	// on average are read one by one, smaller ones with their whole chunk.
	directSize = 32 << 10
	// wholeSize is the largest uncompressed chunk that is read whole.
	wholeSize = 8 << 20
	// cacheBytes bounds the chunks that are kept; one is kept in any case.
	cacheBytes = 32 << 20
	// plainBytes bounds those of them that are uncompressed: to read one again is
	// cheap, and what is kept here the garbage collector lets grow twofold.
	plainBytes = 8 << 20
	// lentBytes bounds the uncompressed ones where files are read ahead: a chunk that is kept
	// holds memory that the next blocks need, and stays in it for a while anyway.
	lentBytes = 2 << 20
)

// messageReader reads messages for an iterator. It keeps a few chunk contents and
// reads the next ones ahead, on other cores.
type messageReader struct {
	v            *View
	chunkReaders []*chunkReader // by bag
	pool         *bufferPool    // outlives the iterator: the next one's memory is warm

	messagePos               // of the message to read
	visits     int           // messages read in a row from its chunk
	turns      int           // chunks since the last seek
	rec        record.Record // the header of the message
	at         int64         // of the message's data in the file; 0: it isn't there as it is
	current    *buffer       // content of the chunk that visits counts, one reference is ours

	// Only the iterator's goroutine touches the cache; the readers fill in
	// their content and close done.
	heads     map[chunkRef]chunkAhead    // of the chunks looked at last
	cache     map[chunkRef]*list.Element // of *chunkContent
	lru       list.List                  // most recent first
	bytes     int64
	plain     int64 // of bytes, those of uncompressed chunks
	keep      int64 // bound of bytes
	plainKeep int64 // bound of plain
	quiet     quietWorker
	wait      sync.WaitGroup
}

// messagePos says where a message is.
type messagePos struct {
	chunkRef
	head   ChunkHeader
	conn   uint32
	time   Time
	offset int64
	mapped bool // if it is large
}

// chunkContent is a chunk's decompressed bytes, once done is closed.
type chunkContent struct {
	ref   chunkRef
	size  int64
	plain bool          // uncompressed
	kept  bool          // and a message of it was asked for: others may have its room
	state atomic.Int32  // contentWaits and so on
	done  chan struct{} // closed when it is there
	blk   *buffer       // one reference is the cache's
	err   error
	quiet bool // the quietWorker reads it, or has
	ahead bool // and no message of it was asked for
}

// chunkAhead is what is known of a chunk before it is wanted.
type chunkAhead struct {
	head  ChunkHeader
	whole bool // it is read as a whole
}

// headsAhead bounds how many are remembered: every message looks at the same few.
const headsAhead = 64

// States of a chunkContent.
const (
	contentWaits     int32 = iota // for the quietWorker
	contentBegun                  // somebody reads it
	contentThere                  // done is closed, or is about to be
	contentAbandoned              // nobody wants it any more: its reader releases it
)

// claim tells whether it is the caller who reads it.
func (c *chunkContent) claim() bool { return c.state.CompareAndSwap(contentWaits, contentBegun) }

// ready tells whether the content is there.
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
		mr.keep = v.leadBytes + v.leadBytes/4 // the rest is for what is being consumed
	}
	if len(v.bags) > 0 {
		mr.pool = &v.bags[0].pool
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

// choose sets the message that read returns.
func (mr *messageReader) choose(c *cursor) {
	if c.chunkRef != mr.chunkRef {
		mr.visits = 0
		mr.turns++
		mr.dropCurrent()
	}
	mr.messagePos = messagePos{c.chunkRef, c.head, c.conn.ID, c.key.time, c.key.offset, mr.v.mapped != nil && mr.v.mapped(c.conn)}
}

// dropCurrent releases the chunk read last.
func (mr *messageReader) dropCurrent() {
	if mr.current != nil {
		mr.current.release()
		mr.current = nil
	}
}

// start starts the reading of the chosen message's chunk, so that what comes
// after it can be read ahead before message waits.
func (mr *messageReader) start() {
	mr.visits++
	if !mr.alone() && mr.current == nil {
		mr.request(mr.chunkRef, mr.head, true)
	}
}

// alone tells whether the chosen message is read without its chunk. The first
// one from an uncompressed chunk is: after a seek it is often the only one. A content's
// are always.
func (mr *messageReader) alone() bool {
	return mr.v.bags[mr.bag].content != nil || mr.head.Compression == None && (mr.visits == 1 || direct(&mr.v.bags[mr.bag].chunks[mr.chunk], mr.head))
}

// readMessage reads the chosen message, after start. The block carries a reference
// for the caller.
func (mr *messageReader) readMessage() ([]byte, *buffer, error) {
	b := mr.v.bags[mr.bag]
	mr.at = 0
	if b.content != nil {
		return mr.readContent(b, mr.pool, func(int) {})
	}
	if mr.alone() {
		return mr.readDirect(b)
	}
	if mr.current == nil {
		blk, err := mr.content(mr.chunkRef, mr.head)
		if err != nil {
			return nil, nil, b.errorAt(mr.head.DataPos, "chunk", err)
		}
		mr.current = blk
	}
	blk, r := mr.current, &mr.rec
	if err := mr.locate(record.Memory(blk.bytes), int64(len(blk.bytes)), mr.offset, r); err != nil {
		return nil, nil, b.errorAt(b.chunks[mr.chunk].Pos, "chunk", fmt.Errorf("message at its byte %d: %w", mr.offset, err))
	}
	if mr.head.Compression == None {
		mr.at = mr.head.DataPos + r.DataPos
	}
	return blk.bytes[r.DataPos:r.Next():r.Next()], blk.retain(), nil
}

// restart says that reading continues somewhere else.
func (mr *messageReader) restart() {
	mr.turns = 0
	mr.forgetQueued()
}

// steady tells that reading goes on from message to message or from chunk to
// chunk, so that reading ahead pays. After a seek it would only be in the way.
func (mr *messageReader) steady() bool {
	return mr.visits == 2 || mr.visits == 1 && mr.turns > 1 && mr.head.Compression != None
}

// direct tells whether the messages of a chunk are read one by one.
func direct(c *chunk, head ChunkHeader) bool {
	return head.Size > wholeSize || head.Size/int64(max(1, c.Messages())) >= directSize
}

// mapLeast is the size from which mapping costs less than reading.
const mapLeast = 256 << 10

// readDirect reads one message from the file.
func (mr *messageReader) readDirect(b *Bag) ([]byte, *buffer, error) {
	r := &mr.rec
	pos, w := mr.head.DataPos+mr.offset, mr.chunkReader(mr.bag).w
	if err := mr.locate(w, mr.head.end(), pos, r); err != nil {
		return nil, nil, b.errorAt(pos, "message", err)
	}
	if err := record.Fits(r.DataLen); err != nil {
		return nil, nil, b.errorAt(pos, "message", err)
	}
	if mr.mapped && r.DataLen >= mapLeast && b.inFile(r.Next()) {
		if blk := mapMessage(b.file, r.DataPos, int(r.DataLen)); blk != nil {
			return blk.bytes, blk, nil
		}
	}
	blk, err := b.read(mr.pool, r.DataPos, int(r.DataLen))
	if err != nil {
		return nil, nil, b.errorAt(pos, "message", err)
	}
	mr.at = r.DataPos
	return blk.bytes, blk, nil
}

// mapMessage maps a message's data; nil if that is not possible.
func mapMessage(f *os.File, off int64, n int) *buffer {
	if f == nil {
		return nil
	}
	data, pages := disk.Map(f, off, n)
	if data == nil {
		return nil
	}
	blk := &buffer{bytes: data, mapping: pages}
	blk.refs.Store(1)
	return blk
}

// locate reads the header of the message record that the entry points at. An
// index may also point at the connection record before it.
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

// content returns the chunk's bytes, with a reference for the caller.
func (mr *messageReader) content(r chunkRef, head ChunkHeader) (*buffer, error) {
	c := mr.request(r, head, true)
	if c.quiet && mr.starves(c) {
		c = mr.request(r, head, true)
	}
	<-c.done
	if c.err != nil {
		return nil, c.err // kept too: each message of the chunk asks for it
	}
	return c.blk.retain(), nil
}

// prefetch starts the reading of a chunk that will be wanted soon. It tells
// whether there is room for another one.
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

// worthAhead tells whether a chunk is read as a whole, and reads its header.
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

// request finds or starts the reading of a chunk. An urgent one takes all cores;
// what is read ahead leaves them to those who work with what was read before.
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

// find returns the place of a chunk's content in the cache, the most recent now.
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

// fill reads a content that the caller has claimed.
func (mr *messageReader) fill(c *chunkContent, head ChunkHeader, urgent bool) {
	defer close(c.done)
	blk, err := mr.read(c.ref, head, urgent)
	c.blk, c.err = blk, err
	if !c.state.CompareAndSwap(contentBegun, contentThere) && blk != nil {
		blk.release()
	}
}

// count adds a content to what is kept, or takes it away.
func (mr *messageReader) count(c *chunkContent, sign int64) {
	mr.bytes += sign * c.size
	if c.plain {
		mr.plain += sign * c.size
	}
}

// makeRoom drops the uncompressed chunks used longest ago until another one of a size
// fits, but none that nobody has asked for yet. It tells whether there is room.
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

// evict drops the chunks used longest ago, but none that is being read or that is ahead.
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

// read reads and decompresses a chunk, in a goroutine of its own.
func (mr *messageReader) read(r chunkRef, head ChunkHeader, urgent bool) (*buffer, error) {
	b := mr.v.bags[r.bag]
	torn, l := b.chunks[r.chunk].torn, chunkReader{b: b, urgent: urgent}
	if !head.plausible() {
		content, err := l.salvage(head)
		if err != nil && !torn {
			return nil, err
		}
		return mr.pool.wrap(content), nil
	}
	if err := record.Fits(head.Size); err != nil {
		return nil, err
	}
	if head.Compression == None {
		if blk := b.borrow(head.DataPos, int(head.Size)); blk != nil {
			return blk, nil
		}
	}
	blk := mr.pool.get(int(head.Size))
	n, err := l.decompress(head, blk.bytes)
	if err != nil && !torn {
		blk.release()
		return nil, err
	}
	blk.bytes = blk.bytes[:n]
	return blk, nil
}

// close waits for all reading and releases the memory.
func (mr *messageReader) close() {
	mr.forgetQueued()
	mr.quiet.stop()
	mr.wait.Wait()
	mr.dropCurrent()
	for el := mr.lru.Front(); el != nil; el = mr.lru.Front() {
		mr.remove(el)
	}
}
