package bagstore

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

type jobKind int

const (
	jobChunk jobKind = iota
	jobCheckpoint
)

// job is a chunk, or a checkpoint, on its way to the disk.
type job struct {
	kind    jobKind
	buf     []byte // the chunk's content
	entries []entry
	conns   []*Connection // described first in this chunk
	large   *large        // a last message that is not in buf
	asked   int

	packed []byte        // buf compressed
	err    error         // of the compression
	ready  chan struct{} // closed when packed is there
	wait   bool          // done is closed only when a checkpoint is safe
	done   chan struct{} // closed when the job is finished
}

// large is a message whose parts are written from where they are.
type large struct {
	entry entry
	size  int
	parts [][]byte
}

func (j *job) add(e entry) { j.entries = append(j.entries, e) }

// committer writes jobs in the order in which they are submitted. Chunks are
// compressed by workers at the same time.
type committer struct {
	o     Options
	sink  sink
	queue chan *job // to the writing goroutine
	work  chan *job // to the compressing workers
	free  chan *job // to be filled again
	wait  sync.WaitGroup
	sync  sync.WaitGroup // the checkpoint being made safe

	written     atomic.Int64 // bytes in the file
	stale       atomic.Int64 // of them replaced index sections and padding
	checkpoints atomic.Int64
	indexSize   atomic.Int64 // of an index section now
	err         atomic.Pointer[error]

	// For the writing goroutine.
	conns   []*Connection
	infos   []ChunkInfo
	good    int64 // the file's length up to the last whole chunk or index
	scratch []byte
	index   []byte
	syncing atomic.Bool
}

func newCommitter(s sink, o Options) (*committer, error) {
	depth := o.Workers + 1
	if o.Compression == None {
		depth = 2
	}
	c := &committer{o: o, sink: s, queue: make(chan *job, depth), work: make(chan *job, depth), free: make(chan *job, depth+2)}
	if err := s.append(fileHeader(firstChunk, 0, 0)); err != nil {
		return nil, err
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	if !o.NoSync {
		if err := s.sync(); err != nil {
			return nil, err
		}
	}
	c.good = s.size()
	c.written.Store(c.good)
	c.wait.Go(c.write)
	if o.Compression != None {
		for range o.Workers {
			c.wait.Go(c.compress)
		}
	}
	return c, nil
}

// fileHeader is the version line and the file header record, with blanks up to
// the first chunk. Stock reindex overwrites so much, whatever length it has.
func fileHeader(indexPos int64, conns, chunks int) []byte {
	b := append(make([]byte, 0, firstChunk), magic20...)
	b = appendHeader(b, opFileHeader, func(b []byte) []byte {
		b = appendU32(b, "chunk_count", uint32(chunks))
		b = appendU32(b, "conn_count", uint32(conns))
		return appendU64(b, "index_pos", uint64(indexPos))
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

// take gives an empty job to fill.
func (c *committer) take() *job {
	var j *job
	select {
	case j = <-c.free:
	default:
		j = &job{}
	}
	*j = job{buf: j.buf[:0], entries: j.entries[:0], packed: j.packed[:0],
		ready: make(chan struct{}), done: make(chan struct{})}
	return j
}

// give takes back a job whose memory can be used again.
func (c *committer) give(j *job) {
	select {
	case c.free <- j:
	default:
	}
}

func (c *committer) submit(j *job) {
	if c.o.Compression != None && j.kind == jobChunk {
		c.work <- j
	} else if j.ready != nil {
		close(j.ready)
	}
	c.queue <- j
}

// compress is a worker.
func (c *committer) compress() {
	p := newPacker(c.o.Compression)
	for j := range c.work {
		j.packed, j.err = p.pack(j.packed[:0], j.buf)
		close(j.ready)
	}
}

// write is the writing goroutine.
func (c *committer) write() {
	for j := range c.queue {
		if j.kind == jobCheckpoint {
			c.checkpoint(j)
			continue
		}
		<-j.ready
		large := j.large != nil
		c.fail(j.err)
		if c.failed() == nil {
			c.fail(c.chunk(j))
		}
		close(j.done)
		if !large { // else the Writer gives it back
			c.give(j)
		}
	}
}

// chunk appends a chunk and its index records.
func (c *committer) chunk(j *job) error {
	pos := c.sink.size()
	info := c.summarize(j, pos)
	b, bufs := c.scratch[:0], [][]byte(nil)
	switch {
	case j.large != nil:
		b, bufs = c.layLarge(b, j, pos)
	case c.o.Compression == None:
		b = appendChunkHeader(b, None, len(j.buf), len(j.buf))
		bufs = [][]byte{b, j.buf}
	default:
		b = appendChunkHeader(b, c.o.Compression, len(j.buf), len(j.packed))
		bufs = [][]byte{b, j.packed}
	}
	c.scratch = b
	if err := c.sink.append(append(bufs, c.index)...); err != nil {
		return err
	}
	c.good = c.sink.size()
	c.written.Store(c.good)
	c.infos = append(c.infos, info)
	c.conns = append(c.conns, j.conns...)
	size := int64(chunkInfoSize + 8*len(info.Counts))
	for _, conn := range j.conns {
		size += int64(len(appendConnection(nil, conn)))
	}
	c.indexSize.Add(size)
	return nil
}

// chunkInfoSize is the length of a chunk info record without its counts.
var chunkInfoSize = len(appendChunkInfo(nil, &ChunkInfo{}))

func appendChunkHeader(b []byte, kind Compression, size, stored int) []byte {
	b = appendHeader(b, opChunk, func(b []byte) []byte {
		b = appendString(b, "compression", string(kind))
		return appendU32(b, "size", uint32(size))
	})
	return binary.LittleEndian.AppendUint32(b, uint32(stored))
}

// layLarge lays out a chunk whose last message is written from the caller's
// memory: chunk header, what came before and the message's header in one
// buffer, then the parts. For a sink with a grain a spare field in the message's
// header brings the largest part to a multiple of it.
func (c *committer) layLarge(b []byte, j *job, pos int64) ([]byte, [][]byte) {
	l, pad := j.large, 0
	headLen := len(appendMessage(b[:0], 0, 0, 0, 0))
	chunkLen := len(appendChunkHeader(b[:0], None, 0, 0))
	if grain := c.sink.grain(); grain > 1 {
		before := pos + int64(chunkLen+len(j.buf)+headLen+largestAt(l.parts))
		if pad = int((grain - before%grain) % grain); pad > 0 && pad < minPad {
			pad += int(grain)
		}
	}
	total := len(j.buf) + headLen + pad + l.size
	b = appendChunkHeader(b[:0], None, total, total)
	b = append(b, j.buf...)
	b = appendMessage(b, l.entry.conn, l.entry.time, pad, l.size)
	return b, append([][]byte{b}, l.parts...)
}

// largestAt is where the largest part begins.
func largestAt(parts [][]byte) int {
	at, best, where := 0, -1, 0
	for _, p := range parts {
		if len(p) > best {
			best, where = len(p), at
		}
		at += len(p)
	}
	return where
}

// summarize makes the chunk's info and its index records.
func (c *committer) summarize(j *job, pos int64) ChunkInfo {
	info := ChunkInfo{Pos: pos, Start: j.entries[0].time, End: j.entries[0].time}
	slices.SortStableFunc(j.entries, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.conn, y.conn), cmp.Compare(x.time, y.time))
	})
	c.index = c.index[:0]
	for from := 0; from < len(j.entries); {
		to := from
		for to < len(j.entries) && j.entries[to].conn == j.entries[from].conn {
			to++
		}
		run := j.entries[from:to]
		info.Start, info.End = min(info.Start, run[0].time), max(info.End, run[len(run)-1].time)
		info.Counts = append(info.Counts, ConnCount{run[0].conn, uint32(len(run))})
		c.index = appendIndex(c.index, run[0].conn, run)
		from = to
	}
	return info
}

// indexSection is what stands at the end: connections and chunk infos.
func (c *committer) indexSection() []byte {
	b := make([]byte, 0, c.indexSize.Load())
	for _, conn := range c.conns {
		b = appendConnection(b, conn)
	}
	for i := range c.infos {
		b = appendChunkInfo(b, &c.infos[i])
	}
	return b
}

// affordable tells whether an index section now keeps all replaced ones below
// 1 % of the file, a small allowance apart for short recordings.
func (c *committer) affordable() bool {
	const allowance = 64 << 10
	return !c.syncing.Load() && c.stale.Load()+c.indexSize.Load() <= c.written.Load()/100+allowance
}

// checkpoint appends an index section and has the file header point at it as
// soon as it is safe. Appending goes on meanwhile.
func (c *committer) checkpoint(j *job) {
	c.sync.Wait() // one at a time
	if c.failed() != nil {
		close(j.done)
		return
	}
	at := c.sink.size()
	head, err := c.appendIndexSection()
	if err != nil {
		c.fail(err)
		close(j.done)
		return
	}
	c.stale.Add(c.sink.size() - at)
	c.syncing.Store(true)
	c.sync.Go(func() {
		defer close(j.done)
		defer c.syncing.Store(false)
		c.fail(c.point(head))
		c.checkpoints.Add(1)
	})
}

// appendIndexSection returns the file header that points at the section.
func (c *committer) appendIndexSection() ([]byte, error) {
	at := c.sink.size()
	if err := c.sink.append(c.indexSection()); err != nil {
		return nil, err
	}
	if err := c.pad(); err != nil {
		return nil, err
	}
	if err := c.sink.flush(); err != nil {
		return nil, err
	}
	c.good = c.sink.size()
	c.written.Store(c.good)
	return fileHeader(at, len(c.conns), len(c.infos)), nil
}

// pad appends a record to skip that ends on the sink's grain.
func (c *committer) pad() error {
	grain := c.sink.grain()
	n := int((grain - c.sink.size()%grain) % grain)
	if n == 0 {
		return nil
	}
	least := len(appendHeader(nil, opPadding, nil)) + 4
	if n < least {
		n += int(grain)
	}
	b := appendHeader(make([]byte, 0, n), opPadding, nil)
	b = binary.LittleEndian.AppendUint32(b, uint32(n-least))
	return c.sink.append(b[:n])
}

// point makes the header point at an index section, which is on the medium
// before the header is touched.
func (c *committer) point(head []byte) error {
	if !c.o.NoSync {
		if err := c.sink.sync(); err != nil {
			return err
		}
	}
	if err := c.sink.head(head); err != nil {
		return err
	}
	if c.o.NoSync {
		return nil
	}
	return c.sink.sync()
}

// close ends all goroutines and closes the file with its index.
func (c *committer) close() error {
	close(c.work)
	close(c.queue)
	c.wait.Wait()
	c.sync.Wait()
	err := c.failed()
	if err != nil {
		// Make room for the index: what was written of a chunk that failed.
		if e := c.sink.rewind(c.good); e != nil {
			return errors.Join(err, e, c.sink.close())
		}
	}
	return errors.Join(err, c.finish())
}

// finish appends the last index section. Its end is the file's end.
func (c *committer) finish() error {
	at := c.sink.size()
	section := c.indexSection()
	if err := c.sink.append(section); err != nil {
		return errors.Join(err, c.sink.rewind(at), c.sink.close())
	}
	c.written.Store(c.sink.size())
	if err := c.sink.end(); err != nil {
		return errors.Join(err, c.sink.close())
	}
	return errors.Join(c.point(fileHeader(at, len(c.conns), len(c.infos))), c.sink.close())
}
