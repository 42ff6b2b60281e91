package bagstore

import (
	"runtime"
	"sync"
	"time"
)

// Limits of what is read ahead of contents, in bytes of messages as they come out.
const (
	// aheadBytes is how much waits to be visited, or is being read, for each worker: what is
	// used soon is in the processor's cache yet.
	aheadBytes = 8 << 20
	// aheadMost bounds what waits if messages turn out larger than those before them.
	aheadMost = 64 << 20
	// batchBytes is how much one worker reads in a row, but of a compressed block all, up
	// to batchMost.
	batchBytes = 256 << 10
	batchMost  = 16 << 20
	// batchMessages bounds the messages of a batch.
	batchMessages = 4096
	// aheadWorkers bounds how many read at once.
	aheadWorkers = 4
	// aheadAfter is how many messages in a row are read before reading ahead begins:
	// after a seek it would only be in the way.
	aheadAfter = 2
)

// contentAhead reads an iterator's messages of contents ahead, by goroutines of its own:
// what is compressed is decompressed, and converted, on all cores. With Query.Lead it does so
// as a quietWorker does, on one thread of low priority and by time. Only the
// iterator's goroutine calls methods.
type contentAhead struct {
	reads int // messages in a row
	run   *aheadRun
	wait  sync.WaitGroup // for the goroutines of all runs
	quiet chan struct{}  // closed when the last quiet one has ended; nil: there was none
}

// drop forgets what was read ahead: reading goes on somewhere else. It doesn't wait.
func (a *contentAhead) drop() {
	a.reads = 0
	if a.run != nil {
		a.run.stop()
		a.run = nil
	}
}

// close waits for the goroutines.
func (a *contentAhead) close() {
	a.drop()
	a.wait.Wait()
}

// take returns the message that the iterator went to, if it was read ahead or is about to
// be.
func (a *contentAhead) take(it *Iterator) (m aheadMessage, ok bool) {
	if a.run == nil {
		if a.reads++; a.reads > aheadAfter {
			a.start(it)
		}
		return m, false
	}
	return a.run.take(it.pos)
}

// start has workers read what follows the iterator's position, unless a quiet one still
// reads what a run before wanted: a player doesn't wait for it.
func (a *contentAhead) start(it *Iterator) {
	if a.quiet != nil {
		select {
		case <-a.quiet:
		default:
			return
		}
	}
	a.wait.Wait() // what a run before still reads takes memory
	v := it.v
	r := &aheadRun{v: v, pool: it.reader.pool, dir: it.dir, now: it.pos, sizes: make(map[aheadTopic]int64), limit: v.leadBytes}
	r.room.L, r.made.L = &r.mu, &r.mu
	r.it = &Iterator{v: v, reader: newMessageReader(v), pos: it.pos, after: it.after}
	a.run = r
	if v.lead > 0 {
		ended := make(chan struct{})
		a.quiet = ended
		a.wait.Go(func() {
			defer close(ended)
			runtime.LockOSThread() // as a quietWorker's
			lowerPriority()
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

// aheadRun reads ahead from one position in one direction. Its workers form batches in turns
// and read them at the same time.
type aheadRun struct {
	v     *View
	pool  *bufferPool
	dir   int
	limit int64 // of bytes

	forming sync.Mutex   // held by the worker whose turn it is; guards it, held and holds
	it      *Iterator    // visits the messages to be read, and reads none
	held    aheadMessage // if holds: the message that it visited last, of no batch yet
	holds   bool

	giants sync.Mutex // held while a message larger than batchMost is read

	mu    sync.Mutex
	room  sync.Cond // workers wait for room, or for time to pass
	made  sync.Cond // the iterator waits for a batch
	queue []*aheadBatch
	bytes int64 // of the queue: read, or expected
	sizes map[aheadTopic]int64
	now   key  // the message that was asked for last
	until Time // of the message for which workers wait; 0: they don't
	ended bool // no batch comes after the queue's
	quit  bool
}

// aheadTopic is a connection of one of the bags. What is expected of the size of a message
// is that of the one before it.
type aheadTopic struct {
	bag  int
	conn uint32
}

// aheadBatch is some messages in a row. Until done is closed they are its worker's.
type aheadBatch struct {
	list   []aheadMessage
	expect int64
	next   int // in list; the iterator's
	gone   bool
	done   chan struct{}
}

// aheadMessage is a message that was read ahead; read is false if it was not.
type aheadMessage struct {
	key  key
	pos  messagePos
	read bool
	data []byte
	blk  *buffer
	err  error
}

func (m *aheadMessage) release() {
	if m.blk != nil {
		m.blk.release()
	}
	*m = aheadMessage{key: m.key, pos: m.pos}
}

// stop ends the run. Workers release what they are reading.
func (r *aheadRun) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.quit = true
	for len(r.queue) > 0 {
		r.pop()
	}
	r.room.Broadcast()
}

// pop drops the first batch. If it is being read, its worker releases the messages.
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

// take returns the message at k, which comes after those that were asked for before. It waits for
// it, but not with Query.Lead for longer than the view's patience.
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
			r.pop() // a damaged index may name a message twice, so k may be in it
			continue
		}
		if b.list[b.next].key.compare(k)*r.dir > 0 {
			return m, false
		}
		if !r.ready(b) {
			r.pop() // its messages are read when they are wanted
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

// used takes the next message of a batch out of account.
func (r *aheadRun) used(b *aheadBatch) *aheadMessage {
	m := &b.list[b.next]
	b.expect -= int64(len(m.data))
	r.bytes -= int64(len(m.data))
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
	select {
	case <-b.done:
		return true
	default:
	}
	enough := time.NewTimer(r.v.patience)
	defer enough.Stop()
	select {
	case <-b.done:
		return true
	case <-enough.C:
		return false
	}
}

// wake wakes a worker when half of the room is free, or half of the lead has passed.
func (r *aheadRun) wake() {
	if r.bytes > r.limit/2 {
		return
	}
	if r.v.lead > 0 && r.until != 0 && r.until.Sub(r.now.time)*time.Duration(r.dir) > r.v.lead/2 {
		return
	}
	r.room.Broadcast()
}

// work reads batches until there are no more.
func (r *aheadRun) work() {
	for {
		b := r.form()
		if b == nil {
			return
		}
		r.read(b)
	}
}

// form waits for room and puts the next batch into the queue; nil at the end.
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

// peek goes to the next message of a content that comes after what was asked for.
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
			r.holds = r.v.bags[r.held.pos.bag].content != nil
		} else if r.it.err == nil {
			return false
		}
	}
}

// expected is what is expected of the size of the message that is held.
func (r *aheadRun) expected() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, known := r.sizes[r.held.topic()]; known {
		return n
	}
	return batchBytes
}

// admit reports whether the message that is held belongs to a batch. For the first of one it
// waits until there is room.
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

// hasRoom reports whether n bytes more may be read now.
func (r *aheadRun) hasRoom(n int64) bool {
	if r.v.lead > 0 && r.held.key.time.Sub(r.now.time)*time.Duration(r.dir) > r.v.lead {
		return false
	}
	return r.bytes == 0 || r.bytes+n <= r.limit
}

// joins reports whether the message that is held is read by the worker that reads a batch's. A
// compressed block is one worker's, who decompresses it.
func (r *aheadRun) joins(b *aheadBatch, n int64) bool {
	p, last := &r.held.pos, &b.list[len(b.list)-1].pos
	most := int64(batchBytes)
	if p.head.Compression != None {
		if p.chunkRef != last.chunkRef {
			return false
		}
		most = max(most, min(p.head.Size, batchMost))
	}
	return b.expect+n <= most && len(b.list) < batchMessages
}

// read reads the messages of a batch, up to where they are more than one may be.
func (r *aheadRun) read(b *aheadBatch) {
	n := int64(0)
	for i := range b.list {
		if n >= batchMost || r.isGone(b) {
			break
		}
		r.readMessage(b, &b.list[i])
		n += int64(len(b.list[i].data))
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
			r.sizes[m.topic()] = int64(len(m.data))
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

// readMessage reads one message. Giants are read one at a time, and kept if nothing else
// takes memory.
func (r *aheadRun) readMessage(b *aheadBatch, m *aheadMessage) {
	giant := false
	m.data, m.blk, m.err = m.pos.readContent(r.v.bags[m.pos.bag], r.pool, func(n int) {
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
	if r.bytes+int64(len(m.data)) > aheadMost && len(r.queue) > 0 && r.queue[0] != b {
		r.sizes[m.topic()] = int64(len(m.data))
		m.release() // it is read again when it is wanted
	}
}

func (m *aheadMessage) topic() aheadTopic { return aheadTopic{m.pos.bag, m.pos.conn} }
