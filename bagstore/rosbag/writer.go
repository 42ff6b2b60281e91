package rosbag

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/place"
)

// WriterStats are statistics of a Writer.
type WriterStats struct {
	Messages uint64
	Bytes    uint64 // of message data
	Chunks   int
	Whole    int // of these, copied as they were stored
}

// topic is a connection of a Writer.
type topic struct {
	*bagstore.Connection      // nil: the ID isn't in use
	known                bool // its record has been written
	plain                bool // it isn't compressed
}

// Writer writes a bag. It is for one goroutine. It starts others for compression, the disk
// and open chunks; they have ended when Close returns.
type Writer struct {
	o     settings
	c     *committer
	conns []topic // by connection ID
	cur   *job    // the chunk being filled
	stats WriterStats
	kept  bagstore.Kept // set by Close
	file  *place.Target // that Close closes; nil: none
	last  time.Time     // of the last checkpoint
	held  bool          // see Hold
	done  bool
	// lendLeast is the size from which a lent message ends its chunk and is written from
	// the caller's memory. Any message that fills the chunk is.
	lendLeast int

	mu     sync.Mutex  // guards everything against the keeper
	keeper *keeper     // nil: only checkpoints protect against a kill
	sealed []sealedJob // chunks that may not be written yet, if there is a keeper
}

func newWriter(s *disk.Sink, o settings) (*Writer, error) {
	c, err := newCommitter(s, o)
	if err != nil {
		return nil, err
	}
	return &Writer{o: o, c: c, cur: c.take(), last: o.Now(), lendLeast: lendLeast}, nil
}

// AddConnection adds a topic and returns its ID for Write. The file contains the connection only if it has messages.
func (w *Writer) AddConnection(c bagstore.Connection) (uint32, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.ID = uint32(len(w.conns))
	return c.ID, w.addConnection(&c)
}

// maxKept bounds the IDs that KeepConnection keeps.
const maxKept = 1 << 16

// KeepConnection is AddConnection that keeps the connection's ID if it is free. Files in which connections have equal
// IDs can be joined by whole chunks.
func (w *Writer) KeepConnection(c bagstore.Connection) (uint32, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := uint32(len(w.conns)); c.ID >= maxKept || c.ID < n && w.conns[c.ID].Connection != nil {
		c.ID = n
	}
	return c.ID, w.addConnection(&c)
}

func (w *Writer) addConnection(c *bagstore.Connection) error {
	if w.done {
		return bagstore.ErrClosed
	}
	if len(c.Topic) > bagrecord.MaxHeader/2 || len(c.Definition) > bagrecord.MaxHeader/2 {
		return fmt.Errorf("connection %.40q: topic or definition is too long", c.Topic)
	}
	for uint32(len(w.conns)) <= c.ID {
		w.conns = append(w.conns, topic{})
	}
	w.conns[c.ID] = topic{Connection: c, plain: w.o.LZ4Topics != nil && !w.o.LZ4Topics.MatchString(c.Topic)}
	return nil
}

// Write appends a message, the concatenation of its parts. The caller may reuse them when Write returns. Time 0 becomes
// MinTime, the first that stock readers accept. An error may concern an earlier message; the caller should then call
// Close, which keeps all whole chunks.
func (w *Writer) Write(conn uint32, t bagstore.Time, parts ...[]byte) error {
	return w.put(conn, t, nil, parts)
}

// Lend is Write without waiting for the disk. The largest part of a large message is written without a copy: the Writer
// borrows it until it calls done. It calls done exactly once, from any goroutine, possibly before Lend returns, and
// also after an error. At most a few messages are lent at a time. For direct writing the largest part should begin on a
// page. The caller may reuse the other parts when Lend returns.
func (w *Writer) Lend(conn uint32, t bagstore.Time, done func(), parts ...[]byte) error {
	return w.put(conn, t, done, parts)
}

func (w *Writer) put(conn uint32, t bagstore.Time, done func(), parts [][]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	t = max(t, bagstore.MinTime)
	if err := w.refuse(conn, t, size); err != nil {
		if done != nil {
			done()
		}
		return err
	}
	w.message(conn, t, size, parts, done)
	if len(w.cur.buf) >= w.o.ChunkSize {
		w.seal(w.submit)
	}
	w.stats.Messages++
	w.stats.Bytes += uint64(size)
	return w.checkpointIfDue(w.submit)
}

func (w *Writer) refuse(conn uint32, t bagstore.Time, size int) error {
	switch {
	case w.done:
		return bagstore.ErrClosed
	case int(conn) >= len(w.conns) || w.conns[conn].Connection == nil:
		return fmt.Errorf("%w %d", ErrConnection, conn)
	case t > bagstore.MaxTime:
		return fmt.Errorf("time %d is after %d, the last that a bag can hold", t, bagstore.MaxTime)
	case int64(size) > maxMessage:
		return fmt.Errorf("message of %d bytes is larger than %d", size, int64(maxMessage))
	}
	return w.c.failed()
}

// message adds a message to the chunk. It ends the chunk if the message is written from the caller's memory.
func (w *Writer) message(conn uint32, t bagstore.Time, size int, parts [][]byte, done func()) {
	j, to := w.cur, &w.conns[conn]
	if int64(len(j.buf))+int64(size) > maxChunk || size >= chooseLeast && len(j.entries) > 0 && j.plain() != to.plain {
		w.seal(w.submit)
		j = w.cur
	}
	if !to.known {
		to.known = true
		j.buf = appendConnection(j.buf, to.Connection)
		j.conns = append(j.conns, to.Connection)
	}
	j.entries = append(j.entries, bagstore.Entry{Time: t, Ref: uint32(len(j.buf)), Conn: conn})
	if to.plain {
		j.plainSize += size
	} else {
		j.packedSize += size
	}
	if w.o.Compression == bagstore.None && (len(j.buf)+size >= w.o.ChunkSize || done != nil && size >= w.lendLeast) {
		over := make(chan struct{})
		if done == nil {
			done = func() { close(over) }
		} else {
			close(over)
		}
		j.lend(size, parts, done)
		w.seal(w.submit)
		<-over // for Write: the caller may reuse the message on return
		return
	}
	j.buf = appendMessage(j.buf, conn, t, 0, size)
	for _, p := range parts {
		j.buf = append(j.buf, p...)
	}
	if done != nil {
		done()
	}
}

// number returns the number of the open chunk, from 1.
func (w *Writer) number() uint64 { return uint64(w.stats.Chunks) + 1 }

// submit submits a chunk or a checkpoint. It unlocks w while it waits for the disk or, in a file that isn't
// recorded live, for compression, so that the keeper can run.
func (w *Writer) submit(r request) {
	if !w.c.concurrent() {
		w.c.submit(r)
		return
	}
	w.mu.Unlock()
	w.c.submit(r)
	w.mu.Lock()
}

// seal ends the open chunk and passes it to submit.
func (w *Writer) seal(submit func(request)) {
	if len(w.cur.entries) == 0 {
		return
	}
	if w.keeper != nil && w.c.concurrent() {
		w.sealed = append(dropWritten(w.sealed, w.c.committed.Load()), sealedJob{w.number(), w.cur, w.cur.buf})
	}
	w.stats.Chunks++
	full := w.cur
	w.cur = w.take() // before submit, as the keeper must not see a sealed chunk as open
	submit(request{chunk: full})
}

// CheckpointIfDue starts a checkpoint if one is due, and doesn't wait for it. Write does
// the same. While no messages come, the Writer makes checkpoints by itself, unless
// Options.Now is set: then the caller should call CheckpointIfDue from time to time.
func (w *Writer) CheckpointIfDue() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.checkpointIfDue(w.submit)
}

// Hold puts off checkpoints that become due until Release. After a kill, the index has all messages between the two
// calls, or none.
func (w *Writer) Hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = true
}

// Release ends Hold, and starts a checkpoint if one is due.
func (w *Writer) Release() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = false
	return w.checkpointIfDue(w.submit)
}

func (w *Writer) checkpointIfDue(submit func(request)) error {
	if w.done {
		return bagstore.ErrClosed
	}
	if w.held || w.o.Checkpoint < 0 {
		return w.c.failed()
	}
	// Getting the time would be expensive for a million tiny messages a second.
	if w.cur.asked++; w.cur.asked&63 != 1 && len(w.cur.entries) > 1 {
		return w.c.failed()
	}
	// The first ones follow each other sooner, as nothing is in the bag before them.
	every := min(w.o.Checkpoint, w.o.Checkpoint/5*time.Duration(1+w.c.checkpoints.Load()))
	now := w.o.Now()
	if now.Sub(w.last) < every || !w.c.affordable() {
		return w.c.failed()
	}
	w.last = now
	w.checkpoint(submit)
	return w.c.failed()
}

// Checkpoint makes all messages written so far part of a valid, indexed bag. When it
// returns, they survive kill -9 and, unless NoSync is set, a power cut.
func (w *Writer) Checkpoint() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return bagstore.ErrClosed
	}
	w.last = w.o.Now()
	<-w.checkpoint(w.submit)
	return w.c.failed()
}

// checkpoint starts a checkpoint and returns a channel that is closed when it is done.
func (w *Writer) checkpoint(submit func(request)) chan struct{} {
	w.seal(submit)
	done := make(chan struct{})
	submit(request{done: done})
	return done
}

// Size returns the length of the file, without open and queued chunks.
func (w *Writer) Size() int64 { return w.c.written.Load() }

// Reaches reports whether the length of the file is at least n with queued chunks, but without the open one. It doesn't
// depend on how fast they are written: it waits for them if they decide. It is not for live recordings.
func (w *Writer) Reaches(n int64) bool { return w.c.reaches(n) }

// Stats returns the Writer's statistics.
func (w *Writer) Stats() WriterStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

// WriteMethod describes how the file is written, and why. It may be called from any
// goroutine and doesn't wait for the disk.
func (w *Writer) WriteMethod() string {
	if raw := w.c.raw.Load(); raw > 0 {
		return fmt.Sprintf("%v; %d of %d chunks uncompressed, as %s was too slow", w.c.sink, raw,
			w.c.committed.Load(), w.o.Compression)
	}
	return w.c.sink.String()
}

// Close writes the open chunk, the index section and the file header, and returns when the complete file is on disk.
// After a write error it still tries to keep every whole chunk, and returns the error. It may be called twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	if w.done {
		w.mu.Unlock()
		return nil
	}
	if w.keeper != nil && w.c.failed() == nil {
		w.keeper.gone()
	}
	w.seal(w.submit)
	w.done = true
	w.mu.Unlock()
	if w.keeper != nil {
		w.keeper.close()
	}
	err := w.c.close()
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	if w.keeper != nil {
		if tail := w.keeper.tail.Close(uint64(len(w.c.chunks))); tail != "" {
			err = errors.Join(err, fmt.Errorf("%s has messages that didn't get into the bag; recover reads both", tail))
		}
	}
	w.kept = w.count(err)
	return err
}
