package bagstore

import (
	"runtime"
	"sync"
	"time"
)

const (
	// leadBytes bounds what is decompressed ahead by time.
	leadBytes = 32 << 20
	// leadChunks bounds how many chunks wait for the worker.
	leadChunks = 256
	// patience is how long a message waits for the worker. It reads a chunk in some
	// milliseconds, unless other programs leave it no processor.
	patience = 20 * time.Millisecond
)

// quietWorker reads chunks ahead, one after the other, on a thread whose priority is
// lower than that of all others: the system interrupts it as soon as a message is to be
// sent, or a subscriber on the same machine to receive one. The thread is started by the
// first chunk. Only the iterator's goroutine calls methods.
type quietWorker struct {
	queue chan quietRead // nil: not started
	bytes int64          // of contents that are marked as ahead
	wait  sync.WaitGroup
}

type quietRead struct {
	content *chunkContent
	head    ChunkHeader
}

func (q *quietWorker) start(mr *messageReader) {
	q.queue = make(chan quietRead, leadChunks)
	queue := q.queue
	q.wait.Go(func() {
		// It is never unlocked: the thread ends with the goroutine, and the lower
		// priority with the thread.
		runtime.LockOSThread()
		lowerPriority()
		for next := range queue {
			if next.content.claim() {
				mr.fill(next.content, next.head, false)
			}
		}
	})
}

// used notes that a content isn't ahead any more.
func (q *quietWorker) used(c *chunkContent) {
	if c.ahead {
		c.ahead = false
		q.bytes -= c.size
	}
}

// stop ends the thread after the chunk that it is reading. The queue has nothing else
// that isn't claimed.
func (q *quietWorker) stop() {
	if q.queue != nil {
		close(q.queue)
		q.wait.Wait()
		q.queue = nil
	}
}

// prefetchQuietly has the worker read a chunk. It returns false if there is no room.
func (mr *messageReader) prefetchQuietly(r chunkRef) bool {
	head, ok := mr.worthAhead(r)
	if !ok {
		return true
	}
	q := &mr.quiet
	if q.bytes > 0 && q.bytes+head.Size > mr.v.leadBytes || len(q.queue) == leadChunks {
		return false
	}
	if _, there := mr.cache[r]; !there && head.Compression == None && !mr.makeRoom(head.Size) {
		return false
	}
	if q.queue == nil {
		q.start(mr)
	}
	c := mr.find(r, head, false)
	if !c.ahead {
		c.ahead = true
		q.bytes += c.size
	}
	if c.state.Load() == contentWaits {
		c.quiet = true
		q.queue <- quietRead{c, head} // only we put something in
	}
	return true
}

// starves waits for a chunk that the worker reads and a message is wanted of. If the worker
// is held up, the chunk leaves the cache, to be read again at once.
func (mr *messageReader) starves(c *chunkContent) bool {
	enough := time.NewTimer(mr.v.patience)
	defer enough.Stop()
	select {
	case <-c.done:
		return false
	case <-enough.C:
	}
	if !c.state.CompareAndSwap(contentBegun, contentAbandoned) {
		return false // it is there now
	}
	el := mr.cache[c.ref]
	mr.lru.Remove(el)
	delete(mr.cache, c.ref)
	mr.count(c, -1)
	return true
}

// passed makes room of chunks that turned out to have no message to read.
func (mr *messageReader) passed(t Time, dir int) {
	for el := mr.lru.Front(); el != nil; el = el.Next() {
		c := el.Value.(*chunkContent)
		if dir > 0 && c.ref.end < t || dir < 0 && c.ref.start > t {
			mr.quiet.used(c)
		}
	}
}

// forgetQueued drops the chunks that the worker hasn't begun, and doesn't count those
// that it has read: what is ahead is somewhere else now. They leave the cache like all
// others.
func (mr *messageReader) forgetQueued() {
	for el := mr.lru.Front(); el != nil; {
		c, next := el.Value.(*chunkContent), el.Next()
		mr.quiet.used(c)
		if c.claim() {
			mr.remove(el)
		}
		el = next
	}
}
