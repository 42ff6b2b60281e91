package rosbag

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/internal/record"
)

type job struct {
	buf     []byte // the chunk's content
	entries []bagstore.Entry
	conns   []*bagstore.Connection // described first in this chunk
	large   *largeMessage          // the last message, if it is not in buf
	around  []byte                 // the parts of large except its body
	whole   *bagstore.WholeChunk   // if not nil, the chunk is a copy of it; holds a reference
	asked   int                    // calls of checkpointIfDue

	plainSize, packedSize int // bytes of messages that needn't be compressed, and of the others

	compressed []byte        // buf compressed; valid when ready is closed
	err        error         // of the compression
	ready      chan struct{} // closed after compression
	raw        bool          // it is written uncompressed

	checkpoint chan struct{} // not nil: the job is a checkpoint; closed when that is durable
	patience   *time.Timer   // until the checkpoint is overdue; nil: it waits for compression
}

// plain reports whether the chunk isn't to be compressed.
func (j *job) plain() bool { return j.plainSize > j.packedSize }

// largeMessage is a message whose largest part is written from the caller's memory.
type largeMessage struct {
	entry         bagstore.Entry
	size          int
	before, after []byte // the other parts
	body          []byte // the largest part, borrowed until done is called
	done          func()
}

// committer writes jobs in the order of submission: synchronously or, with compression,
// in a goroutine while workers compress the following chunks.
//
// A live recording doesn't wait for compression, as messages that wait outside the Writer are
// lost if the process is killed. A chunk for which no worker is free is written uncompressed,
// and so is the oldest one when too much waits for it.
type committer struct {
	o     settings
	sink  *disk.Sink
	queue chan *job     // to the writing goroutine
	work  chan *job     // to the compression workers
	free  chan *job     // for reuse
	flush chan bool     // to the writing goroutine: the argument of flushStaged
	press chan struct{} // to the writing goroutine: too much waits, or for too long
	room  chan struct{} // from the writing goroutine: a chunk is written
	wait  sync.WaitGroup
	sync  sync.WaitGroup // for the goroutine of a checkpoint

	written     atomic.Int64  // length of the file, staged bytes included
	committed   atomic.Uint64 // chunks appended
	raw         atomic.Uint64 // those that were to be compressed and aren't
	waiting     atomic.Int64  // bytes of chunks in the queue
	overdue     atomic.Int64  // checkpoints that wait for compression no longer
	inFile      atomic.Int64  // bytes handed to the system
	landed      atomic.Uint64 // chunks in these bytes
	stale       atomic.Int64  // bytes of replaced index sections and of padding
	checkpoints atomic.Int64
	indexSize   atomic.Int64 // of an index section written now
	begun       time.Time
	err         atomic.Pointer[error]
	syncing     atomic.Bool

	// Owned by the writing goroutine or, without compression, by the caller.
	conns   []*bagstore.Connection
	chunks  []committed
	flushed int64 // length of the file at the last checkpoint
	scratch []byte
	tail    []byte
	staged  int64 // sink.Written at the last flushStaged
}

type committed struct {
	bagstore.ChunkInfo
	end   int64 // offset after its index records
	conns int   // connections described up to end
}

// Limits of what waits to be written in a live recording. Next to the queue, one chunk is
// being written, one submitted and one filled.
const (
	maxQueue   = tailSlots - 4
	maxLZ4     = 16                     // chunks for the workers, several of which arrive at a time; bzip2 takes long for each
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
	c := &committer{
		o: o, sink: s, begun: o.Now(), queue: make(chan *job, queue), work: make(chan *job, depth), free: make(chan *job, depth+2),
		flush: make(chan bool, 1), press: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
	if err := s.Append(fileHeader(firstChunk, 0, 0, o.tail), nil, nil, nil); err != nil {
		return nil, err
	}
	if err := s.Flush(); err != nil {
		return nil, err
	}
	if !o.NoSync {
		if err := s.Sync(); err != nil {
			return nil, err
		}
	}
	c.markFlushed()
	if o.Compression != bagstore.None {
		c.wait.Go(c.write)
		for range o.Workers {
			c.wait.Go(c.compress)
		}
	}
	return c, nil
}

func (c *committer) markFlushed() {
	c.flushed = c.sink.Size()
	c.written.Store(c.flushed)
	c.markInFile(c.flushed)
}

// markInFile notes that the first size bytes are in the file.
func (c *committer) markInFile(size int64) {
	c.inFile.Store(size)
	n := c.landed.Load()
	for n < uint64(len(c.chunks)) && c.chunks[n].end <= size {
		n++
	}
	c.landed.Store(n)
}

// fileHeader returns the version line and the file header record, padded with blanks up
// to the first chunk: rosbag reindex overwrites that many bytes in any case. tail is the token of a tail file, 0 for none.
func fileHeader(indexPos int64, conns, chunks int, tail uint64) []byte {
	b := append(make([]byte, 0, firstChunk), magic20...)
	b = record.AppendHeader(b, record.OpFileHeader, func(b []byte) []byte {
		b = record.AppendU32(b, "chunk_count", uint32(chunks))
		b = record.AppendU32(b, "conn_count", uint32(conns))
		b = record.AppendU64(b, "index_pos", uint64(indexPos))
		if tail != 0 {
			b = record.AppendU64(b, record.TailField, tail)
		}
		return b
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(int(firstChunk)-len(b)-4))
	for len(b) < int(firstChunk) {
		b = append(b, ' ')
	}
	return b
}

func (c *committer) failed() error {
	if e := c.err.Load(); e != nil {
		return *e
	}
	return nil
}

func (c *committer) fail(err error) {
	if err != nil {
		c.err.CompareAndSwap(nil, &err)
	}
}

func (c *committer) take() *job {
	var j *job
	select {
	case j = <-c.free:
	default:
		j = &job{}
	}
	*j = job{buf: j.buf[:0], entries: j.entries[:0], compressed: j.compressed[:0], around: j.around[:0]}
	if c.o.Compression != bagstore.None {
		j.ready = make(chan struct{})
	}
	return j
}

// submit writes a job or, with compression, queues it.
func (c *committer) submit(j *job) {
	if c.o.Compression == bagstore.None {
		c.commit(j)
		return
	}
	switch {
	case j.checkpoint != nil:
		if c.o.Live {
			j.patience = time.AfterFunc(maxDelay, func() {
				if c.overdue.Add(1) > 0 { // otherwise the checkpoint was reached just now
					notify(c.press)
				}
			})
		}
	case c.o.Live:
		c.submitLive(j)
	case j.plain():
		close(j.ready)
	default:
		c.work <- j
	}
	c.queue <- j
}

// submitLive passes a chunk to the workers if one of them is about to be free, and makes room
// for it in the queue.
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
		notify(c.press)
		<-c.room
	}
}

// notify sends to a channel that has room for one notice, unless one is pending.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// compress is the goroutine of a compression worker.
func (c *committer) compress() {
	p := newCompressor(c.o.Compression)
	for j := range c.work {
		if j.whole == nil {
			j.compressed, j.err = p(j.compressed[:0], j.buf)
		}
		close(j.ready)
	}
}

func (c *committer) write() {
	for {
		var j *job
		ok := true
		select { // the next chunk takes staged bytes along
		case j, ok = <-c.queue:
		default:
			select {
			case j, ok = <-c.queue:
			case now := <-c.flush:
				c.flushStaged(now)
				continue
			}
		}
		if !ok {
			return
		}
		c.await(j)
		c.commit(j)
	}
}

// await waits until a chunk is compressed or must be written uncompressed. It flushes staged
// bytes meanwhile.
func (c *committer) await(j *job) {
	for j.checkpoint == nil {
		if c.overdue.Load() > 0 {
			notify(c.press)
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
	if c.o.Compression == bagstore.None {
		c.flushStaged(false) // the next message flushes, too
		return
	}
	select {
	case c.flush <- now:
	default: // a flush is pending
	}
}

func (c *committer) commit(j *job) {
	if j.checkpoint != nil {
		if j.patience != nil && !j.patience.Stop() {
			c.overdue.Add(-1)
		}
		c.checkpoint(j.checkpoint)
		return
	}
	if c.failed() == nil {
		c.fail(c.chunk(j))
	} else if j.large != nil {
		j.large.done()
	} else if j.whole != nil {
		j.whole.Memory.Release()
	}
	if c.o.Compression != bagstore.None {
		c.waiting.Add(-int64(len(j.buf)))
		notify(c.room)
		select {
		case <-j.ready:
		default:
			return // a worker still has it
		}
	}
	select {
	case c.free <- j:
	default:
	}
}

// flushStaged writes the bytes that the sink has staged. Unless now is set, bytes staged
// since the last call stay: a large message may take them along.
func (c *committer) flushStaged(now bool) {
	at := c.sink.Written()
	if (now || at == c.staged) && c.inFile.Load() < c.sink.Size() && c.failed() == nil {
		if err := c.sink.Flush(); err != nil {
			c.fail(err)
			return
		}
		at = c.sink.Written()
		c.markInFile(c.sink.Size())
	}
	c.staged = at
}

func (c *committer) chunk(j *job) error {
	pos := c.sink.Size()
	info := bagstore.ChunkInfo{Pos: pos}
	c.tail = c.tail[:0]
	var body []byte
	var done func()
	switch {
	case j.large != nil:
		c.layOutLarge(j, pos)
		body, done = j.large.body, j.large.done
	case j.whole != nil:
		body, done = c.layOutWhole(j.whole, pos), j.whole.Memory.Release
	default:
		kind := bagstore.None
		body = j.buf
		if c.o.Compression != bagstore.None && !j.plain() && !j.raw && memory.Fits(int64(len(j.buf)), int64(len(j.compressed))) == nil { // if raw, a worker may be writing to compressed
			kind, body = c.o.Compression, j.compressed
		}
		c.scratch = appendChunkHeader(c.scratch[:0], kind, 0, len(j.buf), len(body))
	}
	c.summarize(j, &info)
	if err := c.sink.Append(c.scratch, body, c.tail, done); err != nil {
		return err
	}
	c.conns = append(c.conns, j.conns...)
	c.chunks = append(c.chunks, committed{info, c.sink.Size(), len(c.conns)})
	c.written.Store(c.sink.Size())
	c.markInFile(max(c.inFile.Load(), c.sink.Landed()))
	c.committed.Add(1)
	if j.raw && !j.plain() {
		c.raw.Add(1)
	}
	size := int64(chunkInfoSize + 8*len(info.Counts))
	for _, conn := range j.conns {
		size += int64(len(appendConnection(nil, conn)))
	}
	c.indexSize.Add(size)
	return nil
}

// chunkInfoSize is the length of a chunk info record without its counts.
var chunkInfoSize = len(appendChunkInfo(nil, &bagstore.ChunkInfo{}))

// appendChunkHeader appends a chunk record without its data. If pad is not 0, a spare field makes the
// header pad bytes longer; pad must be at least minPad.
func appendChunkHeader(b []byte, kind bagstore.Compression, pad, size, stored int) []byte {
	b = record.AppendHeader(b, record.OpChunk, func(b []byte) []byte {
		b = record.AppendString(b, "compression", string(kind))
		if pad > 0 {
			b = record.AppendField(b, padField, make([]byte, pad-minPad)...)
		}
		return record.AppendU32(b, "size", uint32(size))
	})
	return binary.LittleEndian.AppendUint32(b, uint32(stored))
}

// layOutLarge lays out a chunk whose last message is written from the caller's memory. It
// puts everything before the body into scratch and the parts after it into tail. If the
// sink has a grain, a spare field in the message's header aligns the body to it.
func (c *committer) layOutLarge(j *job, pos int64) {
	l := j.large
	headLen := len(appendMessage(c.scratch[:0], 0, 0, 0, 0))
	chunkLen := len(appendChunkHeader(c.scratch[:0], bagstore.None, 0, 0, 0))
	pad := padTo(c.sink.Grain(), pos+int64(chunkLen+len(j.buf)+headLen+len(l.before)))
	total := len(j.buf) + headLen + pad + l.size
	b := appendChunkHeader(c.scratch[:0], bagstore.None, 0, total, total)
	b = append(b, j.buf...)
	b = appendMessage(b, l.entry.Conn, l.entry.Time, pad, l.size)
	c.scratch = append(b, l.before...)
	c.tail = append(c.tail, l.after...)
}

// padTo returns the length of the spare field that moves start to a multiple of the grain, 0 for none.
func padTo(grain, start int64) int {
	pad := int((grain - start%grain) % grain)
	if pad > 0 && pad < minPad {
		pad += int(grain)
	}
	return pad
}

// layOutWhole puts the header of a copied chunk into scratch, with the bytes up to the first page boundary
// in their memory if the rest can be written from there. It returns the rest.
func (c *committer) layOutWhole(w *bagstore.WholeChunk, pos int64) []byte {
	body, head, pad := w.Memory.Bytes(), 0, 0
	b := appendChunkHeader(c.scratch[:0], w.Layout.Compression, 0, int(w.Layout.Size), len(body))
	if grain := c.sink.Grain(); grain > 1 && w.Memory.Borrowed() && len(body) >= 2*disk.LendLeast {
		// Data read past the page cache is aligned in memory as in the file.
		head = int(-w.Layout.DataPos & (grain - 1))
		if pad = padTo(grain, pos+int64(len(b)+head)); pad > 0 {
			b = appendChunkHeader(c.scratch[:0], w.Layout.Compression, pad, int(w.Layout.Size), len(body))
		}
	}
	c.scratch = append(b, body[:head]...)
	return body[head:]
}

func (c *committer) summarize(j *job, info *bagstore.ChunkInfo) {
	info.Start, info.End = j.entries[0].Time, j.entries[0].Time
	slices.SortStableFunc(j.entries, func(x, y bagstore.Entry) int {
		return cmp.Or(cmp.Compare(x.Conn, y.Conn), cmp.Compare(x.Time, y.Time))
	})
	for from := 0; from < len(j.entries); {
		to := from
		for to < len(j.entries) && j.entries[to].Conn == j.entries[from].Conn {
			to++
		}
		run := j.entries[from:to]
		info.Start, info.End = min(info.Start, run[0].Time), max(info.End, run[len(run)-1].Time)
		info.Counts = append(info.Counts, bagstore.ConnCount{ID: run[0].Conn, Count: uint32(len(run))})
		c.tail = appendIndex(c.tail, run[0].Conn, run)
		from = to
	}
}

func (c *committer) indexSection() []byte {
	b := make([]byte, 0, c.indexSize.Load())
	for _, conn := range c.conns {
		b = appendConnection(b, conn)
	}
	for i := range c.chunks {
		b = appendChunkInfo(b, &c.chunks[i].ChunkInfo)
	}
	return b
}

// Replaced index sections may take 1 % of a file plus these allowances, so that short
// recordings and slow topics get frequent checkpoints as well.
const (
	staleBytes     = 64 << 10
	stalePerSecond = 8 << 10
)

// affordable reports whether another index section keeps the replaced ones within their
// share of the file. In a live recording, submitting must not wait for room, either.
func (c *committer) affordable() bool {
	if c.o.Live && (len(c.queue) > maxQueue-2 || c.waiting.Load() > maxWaiting/2) {
		return false
	}
	allowance := int64(staleBytes + c.o.Now().Sub(c.begun).Seconds()*stalePerSecond)
	return !c.syncing.Load() && c.stale.Load()+c.indexSize.Load() <= c.written.Load()/100+allowance
}

// checkpoint appends an index section, syncs it in the background, makes the file header
// point at it and closes done. Appending may continue meanwhile.
func (c *committer) checkpoint(done chan struct{}) {
	c.sync.Wait() // one at a time
	at := c.sink.Size()
	if c.failed() == nil {
		c.fail(c.appendIndexSection())
	}
	if c.failed() != nil {
		close(done)
		return
	}
	c.markFlushed()
	c.stale.Add(c.flushed - at)
	head := fileHeader(at, len(c.conns), len(c.chunks), c.o.tail)
	c.syncing.Store(true)
	c.sync.Go(func() {
		defer close(done)
		defer c.syncing.Store(false)
		c.fail(c.point(head))
		c.checkpoints.Add(1)
	})
}

func (c *committer) appendIndexSection() error {
	if err := c.sink.Append(c.indexSection(), nil, nil, nil); err != nil {
		return err
	}
	if err := c.pad(); err != nil {
		return err
	}
	return c.sink.Flush()
}

func (c *committer) pad() error {
	grain := c.sink.Grain()
	n := int((grain - c.sink.Size()%grain) % grain)
	if n == 0 {
		return nil
	}
	least := len(record.AppendHeader(nil, record.OpPadding, nil)) + 4
	if n < least {
		n += int(grain)
	}
	b := record.AppendHeader(make([]byte, 0, n), record.OpPadding, nil)
	b = binary.LittleEndian.AppendUint32(b, uint32(n-least))
	return c.sink.Append(b[:n], nil, nil, nil)
}

// point overwrites the file header after syncing the index section that it points at.
func (c *committer) point(head []byte) error {
	if !c.o.NoSync {
		if err := c.sink.Sync(); err != nil {
			return err
		}
	}
	if err := c.sink.WriteHead(head); err != nil {
		return err
	}
	if c.o.NoSync {
		return nil
	}
	return c.sink.Sync()
}

// close ends all goroutines, writes the final index section and closes the file.
func (c *committer) close() error {
	close(c.work)
	close(c.queue)
	c.wait.Wait()
	c.sync.Wait()
	var head []byte
	err := c.failed()
	if err == nil {
		head, err = c.finish()
	}
	if err != nil {
		head, err = c.rescue(err)
	}
	if head != nil {
		err = errors.Join(err, c.point(head))
	}
	return errors.Join(err, c.sink.Close())
}

// finish appends the final index section, ends the file there and returns the file header
// that points at it.
func (c *committer) finish() (head []byte, err error) {
	at := c.sink.Size()
	if err := c.sink.Append(c.indexSection(), nil, nil, nil); err != nil {
		return nil, err
	}
	c.written.Store(c.sink.Size())
	if err := c.sink.Finish(); err != nil {
		return nil, err
	}
	tail := c.o.tail
	if c.failed() == nil {
		tail = 0 // the bag is complete
	}
	return fileHeader(at, len(c.conns), len(c.chunks), tail), nil
}

// rescue keeps all whole chunks after an error, if there is room for their index.
// Otherwise the file header still points at the last checkpoint.
func (c *committer) rescue(err error) (head []byte, _ error) {
	if e := c.cutAfterLastChunk(); e != nil {
		return nil, errors.Join(err, e)
	}
	head, e := c.finish()
	if e != nil {
		e = errors.Join(e, c.cutAfterLastChunk())
	}
	return head, errors.Join(err, e)
}

// cutAfterLastChunk cuts the file after the last whole chunk, but never before c.flushed: the file
// header may point at an index section there.
func (c *committer) cutAfterLastChunk() error {
	intact := c.sink.Intact()
	n := len(c.chunks)
	for n > 0 && c.chunks[n-1].end > max(intact, c.flushed) {
		n--
	}
	c.chunks = c.chunks[:n]
	if n == 0 {
		c.conns = nil
		return c.sink.Rewind(c.flushed)
	}
	c.conns = c.conns[:c.chunks[n-1].conns]
	return c.sink.Rewind(max(c.flushed, c.chunks[n-1].end))
}
