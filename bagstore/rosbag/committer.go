package rosbag

import (
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/program/work"
)

// committer writes chunks and checkpoints in the order of submission. With compression, its goroutine writes while
// workers compress the following chunks. Otherwise the caller writes: then a message is in the file, its error known,
// and nothing waits in memory when Write returns.
//
//	caller ─┬─ queue ─────────────────────────────► run ──► appender ──► file
//	        └─ work ──► compress, on each worker ──► │ job.ready
//	caller ── flush, press ────────────────────────► │
//	caller ◄─ room, free ────────────────────────────┘
//
// A live recording doesn't wait for compression, as messages that wait outside the Writer are
// lost if the process is killed. A chunk for which no worker is free is written uncompressed,
// and so is the oldest one when too much waits for it.
type committer struct {
	appender // of the goroutine run or, without one, of the caller

	// Only the caller sends to queue and work, and closes them. Without compression, all channels but free are nil.
	queue chan request // chunks and checkpoints, in order
	work  chan *job    // the chunks of queue that are to be compressed
	flush chan bool    // the argument of flushStaged; the caller sends
	// Notices, each of which has room for one. A deadline's timer sends to press as well as the caller and run.
	press work.Signal // to run: too much waits, or for too long
	room  work.Signal // from run: a chunk is written
	free  chan *job   // for reuse, from run or, without one, from the caller

	wait    sync.WaitGroup // of run and the workers
	waiting atomic.Int64   // bytes of chunks in the queue
	most    atomic.Int64   // bytes that they take in the file at most
	overdue atomic.Int64   // checkpoints that wait for compression no longer
}

// request is a chunk to write or, if there is none, a checkpoint.
type request struct {
	chunk    *job
	done     chan struct{} // closed when the checkpoint is durable
	deadline *time.Timer   // after which the checkpoint is overdue; nil: it waits for compression
}

// Limits of what waits to be written in a live recording. Next to the queue, one chunk is
// being written, one submitted and one filled.
const (
	maxQueue = tailSlots - 4
	// chunks for the workers, several of which arrive at a time; bzip2 takes long for each
	maxLZ4     = 16
	maxWaiting = 64 << 20               // bytes; one chunk may exceed it
	maxDelay   = 200 * time.Millisecond // of a checkpoint, by compression
)

func newCommitter(s *disk.Sink, o settings) (*committer, error) {
	depth := o.Workers + 1
	queue := depth
	if o.Live {
		queue = maxQueue
		if o.Compression == bagstore.LZ4 {
			depth = maxLZ4
		}
	}
	c := &committer{appender: appender{o: o, sink: s, begun: o.Now()}, free: make(chan *job, depth+2)}
	if err := c.begin(); err != nil {
		return nil, err
	}
	if o.Compression == bagstore.None {
		return c, nil
	}
	c.queue, c.work = make(chan request, queue), make(chan *job, depth)
	c.flush, c.press, c.room = make(chan bool, 1), work.NewSignal(), work.NewSignal()
	c.wait.Go(c.run)
	for range o.Workers {
		c.wait.Go(c.compress)
	}
	return c, nil
}

// concurrent reports whether a goroutine writes.
func (c *committer) concurrent() bool { return c.queue != nil }

// take returns an empty chunk.
func (c *committer) take() *job {
	var j *job
	select {
	case j = <-c.free:
	default:
		j = &job{}
	}
	*j = job{buf: j.buf[:0], entries: j.entries[:0], compressed: j.compressed[:0], after: j.after[:0]}
	if c.concurrent() {
		j.ready = make(chan struct{})
	}
	return j
}

// submit writes what is requested or queues it.
func (c *committer) submit(r request) {
	switch {
	case !c.concurrent():
		c.commit(r)
		return
	case r.chunk == nil && c.o.Live:
		r.deadline = time.AfterFunc(maxDelay, func() {
			if c.overdue.Add(1) > 0 { // otherwise the checkpoint was reached just now
				c.press.Set()
			}
		})
	case r.chunk == nil:
	case c.o.Live:
		c.submitLive(r.chunk)
	case r.chunk.plain():
		close(r.chunk.ready)
	default:
		c.work <- r.chunk
	}
	if r.chunk != nil {
		c.most.Add(r.chunk.most())
	}
	c.queue <- r
}

// reaches reports whether the file has n bytes with all chunks submitted. It waits for them if that depends on how
// well they are compressed.
func (c *committer) reaches(n int64) bool {
	for {
		most := c.most.Load() // before written, so that each chunk is in one of them
		if written := c.written.Load(); most == 0 || written >= n || written+most < n {
			return written >= n
		}
		<-c.room
	}
}

// submitLive passes a chunk to the workers if one of them is about to be free, and makes room for it in the queue.
func (c *committer) submitLive(j *job) {
	if j.plain() {
		close(j.ready)
	} else {
		select {
		case c.work <- j:
		default:
			j.raw = true
			close(j.ready)
		}
	}
	c.waiting.Add(int64(len(j.buf)))
	for len(c.queue) == cap(c.queue) || c.waiting.Load() > max(maxWaiting, int64(len(j.buf))) {
		c.press.Set()
		<-c.room
	}
}

// compress is the goroutine of a compression worker.
func (c *committer) compress() {
	p := newCompressor(c.o.Compression)
	for j := range c.work {
		if j.body == nil {
			j.compressed, j.err = p(j.compressed[:0], j.buf)
		}
		close(j.ready)
	}
}

// run is the writing goroutine.
func (c *committer) run() {
	for {
		var r request
		ok := true
		select { // the next chunk takes staged bytes along
		case r, ok = <-c.queue:
		default:
			select {
			case r, ok = <-c.queue:
			case now := <-c.flush:
				c.flushStaged(now)
				continue
			}
		}
		if !ok {
			return
		}
		if r.chunk != nil {
			c.await(r.chunk)
		}
		c.commit(r)
	}
}

// await waits until a chunk is compressed or must be written uncompressed. It flushes staged bytes meanwhile.
func (c *committer) await(j *job) {
	for {
		if c.overdue.Load() > 0 {
			c.press.Set()
		}
		select {
		case <-j.ready:
			if !j.raw {
				c.fail(j.err)
			}
			return
		case <-c.press:
			j.raw = true
			return
		case now := <-c.flush:
			c.flushStaged(now)
		}
	}
}

// flushSoon arranges for flushStaged to be called. It doesn't wait for compression.
func (c *committer) flushSoon(now bool) {
	if !c.concurrent() {
		c.flushStaged(false) // the next message flushes, too
		return
	}
	select {
	case c.flush <- now:
	default: // a flush is pending
	}
}

// commit writes what is requested.
func (c *committer) commit(r request) {
	j := r.chunk
	if j == nil {
		if r.deadline != nil && !r.deadline.Stop() {
			c.overdue.Add(-1)
		}
		c.checkpoint(r.done)
		return
	}
	c.write(j)
	if c.concurrent() {
		c.waiting.Add(-int64(len(j.buf)))
		c.most.Add(-j.most())
		c.room.Set()
		if !work.Closed(j.ready) {
			return // a worker still has it
		}
	}
	select {
	case c.free <- j:
	default:
	}
}

// affordable reports whether a checkpoint may be made. In a live recording, submitting must not wait for room.
func (c *committer) affordable() bool {
	if c.o.Live && (len(c.queue) > maxQueue-2 || c.waiting.Load() > maxWaiting/2) {
		return false
	}
	return c.appender.affordable()
}

// close ends all goroutines, writes the final index section and closes the file.
func (c *committer) close() error {
	if c.concurrent() {
		close(c.work)
		close(c.queue)
		c.wait.Wait()
	}
	return c.appender.close()
}
