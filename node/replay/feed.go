package replay

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/node/internal/wake"
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
	latched *channel      // on which it is latched where the run begins: it is due at once
	block   msgs.Releaser // the item's own reference to the message's bytes; nil with err
	err     error
}

func (i *item) release() {
	if i.block != nil {
		i.block.Release()
	}
}

// feed reads a view's messages ahead of the player, in a goroutine of its own,
// so that neither the disk nor decompression makes a message late. Its methods are
// called by the player's goroutine, which none of them but close lets wait for the disk or
// the network.
type feed struct {
	it   Iterator
	wake func()    // ends the player's wait
	runs chan *run // capacity 1: the newest run, for the goroutine
	now  *run      // the newest run, for the player
	done sync.WaitGroup
}

// run is what is read from one position on.
type run struct {
	from   bagstore.Time
	before prelude
	items  chan item // closed at the end of the view
	bytes  atomic.Int64
	last   atomic.Int64  // time of the newest item
	hungry atomic.Bool   // the player waits for items
	room   wake.Signal   // half of the bytes are used up
	full   chan struct{} // closed when there first is no room, or everything was read
	quit   chan struct{} // closed when another run follows, or none
}

func newFeed(v View, wake func()) *feed {
	f := &feed{it: v.Iterator(), wake: wake, runs: make(chan *run, 1)}
	f.done.Go(f.work)
	return f
}

// prelude calls a function with messages that are latched. It returns the function's error.
type prelude func(func(*channel, Recorded) error) error

// seek makes next return what is latched before t, and then the first message at or after t.
func (f *feed) seek(t bagstore.Time, before prelude) {
	f.stop()
	f.now = &run{from: t, before: before, items: make(chan item, aheadBytes/itemBytes+1), room: wake.New(), full: make(chan struct{}), quit: make(chan struct{})}
	select {
	case <-f.runs: // not begun
	default:
	}
	f.runs <- f.now
}

// work reads one run after the other.
func (f *feed) work() {
	for r := range f.runs {
		if r.readLatched() {
			f.it.Seek(r.from)
			f.read(r)
		}
		select {
		case <-r.quit:
			r.release()
		default:
		}
	}
}

var errStopped = errors.New("the run was stopped")

// readLatched returns false if the run was stopped.
func (r *run) readLatched() bool {
	err := r.before(func(ch *channel, m Recorded) error {
		next := item{Recorded: m, latched: ch, block: m.Retain()}
		if !r.put(next) {
			next.release()
			return errStopped
		}
		return nil
	})
	return err == nil || !errors.Is(err, errStopped) && r.put(item{err: fmt.Errorf("latched messages: %w", err)})
}

// read reads a run until its end, or until it is stopped.
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
		if r.bytes.Load() >= aheadBytes {
			filled()
		}
		if !r.put(next) {
			next.release()
			return
		}
		r.fed(f.wake)
	}
}

// weight is what counts towards aheadBytes. The channel has room for all that may wait.
func (i *item) weight() int64 { return max(int64(len(i.Data)), i.Held, itemBytes) }

// put waits for room. It returns false if the run was stopped.
func (r *run) put(next item) bool {
	for {
		select {
		case <-r.quit:
			return false
		default:
		}
		if r.bytes.Load() < aheadBytes {
			break
		}
		select {
		case <-r.room:
		case <-r.quit:
			return false
		}
	}
	if next.err == nil {
		r.last.Store(int64(next.Time))
	}
	r.bytes.Add(next.weight())
	r.items <- next
	return true
}

// fed wakes a player that waits.
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

// patience is how long next waits for a message before bag time is held. The feed is
// seldom empty for as long when it reads a disk.
const patience = 2 * time.Millisecond

// next returns the next message, which the caller releases. end is true after the last
// one. If there is none within patience of the clock, there is false, and the clock's Wait
// ends when there may be one.
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
	case next, ok := <-r.items: // before the feed could see that it is waited for
		return r.taken(next, ok)
	default:
		return item{}, false, false
	}
}

func (r *run) taken(next item, ok bool) (_ item, there, end bool) {
	r.hungry.Store(false)
	if ok && r.bytes.Add(-next.weight()) < aheadBytes/2 {
		r.room.Set()
	}
	return next, ok, !ok
}

// ample reports whether enough was read to play on after a stall: up to bag time t, half
// of what the feed holds, or everything. If not, the clock's Wait ends when there is more.
func (f *feed) ample(t bagstore.Time) bool {
	r := f.now
	enough := func() bool { return r.last.Load() >= int64(t) || r.bytes.Load() >= aheadBytes/2 }
	if enough() {
		return true
	}
	r.hungry.Store(true)
	return enough()
}

func (f *feed) stop() {
	if f.now != nil {
		close(f.now.quit)
		f.now.release()
		f.now = nil
	}
}

// close waits for reading that is under way.
func (f *feed) close() {
	f.stop()
	close(f.runs)
	f.done.Wait()
	f.it.Close()
}
