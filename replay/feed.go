package replay

import (
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/program/buffers"
	"rsros/program/work"
)

// A feed reads ahead until it holds Options.Ahead, by default aheadBytes, and again when half of
// them are used, so that it doesn't wake for every message. Small messages count as itemBytes.
const (
	aheadBytes = 8 << 20
	itemBytes  = 4 << 10
)

// settleTime bounds how long playback waits for the feed to be full before it begins.
const settleTime = 100 * time.Millisecond

// item is a message that was read ahead, or the error of reading it.
type item struct {
	Recorded
	latched *channel         // if not nil, the item is latched on it at the start of the run, and due at once
	block   buffers.Releaser // the item's own reference to the message's bytes; nil with err
	err     error
}

func (i *item) release() {
	if i.block != nil {
		i.block.Release()
	}
}

// feed reads a view's messages ahead of the player, in a goroutine of its own,
// so that neither the disk nor decompression makes a message late. Its methods are
// called by the player's goroutine. Only close waits for the disk or the network.
type feed struct {
	it    Iterator      // of the run whose turn it is
	turn  chan struct{} // full while a run reads
	ahead int64         // Options.Ahead
	wake  func()        // ends the player's wait
	now   *run          // the newest run
	done  sync.WaitGroup
}

// run is what is read from one position on.
type run struct {
	from   bagstore.Time
	before prelude
	ahead  int64
	items  chan item // closed at the end of the view
	bytes  atomic.Int64
	last   atomic.Int64  // time of the newest item
	hungry atomic.Bool   // the player waits for items
	room   work.Signal   // half of the bytes are used up
	full   chan struct{} // closed when there is no more room for the first time, or everything was read
	quit   chan struct{} // closed when the run is stopped
}

func newFeed(v View, ahead int64, wake func()) *feed {
	return &feed{it: v.Iterator(), ahead: ahead, wake: wake, turn: make(chan struct{}, 1)}
}

// prelude has the latched messages, and the errors of reading them, as items without a block.
type prelude = iter.Seq[item]

// seek makes next return the messages that are latched at t, and then the first message at or after t.
func (f *feed) seek(t bagstore.Time, before prelude) {
	f.stop()
	r := &run{from: t, before: before, ahead: f.ahead, items: make(chan item, f.ahead/itemBytes+1), room: work.NewSignal(),
		full: make(chan struct{}), quit: make(chan struct{})}
	f.now = r
	f.done.Go(func() { f.work(r) })
}

// work reads a run after the one before has stopped. A run that is stopped while it waits ends at once, because any
// number of seeks may come while a read from the network hangs.
func (f *feed) work(r *run) {
	select {
	case f.turn <- struct{}{}:
	case <-r.quit:
		return
	}
	defer func() { <-f.turn }()
	if !r.stopped() && r.readLatched() {
		f.it.Seek(r.from)
		f.read(r)
	}
	if r.stopped() {
		r.release()
	}
}

func (r *run) stopped() bool {
	select {
	case <-r.quit:
		return true
	default:
		return false
	}
}

// readLatched returns false if the run was stopped.
func (r *run) readLatched() bool {
	for next := range r.before {
		if next.err == nil {
			next.block = next.Retain()
		}
		if !r.put(next) {
			next.release()
			return false
		}
	}
	return true
}

// read reads a run until it ends or is stopped.
func (f *feed) read(r *run) {
	filled := sync.OnceFunc(func() { close(r.full) })
	defer filled()
	for {
		next := item{}
		if f.it.Next() {
			next.Recorded = f.it.Message()
			next.block = next.Retain()
		} else if next.err = f.it.Err(); next.err == nil {
			close(r.items)
			r.last.Store(int64(nothing))
			r.fed(f.wake)
			return
		}
		if r.bytes.Load() >= r.ahead {
			filled()
		}
		if !r.put(next) {
			next.release()
			return
		}
		r.fed(f.wake)
	}
}

// weight returns the size that counts towards the feed's bound. The channel has room for all items that may wait.
func (i *item) weight() int64 { return max(i.size(), itemBytes) }

// put waits for room. It returns false if the run was stopped.
func (r *run) put(next item) bool {
	for r.bytes.Load() >= r.ahead && !r.stopped() {
		select {
		case <-r.room:
		case <-r.quit:
		}
	}
	if r.stopped() {
		return false
	}
	if next.err == nil {
		r.last.Store(int64(next.Time))
	}
	r.bytes.Add(next.weight())
	r.items <- next
	return true
}

// fed wakes a waiting player.
func (r *run) fed(wake func()) {
	if r.hungry.Swap(false) {
		wake()
	}
}

// release releases the items of a run that was stopped.
func (r *run) release() {
	for {
		select {
		case next, ok := <-r.items:
			if !ok {
				return
			}
			next.release()
		default:
			return
		}
	}
}

// settle waits up to settleTime until the feed is full. Then reading doesn't compete for
// the processors with sending the first messages.
func (f *feed) settle() {
	enough := time.NewTimer(settleTime)
	defer enough.Stop()
	select {
	case <-f.now.full:
	case <-enough.C:
	}
}

// patience is the time that next waits for a message before bag time is held. When
// reading from a disk, the feed is seldom empty for that long.
const patience = 2 * time.Millisecond

// next returns the next message, which the caller releases. end is true after the last one. If no message was read
// within patience, there is false, and the clock's Wait ends when there may be one.
func (f *feed) next(clock Clock) (next item, there, end bool) {
	r := f.now
	select {
	case next, ok := <-r.items:
		return r.taken(next, ok)
	default:
	}
	if !r.hungry.Load() { // the first time
		slice := time.NewTicker(patience)
		defer slice.Stop()
		for until := clock.Now() + Wall(patience); clock.Now() < until; {
			select {
			case next, ok := <-r.items:
				return r.taken(next, ok)
			case <-slice.C:
			}
		}
		r.hungry.Store(true)
	}
	select {
	case next, ok := <-r.items: // an item that arrived before hungry was set
		return r.taken(next, ok)
	default:
		return item{}, false, false
	}
}

func (r *run) taken(next item, ok bool) (_ item, there, end bool) {
	r.hungry.Store(false)
	if ok && r.bytes.Add(-next.weight()) < r.ahead/2 {
		r.room.Set()
	}
	return next, ok, !ok
}

// hasEnough reports whether enough was read to continue after a stall: up to bag time t, half
// of the feed's capacity, or everything. If not, the clock's Wait ends when more was read.
func (f *feed) hasEnough(t bagstore.Time) bool {
	r := f.now
	r.hungry.Store(true) // before looking, so that nothing is read unnoticed
	return r.last.Load() >= int64(t) || r.bytes.Load() >= r.ahead/2
}

func (f *feed) stop() {
	if f.now != nil {
		close(f.now.quit)
		f.now.release()
		f.now = nil
	}
}

// close stops reading and waits for the goroutine.
func (f *feed) close() {
	f.stop()
	f.done.Wait()
	f.it.Close()
}
