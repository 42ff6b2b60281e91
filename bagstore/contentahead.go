package bagstore

import (
	"runtime"
	"sync"
	"time"
)

// Limits of reading Converted messages ahead, in bytes as Reader.Read returns them.
const (
	// aheadBytes bounds what each worker reads ahead, so that messages are still in the cache when
	// they are visited.
	aheadBytes = 8 << 20
	// aheadMost bounds them if messages turn out larger than those before them.
	aheadMost = 64 << 20
	// batchBytes is how much one worker reads in a row. A compressed block is read up to batchMost.
	batchBytes = 256 << 10
	batchMost  = 16 << 20
	// batchMessages bounds the messages of a batch.
	batchMessages = 4096
	// aheadWorkers bounds the number of workers.
	aheadWorkers = 4
	// aheadAfter is the number of messages in a row before reading ahead begins.
	aheadAfter = 2
)

// contentAhead reads an iterator's Converted messages ahead. It decompresses and
// converts them on all cores or, with Query.Lead, on one thread of low priority,
// limited by time. Methods are for the iterator's goroutine.
type contentAhead struct {
	reads int // messages in a row
	run   *aheadRun
	wait  sync.WaitGroup // for the goroutines of all runs
	quiet chan struct{}  // closed when the last quiet goroutine has ended; nil: none
}

// drop discards everything read ahead, because the iterator moved elsewhere. It doesn't wait.
func (a *contentAhead) drop() {
	a.reads = 0
	if a.run != nil {
		a.run.stop()
		a.run = nil
	}
}

func (a *contentAhead) close() {
	a.drop()
	a.wait.Wait()
}

// take returns the iterator's current message if it was read ahead or is about to be.
func (a *contentAhead) take(it *Iterator) (m aheadMessage, ok bool) {
	if a.run == nil {
		if a.reads++; a.reads > aheadAfter {
			a.start(it)
		}
		return m, false
	}
	return a.run.take(it.pos)
}

// start starts workers that read from the iterator's position on. It does nothing while
// the quiet worker of an earlier run is still reading: a player can't wait for it.
func (a *contentAhead) start(it *Iterator) {
	if a.quiet != nil {
		select {
		case <-a.quiet:
		default:
			return
		}
	}
	a.wait.Wait() // the previous run still uses memory
	v := it.v
	r := &aheadRun{v: v, dir: it.dir, now: it.pos, sizes: make(map[aheadTopic]int64), limit: v.leadBytes}
	r.room.L, r.made.L = &r.mu, &r.mu
	r.it = &Iterator{v: v, reader: newMessageReader(v), pos: it.pos, after: it.after}
	a.run = r
	if v.lead > 0 {
		ended := make(chan struct{})
		a.quiet = ended
		Quietly(&a.wait, func() {
			defer close(ended)
			r.work()
		})
		return
	}
	workers := min(runtime.GOMAXPROCS(0), aheadWorkers)
	r.limit = int64(workers) * aheadBytes
	for range workers {
		a.wait.Go(r.work)
	}
}

// aheadRun reads ahead from one position in one direction. Workers form batches in turns.
type aheadRun struct {
	v     *View
	dir   int
	limit int64 // of bytes

	forming sync.Mutex   // held while forming a batch; guards it, held and holds
	it      *Iterator    // visits the messages to read, without reading them
	held    aheadMessage // if holds: the message last visited, not yet in a batch
	holds   bool

	giants sync.Mutex // held while reading a message larger than batchMost

	mu    sync.Mutex
	room  sync.Cond // signals workers that room is available or time has passed
	made  sync.Cond // signals the iterator that a batch was queued
	queue []*aheadBatch
	bytes int64 // size of the queue, expected or actual
	sizes map[aheadTopic]int64
	now   key  // the message asked for last
	until Time // time of the message that waits for room; 0: none
	ended bool // the queue is complete
	quit  bool
}

// aheadTopic is a connection of a bag. A message is expected to be as large as its previous one.
type aheadTopic struct {
	bag  int
	conn uint32
}

// aheadBatch is a run of messages. Its worker owns them until done is closed.
type aheadBatch struct {
	list   []aheadMessage
	expect int64 // size of the remaining messages, expected or actual
	next   int   // index in list, for the iterator
	gone   bool  // removed from the queue
	done   chan struct{}
}

type aheadMessage struct {
	key  key
	pos  messagePos
	read bool // Stored and err are set
	Stored
	err error
}

func (m *aheadMessage) topic() aheadTopic { return aheadTopic{m.pos.bag, m.pos.Conn} }

func (m *aheadMessage) release() {
	m.Buffer.Release()
	*m = aheadMessage{key: m.key, pos: m.pos}
}

// stop ends the run. Workers release the messages that they are reading.
func (r *aheadRun) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.quit = true
	for len(r.queue) > 0 {
		r.pop()
	}
	r.room.Broadcast()
}

// pop removes the first batch. If it is being read, its worker releases the messages.
func (r *aheadRun) pop() {
	b := r.queue[0]
	r.queue[0] = nil
	r.queue = r.queue[1:]
	b.gone = true
	r.bytes -= b.expect
	select {
	case <-b.done:
		for i := b.next; i < len(b.list); i++ {
			b.list[i].release()
		}
	default:
	}
}

// take returns the message at k, which must follow those before. With Query.Lead it waits at most
// for the view's patience.
func (r *aheadRun) take(k key) (m aheadMessage, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = k
	defer r.wake()
	for {
		for len(r.queue) == 0 && !r.ended && r.v.lead == 0 {
			r.wake()
			r.made.Wait()
		}
		if len(r.queue) == 0 {
			return m, false
		}
		b := r.queue[0]
		if last := b.list[len(b.list)-1].key; b.next == len(b.list) || last.compare(k)*r.dir < 0 {
			r.pop() // a damaged index may list a message twice, so k may be in the next batch
			continue
		}
		if b.list[b.next].key.compare(k)*r.dir > 0 {
			return m, false
		}
		if !r.ready(b) {
			r.pop() // the iterator reads its messages itself
			return m, false
		}
		for ; b.next < len(b.list); b.next++ {
			switch c := b.list[b.next].key.compare(k) * r.dir; {
			case c < 0:
				r.used(b).release()
			case c > 0:
				return m, false
			default:
				m = *r.used(b)
				b.next++
				return m, m.read
			}
		}
	}
}

func (r *aheadRun) used(b *aheadBatch) *aheadMessage {
	m := &b.list[b.next]
	b.expect -= int64(len(m.Data))
	r.bytes -= int64(len(m.Data))
	return m
}

// ready waits for a batch, without the lock.
func (r *aheadRun) ready(b *aheadBatch) bool {
	r.mu.Unlock()
	defer r.mu.Lock()
	if r.v.lead == 0 {
		<-b.done
		return true
	}
	return closesWithin(b.done, r.v.patience)
}

// wake wakes the workers when half of the room is free and half of the lead has passed.
func (r *aheadRun) wake() {
	if r.bytes > r.limit/2 {
		return
	}
	if r.v.lead > 0 && r.until != 0 && r.until.Sub(r.now.time)*time.Duration(r.dir) > r.v.lead/2 {
		return
	}
	r.room.Broadcast()
}

func (r *aheadRun) work() {
	readers := make([]Reader, len(r.v.bags))
	for b := r.form(); b != nil; b = r.form() {
		r.read(readers, b)
	}
}

// form waits for room, queues the next batch and returns it; nil at the end.
func (r *aheadRun) form() *aheadBatch {
	r.forming.Lock()
	defer r.forming.Unlock()
	b := &aheadBatch{done: make(chan struct{})}
	for r.peek() && r.admit(b) {
		b.list = append(b.list, r.held)
		b.expect += r.expected()
		r.holds = false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.made.Signal()
	if r.quit || len(b.list) == 0 {
		r.ended = true
		return nil
	}
	r.queue = append(r.queue, b)
	r.bytes += b.expect
	return b
}

// peek makes held the next Converted message after the one asked for last.
func (r *aheadRun) peek() bool {
	for {
		r.mu.Lock()
		now, quit := r.now, r.quit
		r.mu.Unlock()
		if quit {
			return false
		}
		if r.holds && r.held.key.compare(now)*r.dir > 0 {
			return true
		}
		r.holds = false
		if r.it.move(r.dir) {
			r.held = aheadMessage{key: r.it.pos, pos: r.it.reader.messagePos}
			r.holds = r.held.pos.Layout.Access == Converted
		} else if r.it.err == nil {
			return false
		}
	}
}

func (r *aheadRun) expected() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, known := r.sizes[r.held.topic()]; known {
		return n
	}
	return batchBytes
}

// admit reports whether the held message belongs to b, for the first one after waiting for room.
func (r *aheadRun) admit(b *aheadBatch) bool {
	n := r.expected()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(b.list) > 0 {
		return r.joins(b, n) && r.hasRoom(b.expect+n)
	}
	for !r.quit && !r.hasRoom(n) {
		r.until = r.held.key.time
		r.room.Wait()
		r.until = 0
	}
	return !r.quit
}

// hasRoom reports whether n more bytes may be read now.
func (r *aheadRun) hasRoom(n int64) bool {
	if r.v.lead > 0 && r.held.key.time.Sub(r.now.time)*time.Duration(r.dir) > r.v.lead {
		return false
	}
	return r.bytes == 0 || r.bytes+n <= r.limit
}

// joins reports whether the held message fits into b. Only one worker decompresses a block.
func (r *aheadRun) joins(b *aheadBatch, n int64) bool {
	p, last := &r.held.pos, &b.list[len(b.list)-1].pos
	most := int64(batchBytes)
	if p.Layout.Compression != None {
		if p.chunkRef != last.chunkRef {
			return false
		}
		most = max(most, min(p.Layout.Size, batchMost))
	}
	return b.expect+n <= most && len(b.list) < batchMessages
}

func (r *aheadRun) read(readers []Reader, b *aheadBatch) {
	n := int64(0)
	for i := range b.list {
		if n >= batchMost || r.isGone(b) {
			break
		}
		bag := b.list[i].pos.bag
		if readers[bag] == nil {
			readers[bag] = r.v.bags[bag].source.Reader()
		}
		r.readMessage(readers[bag], b, &b.list[i])
		n += int64(len(b.list[i].Data))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	close(b.done)
	if b.gone {
		for i := range b.list {
			b.list[i].release()
		}
		return
	}
	for i := range b.list {
		if m := &b.list[i]; m.read && m.err == nil {
			r.sizes[m.topic()] = int64(len(m.Data))
		}
	}
	r.bytes += n - b.expect
	b.expect = n
}

func (r *aheadRun) isGone(b *aheadBatch) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return b.gone
}

// readMessage reads a message. Those larger than batchMost are read one at a time, and kept if
// there is room.
func (r *aheadRun) readMessage(in Reader, b *aheadBatch, m *aheadMessage) {
	giant := false
	m.err = in.Read(&m.pos.Position, &m.Stored, func(n int) {
		if n > batchMost && !giant {
			r.giants.Lock()
			giant = true
		}
	})
	m.read = true
	if !giant {
		return
	}
	defer r.giants.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes+int64(len(m.Data)) > aheadMost && len(r.queue) > 0 && r.queue[0] != b {
		r.sizes[m.topic()] = int64(len(m.Data))
		m.release() // the iterator reads it again
	}
}
