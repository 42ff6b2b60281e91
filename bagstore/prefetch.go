package bagstore

import (
	"runtime"
	"sync"
	"time"
)

// prefetcher reads chunks before they are needed, which leaves the other cores to consumers of earlier
// messages: each on a goroutine of its own or, with Query.Lead, one at a time on a thread of low
// priority. Methods are for the iterator's goroutine.
type prefetcher struct {
	queue chan func() // to the thread, from the iterator's goroutine; nil: not started
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

// start queues a read for the thread. The queue must not be full.
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
	cache := &mr.cache
	if !cache.roomAhead(l.Size) || len(mr.ahead.queue) == leadChunks {
		return false
	}
	c := cache.get(r)
	if c == nil {
		if plain(l) && !cache.makeRoom(l.Size) {
			return false
		}
		c = cache.add(r, l)
	}
	cache.mark(c)
	if c.state.Load() != contentWaits {
		return true
	}
	in := mr.readers[r.bag]
	read := func() {
		if c.claim() {
			c.fill(in, l, false, &cache.aheadMore)
		}
	}
	if c.slow = mr.v.lead > 0; !c.slow {
		mr.ahead.wait.Go(read)
		return true
	}
	mr.ahead.start(func() {
		if cache.aheadMore.Load() <= cache.aheadLimit/2 { // otherwise it is read when it is due
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
	if !c.abandon() {
		return false
	}
	mr.cache.forget(mr.cache.contents[c.ref])
	return true
}
