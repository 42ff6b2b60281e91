package bagstore

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// leadBytes bounds the data read ahead within Query.Lead.
	leadBytes = 32 << 20
	// leadChunks bounds the queue of the thread.
	leadChunks = 256
	// prefetchWait is how long a message waits for the thread, which needs a few ms on a free
	// processor.
	prefetchWait = 20 * time.Millisecond
)

// prefetcher reads chunks before they are needed, which leaves the other cores to consumers of earlier
// messages: each on a goroutine of its own or, with Query.Lead, one at a time on a thread of low
// priority. Methods are for the iterator's goroutine.
type prefetcher struct {
	queue chan func()  // of the thread; nil: not started
	bytes int64        // size of the contents marked as ahead
	limit int64        // of bytes
	more  atomic.Int64 // bytes of contents above what was expected
	wait  sync.WaitGroup
}

// Quietly runs work on a thread of low priority: the system preempts it when a message is due or a
// subscriber receives one.
func Quietly(wait *sync.WaitGroup, work func()) {
	wait.Go(func() {
		// Never unlocked: the thread, with its low priority, ends with the goroutine.
		runtime.LockOSThread()
		lowerPriority()
		work()
	})
}

// fill reads content claimed by the caller.
func (p *prefetcher) fill(c *chunkContent, in Reader, l Layout, urgent bool) {
	defer close(c.done)
	blk, err := in.Load(c.ref.chunk, l, urgent)
	c.blk, c.err = blk, err
	if l.Access == Converted && err == nil {
		c.more = blk.Size() - l.Size
		p.more.Add(c.more)
	}
	if !c.state.CompareAndSwap(contentBegun, contentThere) {
		p.more.Add(-c.more)
		blk.Release()
	}
}

// start queues a read for the thread. The caller has looked whether there is room.
func (p *prefetcher) start(read func()) {
	if p.queue == nil {
		queue := make(chan func(), leadChunks)
		p.queue = queue
		Quietly(&p.wait, func() {
			for next := range queue {
				next()
			}
		})
	}
	p.queue <- read // can't block: this is the only sender
}

func (p *prefetcher) used(c *chunkContent) {
	if c.ahead {
		c.ahead = false
		p.bytes -= c.size
	}
}

// stop waits for all reads. Those that the thread hasn't begun must have been claimed.
func (p *prefetcher) stop() {
	if p.queue != nil {
		close(p.queue)
		p.queue = nil
	}
	p.wait.Wait()
}

// prefetch starts reading a chunk that is needed soon. It returns false if there is no room.
func (mr *messageReader) prefetch(r chunkRef, l Layout) bool {
	p := &mr.ahead
	if held := p.bytes + p.more.Load(); held > 0 && held+l.Size > p.limit || len(p.queue) == leadChunks {
		return false
	}
	c, there := mr.cached(r)
	if !there {
		if plain(l) && !mr.makeRoom(l.Size) {
			return false
		}
		c = mr.add(r, l)
	}
	if !c.ahead {
		c.ahead = true
		p.bytes += c.size
	}
	if c.state.Load() != contentWaits {
		return true
	}
	in := mr.readers[r.bag]
	read := func() {
		if c.claim() {
			p.fill(c, in, l, false)
		}
	}
	if c.slow = mr.v.lead > 0; !c.slow {
		p.wait.Go(read)
		return true
	}
	p.start(func() {
		if p.more.Load() <= p.limit/2 { // otherwise it is read when it is due
			read()
		}
	})
	return true
}

// starves waits for a chunk that the thread is reading. It returns true if that is too slow;
// the chunk then has to be requested again.
func (mr *messageReader) starves(c *chunkContent) bool {
	if c.ready() {
		return false
	}
	timer := time.NewTimer(mr.v.prefetchWait)
	defer timer.Stop()
	select {
	case <-c.done:
		return false
	case <-timer.C:
	}
	if !c.state.CompareAndSwap(contentBegun, contentAbandoned) {
		return false
	}
	el := mr.cache[c.ref]
	mr.lru.Remove(el)
	delete(mr.cache, c.ref)
	mr.count(c, -1)
	return true
}

// passed frees the room of chunks before t, which turned out to have no selected message, and the memory of converted ones.
func (mr *messageReader) passed(t Time, dir int) {
	for el := mr.lru.Front(); el != nil; {
		c, next := el.Value.(*chunkContent), el.Next()
		if dir > 0 && c.ref.end < t || dir < 0 && c.ref.start > t {
			mr.ahead.used(c)
			if c.converted && c.ref != mr.chunkRef && c.ready() {
				mr.remove(el)
			}
		}
		el = next
	}
}

// forgetQueued drops the chunks that nobody has begun to read. Others no longer count as ahead.
func (mr *messageReader) forgetQueued() {
	for el := mr.lru.Front(); el != nil; {
		c, next := el.Value.(*chunkContent), el.Next()
		mr.ahead.used(c)
		if c.claim() {
			mr.remove(el)
		}
		el = next
	}
}
