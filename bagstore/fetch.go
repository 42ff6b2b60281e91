package bagstore

import (
	"container/list"
	"fmt"
	"os"
	"sync"

	"rsros/bagstore/internal/disk"
)

// Limits of a fetcher.
const (
	// directSize: messages of uncompressed chunks that are at least so large
	// on average are read one by one, smaller ones with their whole chunk.
	directSize = 32 << 10
	// wholeSize is the largest uncompressed chunk that is read whole.
	wholeSize = 8 << 20
	// cacheBytes bounds the chunks that are kept; one is kept in any case.
	cacheBytes = 32 << 20
)

// fetcher reads messages for an iterator. It keeps a few chunk contents and
// reads the next ones ahead, on other cores.
type fetcher struct {
	v       *View
	loaders []*loader  // by bag
	pool    *blockPool // outlives the iterator: the next one's memory is warm

	place         // of the message to read
	visits int    // messages read in a row from its chunk
	turns  int    // chunks since the last seek
	rec    record // the header of the message
	hot    *block // content of the chunk that visits counts, one reference is ours

	// Only the iterator's goroutine touches the cache; the readers fill in
	// their content and close done.
	cache map[chunkRef]*list.Element // of *content
	lru   list.List                  // most recent first
	bytes int64
	wait  sync.WaitGroup
}

// place is where a message stands.
type place struct {
	chunkRef
	head   ChunkHeader
	conn   uint32
	offset int64
	mapped bool // if it is large
}

// content is a chunk's decompressed bytes, once done is closed.
type content struct {
	ref  chunkRef
	size int64
	done chan struct{}
	blk  *block // one reference is the cache's
	err  error
}

// read tells whether the content is there.
func (c *content) read() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func newFetcher(v *View) *fetcher {
	f := &fetcher{v: v, loaders: make([]*loader, len(v.bags)), cache: make(map[chunkRef]*list.Element)}
	if len(v.bags) > 0 {
		f.pool = &v.bags[0].pool
	}
	return f
}

func (f *fetcher) loader(bag int) *loader {
	if f.loaders[bag] == nil {
		f.loaders[bag] = newLoader(f.v.bags[bag])
	}
	return f.loaders[bag]
}

func (f *fetcher) runs(r chunkRef) ([]run, ChunkHeader, error) {
	return f.loader(r.bag).runs(&f.v.bags[r.bag].chunks[r.chunk], f.v.keeper(r.bag))
}

// at chooses the message that message reads.
func (f *fetcher) at(c *cursor) {
	if c.chunkRef != f.chunkRef {
		f.visits = 0
		f.turns++
		f.cool()
	}
	f.place = place{c.chunkRef, c.head, c.conn.ID, c.key.offset, f.v.mapped != nil && f.v.mapped(c.conn)}
}

// cool lets go of the chunk read last.
func (f *fetcher) cool() {
	if f.hot != nil {
		f.hot.release()
		f.hot = nil
	}
}

// begin starts the reading of the chosen message's chunk, so that what comes
// after it can be read ahead before message waits.
func (f *fetcher) begin() {
	f.visits++
	if !f.alone() && f.hot == nil {
		f.want(f.chunkRef, f.head, true)
	}
}

// alone tells whether the chosen message is read without its chunk. The first
// one from an uncompressed chunk is: after a seek it is often the only one.
func (f *fetcher) alone() bool {
	return f.head.Compression == None && (f.visits == 1 || direct(&f.v.bags[f.bag].chunks[f.chunk], f.head))
}

// message reads the chosen message, after begin. The block carries a reference
// for the caller.
func (f *fetcher) message() ([]byte, *block, error) {
	b := f.v.bags[f.bag]
	if f.alone() {
		return f.readDirect(b)
	}
	if f.hot == nil {
		blk, err := f.content(f.chunkRef, f.head)
		if err != nil {
			return nil, nil, b.errorAt(f.head.DataPos, "chunk", err)
		}
		f.hot = blk
	}
	blk, r := f.hot, &f.rec
	if err := f.locate(memory(blk.bytes), int64(len(blk.bytes)), f.offset, r); err != nil {
		return nil, nil, b.errorAt(b.chunks[f.chunk].Pos, "chunk", fmt.Errorf("message at its byte %d: %w", f.offset, err))
	}
	return blk.bytes[r.dataPos:r.next():r.next()], blk.hold(), nil
}

// sought tells that reading begins anew somewhere.
func (f *fetcher) sought() { f.turns = 0 }

// steady tells that reading goes on from message to message or from chunk to
// chunk, so that reading ahead pays. After a seek it would only be in the way.
func (f *fetcher) steady() bool {
	return f.visits == 2 || f.visits == 1 && f.turns > 1 && f.head.Compression != None
}

// direct tells whether the messages of a chunk are read one by one.
func direct(c *chunk, head ChunkHeader) bool {
	return head.Size > wholeSize || head.Size/int64(max(1, c.Messages())) >= directSize
}

// mapLeast is the size from which mapping costs less than reading.
const mapLeast = 256 << 10

// readDirect reads one message from the file.
func (f *fetcher) readDirect(b *Bag) ([]byte, *block, error) {
	r := &f.rec
	pos, w := f.head.DataPos+f.offset, f.loader(f.bag).w
	if err := f.locate(w, f.head.end(), pos, r); err != nil {
		return nil, nil, b.errorAt(pos, "message", err)
	}
	if f.mapped && r.dataLen >= mapLeast {
		if blk := mapMessage(b.file, r.dataPos, int(r.dataLen)); blk != nil {
			return blk.bytes, blk, nil
		}
	}
	blk := f.pool.get(int(r.dataLen))
	if err := readFull(b.r, blk.bytes, r.dataPos); err != nil {
		blk.release()
		return nil, nil, b.errorAt(pos, "message", err)
	}
	return blk.bytes, blk, nil
}

// mapMessage maps a message's data; nil if that is not possible.
func mapMessage(f *os.File, off int64, n int) *block {
	if f == nil {
		return nil
	}
	data, pages := disk.Map(f, off, n)
	if data == nil {
		return nil
	}
	blk := &block{bytes: data, mapping: pages}
	blk.refs.Store(1)
	return blk
}

// locate reads the header of the message record that the entry points at. An
// index may also point at the connection record before it.
func (f *fetcher) locate(src source, limit, pos int64, r *record) error {
	for {
		if err := readRecord(src, pos, limit, r); err != nil {
			return err
		}
		if r.op != opConnection {
			break
		}
		pos = r.next()
	}
	if r.op != opMessage {
		return fmt.Errorf("found a %s record", opName(r.op))
	}
	if r.has&hasConn != 0 && r.conn != f.conn {
		return fmt.Errorf("message is of connection %d, the index says %d", r.conn, f.conn)
	}
	return nil
}

// content gives the chunk's bytes, with a reference for the caller.
func (f *fetcher) content(r chunkRef, head ChunkHeader) (*block, error) {
	c := f.want(r, head, true)
	<-c.done
	if c.err != nil {
		return nil, c.err // kept too: each message of the chunk asks for it
	}
	return c.blk.hold(), nil
}

// prefetch starts the reading of a chunk that will be wanted soon. It tells
// whether there is room for another one.
func (f *fetcher) prefetch(r chunkRef) bool {
	if _, ok := f.cache[r]; ok {
		return true
	}
	c := &f.v.bags[r.bag].chunks[r.chunk]
	head, err := f.loader(r.bag).header(c)
	if err == nil && !(head.Compression == None && direct(c, head)) {
		f.want(r, head, false)
	}
	return f.bytes <= cacheBytes
}

// want finds or starts the reading of a chunk. An urgent one takes all cores;
// what is read ahead leaves them to those who work with what was read before.
func (f *fetcher) want(r chunkRef, head ChunkHeader, urgent bool) *content {
	if el, ok := f.cache[r]; ok {
		f.lru.MoveToFront(el)
		return el.Value.(*content)
	}
	c := &content{ref: r, size: head.Size, done: make(chan struct{})}
	f.cache[r] = f.lru.PushFront(c)
	f.bytes += c.size
	f.evict()
	f.wait.Go(func() {
		defer close(c.done)
		c.blk, c.err = f.read(r, head, urgent)
	})
	return c
}

// evict drops the chunks used longest ago, but none that is being read.
func (f *fetcher) evict() {
	for el := f.lru.Back(); el != nil && f.bytes > cacheBytes && el != f.lru.Front(); {
		c, prev := el.Value.(*content), el.Prev()
		if c.ref != f.chunkRef && c.read() {
			f.remove(el)
		}
		el = prev
	}
}

func (f *fetcher) remove(el *list.Element) {
	c := el.Value.(*content)
	f.lru.Remove(el)
	delete(f.cache, c.ref)
	f.bytes -= c.size
	if c.blk != nil {
		c.blk.release()
	}
}

// read reads and decompresses a chunk, in a goroutine of its own.
func (f *fetcher) read(r chunkRef, head ChunkHeader, urgent bool) (*block, error) {
	b := f.v.bags[r.bag]
	torn, l := b.chunks[r.chunk].torn, loader{b: b, urgent: urgent}
	if !head.plausible() {
		content, err := l.salvage(head)
		if err != nil && !torn {
			return nil, err
		}
		return f.pool.adopt(content), nil
	}
	blk := f.pool.get(int(head.Size))
	n, err := l.decompress(head, blk.bytes)
	if err != nil && !torn {
		blk.release()
		return nil, err
	}
	blk.bytes = blk.bytes[:n]
	return blk, nil
}

// close waits for all reading and gives the memory up.
func (f *fetcher) close() {
	f.wait.Wait()
	f.cool()
	for el := f.lru.Front(); el != nil; el = f.lru.Front() {
		f.remove(el)
	}
}
