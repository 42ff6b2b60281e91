package bagstore

import (
	"container/list"
	"sync/atomic"
)

// contentCache holds the chunks that an iterator is in, reads ahead, or has left recently. Its methods are for the
// iterator's goroutine: readers only fill in a content.
type contentCache struct {
	contents map[chunkRef]*list.Element // of *chunkContent
	lru      list.List                  // most recent first
	visited  chunkRef                   // of the message that the iterator has chosen; it stays
	at       Time                       // of that message in the view; -1 after a seek

	bytes      int64 // size of all contents in memory
	plain      int64 // of the uncompressed ones among them
	filed      int64 // of those in temporary files, which isn't in bytes
	ahead      int64 // of those marked as ahead
	aheadMore  atomic.Int64
	limit      int64 // of bytes
	seekLimit  int64 // of bytes after a seek
	plainLimit int64
	filedLimit int64
	aheadLimit int64 // of ahead and aheadMore: the rest is for chunks in use

	dropped map[chunkRef]int // how often there was no room for a chunk that is still needed
}

// get returns the content of a chunk, or nil, and makes it the most recent one.
func (k *contentCache) get(r chunkRef) *chunkContent {
	el, there := k.contents[r]
	if !there {
		return nil
	}
	k.lru.MoveToFront(el)
	return el.Value.(*chunkContent)
}

// add adds a chunk.
func (k *contentCache) add(r chunkRef, l Layout) *chunkContent {
	c := &chunkContent{ref: r, size: l.Size, most: backed * l.Stored, plain: plain(l),
		converted: l.Access == Converted, done: make(chan struct{})}
	k.contents[r] = k.lru.PushFront(c)
	k.count(c, +1)
	k.evict(k.limit)
	return c
}

// count updates the sizes for a content that is added (+1) or removed (-1).
func (k *contentCache) count(c *chunkContent, sign int64) {
	k.bytes += sign * c.size
	k.filed += sign * c.filed
	if c.plain {
		k.plain += sign * c.size
	}
}

// measure counts a content that was read by what it takes.
func (k *contentCache) measure(c *chunkContent) {
	k.count(c, -1)
	k.aheadMore.Add(-c.more)
	c.more = 0
	if c.size, c.filed = c.blk.held(); c.filed > 0 {
		c.filed = max(c.filed, filedLeast)
	}
	k.count(c, +1)
}

// roomAhead reports whether another chunk of the given size may be read ahead.
func (k *contentCache) roomAhead(size int64) bool {
	held := k.ahead + k.aheadMore.Load()
	return held <= 0 || held+size <= k.aheadLimit
}

// mark counts a content as read ahead until it is used.
func (k *contentCache) mark(c *chunkContent) {
	if !c.ahead {
		c.ahead = true
		k.ahead += c.size
	}
}

func (k *contentCache) used(c *chunkContent) {
	if c.ahead {
		c.ahead = false
		k.ahead -= c.size
	}
}

// makeRoom drops used uncompressed chunks, oldest first, until another one of the given size fits.
// It reports whether there is room.
func (k *contentCache) makeRoom(size int64) bool {
	for el := k.lru.Back(); el != nil && k.plain+size > k.plainLimit; {
		c, prev := el.Value.(*chunkContent), el.Prev()
		if c.plain && !c.ahead && c.ref != k.visited && c.ready() {
			k.remove(el)
		}
		el = prev
	}
	return k.plain == 0 || k.plain+size <= k.plainLimit
}

// evict keeps at most limit bytes: it drops the least recently used chunks, and puts those into files that the iterator
// is in. Others leave the files. Those being read or read ahead stay.
func (k *contentCache) evict(limit int64) {
	for el := k.lru.Back(); el != nil && (k.bytes > limit || k.filed > 0) && el != k.lru.Front(); {
		c, prev := el.Value.(*chunkContent), el.Prev()
		needed := c.ref.start <= k.at && k.at <= c.ref.end
		above := k.bytes > limit && c.size > 0
		switch {
		case c.ref == k.visited || c.ahead || !c.ready():
		case !needed && (k.bytes > limit || c.filed > 0):
			k.remove(el)
		case needed && (above && !k.file(c) || c.filed > 0 && k.filed > k.filedLimit):
			if c.blk.Size() > c.most {
				k.dropped[c.ref]++
			}
			k.remove(el)
		}
		el = prev
	}
}

// file puts a content into a file. It returns false if it has to be read again.
func (k *contentCache) file(c *chunkContent) bool {
	blk := c.blk.inFile()
	if blk == nil {
		return false
	}
	c.blk.Release()
	c.blk = blk
	k.measure(c)
	return true
}

func (k *contentCache) remove(el *list.Element) {
	c := el.Value.(*chunkContent)
	k.forget(el)
	k.used(c)
	k.aheadMore.Add(-c.more)
	c.blk.Release()
}

// forget leaves a content to its reader, or to remove.
func (k *contentCache) forget(el *list.Element) {
	c := el.Value.(*chunkContent)
	k.lru.Remove(el)
	delete(k.contents, c.ref)
	k.count(c, -1)
}

// passed frees the room of chunks before t, which turned out to have no selected message, and the memory of converted
// ones.
func (k *contentCache) passed(t Time, dir int) {
	for el := k.lru.Front(); el != nil; {
		c, next := el.Value.(*chunkContent), el.Next()
		if dir > 0 && c.ref.end < t || dir < 0 && c.ref.start > t {
			k.used(c)
			if c.converted && c.ref != k.visited && c.ready() {
				k.remove(el)
			}
		}
		el = next
	}
}

// dropQueued drops the chunks that nobody has begun to read. Others no longer count as ahead.
func (k *contentCache) dropQueued() {
	for el := k.lru.Front(); el != nil; {
		c, next := el.Value.(*chunkContent), el.Next()
		k.used(c)
		if c.claim() {
			k.remove(el)
		}
		el = next
	}
}

// restart must be called when the iterator seeks.
func (k *contentCache) restart() {
	k.at = -1
	clear(k.dropped)
	k.dropQueued()
	k.evict(k.seekLimit)
}

// clear drops all contents, which must have been read.
func (k *contentCache) clear() {
	for el := k.lru.Front(); el != nil; el = k.lru.Front() {
		k.remove(el)
	}
}
