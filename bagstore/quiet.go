package bagstore

import (
	"runtime"
	"sync"
	"time"
)

const (
	// leadBytes bounds the data read ahead within Query.Lead.
	leadBytes = 32 << 20
	// leadChunks bounds the queue of the worker.
	leadChunks = 256
	// patience is how long a message waits for the worker, which needs a few ms on a free
	// processor.
	patience = 20 * time.Millisecond
)

// quietWorker reads chunks ahead, one at a time, on a thread of low priority: the system preempts
// it when a message is due or a subscriber receives one. The first chunk starts the thread. Methods
// are for the iterator's goroutine.
type quietWorker struct {
	queue chan quietRead // nil: not started
	bytes int64          // size of the contents marked as ahead
	wait  sync.WaitGroup
}

type quietRead struct {
	content *chunkContent
	in      Loader
	layout  Layout
}

func (q *quietWorker) start() {
	q.queue = make(chan quietRead, leadChunks)
	queue := q.queue
	q.wait.Go(func() {
		// Never unlocked: the thread, with its low priority, ends with the goroutine.
		runtime.LockOSThread()
		lowerPriority()
		for next := range queue {
			if next.content.claim() {
				next.content.fill(next.in, next.layout, false)
			}
		}
	})
}

func (q *quietWorker) used(c *chunkContent) {
	if c.ahead {
		c.ahead = false
		q.bytes -= c.size
	}
}

// stop ends the thread. All chunks that it isn't reading must have been claimed.
func (q *quietWorker) stop() {
	if q.queue != nil {
		close(q.queue)
		q.wait.Wait()
		q.queue = nil
	}
}

// prefetchQuietly queues a chunk for the worker. It returns false if there is no room.
func (mr *messageReader) prefetchQuietly(r chunkRef) bool {
	l, ok := mr.worthAhead(r)
	if !ok {
		return true
	}
	q := &mr.quiet
	if q.bytes > 0 && q.bytes+l.Size > mr.v.leadBytes || len(q.queue) == leadChunks {
		return false
	}
	if _, there := mr.cache[r]; !there && l.Compression == None && !mr.makeRoom(l.Size) {
		return false
	}
	if q.queue == nil {
		q.start()
	}
	c := mr.find(r, l, false)
	if !c.ahead {
		c.ahead = true
		q.bytes += c.size
	}
	if c.state.Load() == contentWaits {
		c.quiet = true
		q.queue <- quietRead{c, mr.loaders[r.bag], l} // can't block: this is the only sender
	}
	return true
}

func closesWithin(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// starves waits for a chunk that the worker is reading. It returns true if the worker is too slow;
// the chunk then has to be requested again.
func (mr *messageReader) starves(c *chunkContent) bool {
	if closesWithin(c.done, mr.v.patience) || !c.state.CompareAndSwap(contentBegun, contentAbandoned) {
		return false
	}
	el := mr.cache[c.ref]
	mr.lru.Remove(el)
	delete(mr.cache, c.ref)
	mr.count(c, -1)
	return true
}

// passed frees the room of chunks before t, which turned out to have no selected message.
func (mr *messageReader) passed(t Time, dir int) {
	for el := mr.lru.Front(); el != nil; el = el.Next() {
		c := el.Value.(*chunkContent)
		if dir > 0 && c.ref.end < t || dir < 0 && c.ref.start > t {
			mr.quiet.used(c)
		}
	}
}

// forgetQueued drops the chunks that the worker hasn't begun. Others no longer count as ahead.
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
