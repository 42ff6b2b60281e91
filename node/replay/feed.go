package replay

import (
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
)

// A feed reads ahead until it holds aheadBytes, and again when half of them are
// used, so that it doesn't wake for every message. Small messages count as
// itemBytes.
const (
	aheadBytes = 8 << 20
	itemBytes  = 4 << 10
)

// settleTime bounds how long playback waits for the feed to be full before it begins.
const settleTime = 100 * time.Millisecond

// item is a message that was read ahead, or the error of reading it.
type item struct {
	Recorded
	block msgs.Releaser // the item's own reference to the message's bytes; nil with err
	err   error
}

func (i *item) release() {
	if i.block != nil {
		i.block.Release()
	}
}

// feed reads a view's messages ahead of the player, in a goroutine of its own,
// so that neither the disk nor decompression makes a message late. Its methods are
// called by the player's goroutine.
type feed struct {
	it    Iterator
	items chan item // closed at the end of the view
	bytes atomic.Int64
	room  chan struct{} // capacity 1: half of the bytes are used up
	begun chan struct{} // closed when the first message was read, or there is none
	full  chan struct{} // closed when the feed first has no room, or has read everything
	quit  chan struct{}
	done  sync.WaitGroup
}

func newFeed(v View) *feed { return &feed{it: v.Iterator()} }

// seek makes next return the first message at or after t.
func (f *feed) seek(t bagstore.Time) {
	f.stop()
	f.it.Seek(t)
	f.items, f.room, f.quit = make(chan item, aheadBytes/itemBytes+1), make(chan struct{}, 1), make(chan struct{})
	f.begun, f.full = make(chan struct{}), make(chan struct{})
	f.bytes.Store(0)
	f.done.Go(f.run)
}

func (f *feed) run() {
	defer close(f.items)
	begun, filled := sync.OnceFunc(func() { close(f.begun) }), sync.OnceFunc(func() { close(f.full) })
	defer filled()
	defer begun()
	for {
		next := item{}
		if f.it.Next() {
			next.Recorded = f.it.Message()
			next.block = next.Retain()
		} else if next.err = f.it.Err(); next.err == nil {
			return
		}
		if f.bytes.Load() >= aheadBytes {
			filled()
		}
		if !f.put(next) {
			next.release()
			return
		}
		begun()
	}
}

// weight is what counts towards aheadBytes. The channel has room for all that may wait.
func (i *item) weight() int64 { return max(int64(len(i.Data)), i.Held, itemBytes) }

// put waits for room. It returns false if the feed was stopped.
func (f *feed) put(next item) bool {
	for f.bytes.Load() >= aheadBytes {
		select {
		case <-f.room:
		case <-f.quit:
			return false
		}
	}
	f.bytes.Add(next.weight())
	f.items <- next
	return true
}

// settle waits for the first message, and up to settleTime until the feed is full. Then
// reading doesn't compete for the processors with sending the first messages.
func (f *feed) settle() {
	<-f.begun
	enough := time.NewTimer(settleTime)
	defer enough.Stop()
	select {
	case <-f.full:
	case <-enough.C:
	}
}

// next waits for a message, which the caller releases. It is false at the end.
func (f *feed) next() (item, bool) {
	next, ok := <-f.items
	if ok && f.bytes.Add(-next.weight()) < aheadBytes/2 {
		select {
		case f.room <- struct{}{}:
		default:
		}
	}
	return next, ok
}

func (f *feed) stop() {
	if f.quit == nil {
		return
	}
	close(f.quit)
	for next := range f.items {
		next.release()
	}
	f.done.Wait()
	f.quit = nil
}

func (f *feed) close() {
	f.stop()
	f.it.Close()
}
