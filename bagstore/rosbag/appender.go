package rosbag

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/memory"
)

// appender appends chunks and index sections to a file, and makes checkpoints. It belongs to one goroutine, except the
// fields that are atomic, and failed and fail.
type appender struct {
	o    settings
	sink *disk.Sink
	sync sync.WaitGroup // for the goroutine of a checkpoint

	written     atomic.Int64  // length of the file, staged bytes included
	committed   atomic.Uint64 // chunks appended
	raw         atomic.Uint64 // those that were to be compressed and aren't
	inFile      atomic.Int64  // bytes handed to the system
	landed      atomic.Uint64 // chunks in these bytes
	stale       atomic.Int64  // bytes of replaced index sections and of padding
	checkpoints atomic.Int64
	indexSize   atomic.Int64 // of an index section written now
	begun       time.Time
	err         atomic.Pointer[error]
	syncing     atomic.Bool

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

// begin writes the start of the file.
func (a *appender) begin() error {
	if err := a.sink.Append(fileHeader(firstChunk, 0, 0, a.o.tail), nil, nil, nil); err != nil {
		return err
	}
	if err := a.sink.Flush(); err != nil {
		return err
	}
	a.markFlushed()
	return a.durable()
}

// durable waits until what was flushed is on the medium.
func (a *appender) durable() error {
	if a.o.NoSync {
		return nil
	}
	return a.sink.Sync()
}

func (a *appender) markFlushed() {
	a.flushed = a.sink.Size()
	a.written.Store(a.flushed)
	a.markInFile(a.flushed)
}

// markInFile notes that the first size bytes are in the file.
func (a *appender) markInFile(size int64) {
	a.inFile.Store(size)
	n := a.landed.Load()
	for n < uint64(len(a.chunks)) && a.chunks[n].end <= size {
		n++
	}
	a.landed.Store(n)
}

// fileHeader returns the version line and the file header record, padded with blanks up to the first chunk: rosbag
// reindex overwrites that many bytes in any case. tail is the token of a tail file, 0 for none.
func fileHeader(indexPos int64, conns, chunks int, tail uint64) []byte {
	b := append(make([]byte, 0, firstChunk), magic20...)
	b = bagrecord.AppendHeader(b, bagrecord.OpFileHeader, func(b []byte) []byte {
		b = bagrecord.AppendU32(b, "chunk_count", uint32(chunks))
		b = bagrecord.AppendU32(b, "conn_count", uint32(conns))
		b = bagrecord.AppendU64(b, "index_pos", uint64(indexPos))
		if tail != 0 {
			b = bagrecord.AppendU64(b, bagrecord.TailField, tail)
		}
		return b
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(int(firstChunk)-len(b)-4))
	for len(b) < int(firstChunk) {
		b = append(b, ' ')
	}
	return b
}

func (a *appender) failed() error {
	if e := a.err.Load(); e != nil {
		return *e
	}
	return nil
}

func (a *appender) fail(err error) {
	if err != nil {
		a.err.CompareAndSwap(nil, &err)
	}
}

// flushStaged writes the bytes that the sink has staged. Unless now is set, bytes staged
// since the last call stay: a large message may take them along.
func (a *appender) flushStaged(now bool) {
	at := a.sink.Written()
	if (now || at == a.staged) && a.inFile.Load() < a.sink.Size() && a.failed() == nil {
		if err := a.sink.Flush(); err != nil {
			a.fail(err)
			return
		}
		at = a.sink.Written()
		a.markInFile(a.sink.Size())
	}
	a.staged = at
}

// write appends a chunk. After an error it only ends what the chunk borrows.
func (a *appender) write(j *job) {
	if a.failed() == nil {
		a.fail(a.chunk(j))
	} else if j.done != nil {
		j.done()
	}
}

func (a *appender) chunk(j *job) error {
	info := bagstore.ChunkInfo{Pos: a.sink.Size()}
	kind, stored := bagstore.None, j.buf
	packed := j.ready != nil && !j.plain()
	// if raw, a worker may be writing to compressed
	if packed && !j.raw && memory.Fits(int64(len(j.buf)), int64(len(j.compressed))) == nil {
		kind, stored = a.o.Compression, j.compressed
	}
	var body []byte
	a.scratch, body = j.layOut(a.scratch[:0], info.Pos, a.sink.Grain(), kind, stored)
	a.tail = j.summarize(append(a.tail[:0], j.after...), &info)
	if err := a.sink.Append(a.scratch, body, a.tail, j.done); err != nil {
		return err
	}
	a.conns = append(a.conns, j.conns...)
	a.chunks = append(a.chunks, committed{info, a.sink.Size(), len(a.conns)})
	a.written.Store(a.sink.Size())
	a.markInFile(max(a.inFile.Load(), a.sink.Landed()))
	a.committed.Add(1)
	if packed && j.raw {
		a.raw.Add(1)
	}
	size := int64(chunkInfoSize + 8*len(info.Counts))
	for _, conn := range j.conns {
		size += int64(len(appendConnection(nil, conn)))
	}
	a.indexSize.Add(size)
	return nil
}

// chunkInfoSize is the length of a chunk info record without its counts.
var chunkInfoSize = len(appendChunkInfo(nil, &bagstore.ChunkInfo{}))

func (a *appender) indexSection() []byte {
	b := make([]byte, 0, a.indexSize.Load())
	for _, conn := range a.conns {
		b = appendConnection(b, conn)
	}
	for i := range a.chunks {
		b = appendChunkInfo(b, &a.chunks[i].ChunkInfo)
	}
	return b
}

// Replaced index sections may take 1 % of a file plus these allowances, so that short
// recordings and slow topics get frequent checkpoints as well.
const (
	staleBytes     = 64 << 10
	stalePerSecond = 8 << 10
)

// affordable reports whether another index section keeps the replaced ones within their share of the file.
func (a *appender) affordable() bool {
	allowance := int64(staleBytes + a.o.Now().Sub(a.begun).Seconds()*stalePerSecond)
	return !a.syncing.Load() && a.stale.Load()+a.indexSize.Load() <= a.written.Load()/100+allowance
}

// checkpoint appends an index section, syncs it in the background, makes the file header
// point at it and closes done. Appending may continue meanwhile.
func (a *appender) checkpoint(done chan struct{}) {
	a.sync.Wait() // one at a time
	at := a.sink.Size()
	if a.failed() == nil {
		a.fail(a.appendIndexSection())
	}
	if a.failed() != nil {
		close(done)
		return
	}
	a.markFlushed()
	a.stale.Add(a.flushed - at)
	head := fileHeader(at, len(a.conns), len(a.chunks), a.o.tail)
	a.syncing.Store(true)
	a.sync.Go(func() {
		defer close(done)
		defer a.syncing.Store(false)
		a.fail(a.point(head))
		a.checkpoints.Add(1)
	})
}

func (a *appender) appendIndexSection() error {
	if err := a.sink.Append(a.indexSection(), nil, nil, nil); err != nil {
		return err
	}
	if err := a.pad(); err != nil {
		return err
	}
	return a.sink.Flush()
}

func (a *appender) pad() error {
	grain := a.sink.Grain()
	n := int((grain - a.sink.Size()%grain) % grain)
	if n == 0 {
		return nil
	}
	least := len(bagrecord.AppendHeader(nil, bagrecord.OpPadding, nil)) + 4
	if n < least {
		n += int(grain)
	}
	b := bagrecord.AppendHeader(make([]byte, 0, n), bagrecord.OpPadding, nil)
	b = binary.LittleEndian.AppendUint32(b, uint32(n-least))
	return a.sink.Append(b[:n], nil, nil, nil)
}

// point overwrites the file header after syncing the index section that it points at.
func (a *appender) point(head []byte) error {
	if err := a.durable(); err != nil {
		return err
	}
	if err := a.sink.WriteHead(head); err != nil {
		return err
	}
	return a.durable()
}

// close writes the final index section. It doesn't wait for what is on its way to write.
func (a *appender) close() error {
	a.sync.Wait()
	var head []byte
	err := a.failed()
	if err == nil {
		head, err = a.finish()
	}
	if err != nil {
		head, err = a.rescue(err)
	}
	if head != nil {
		err = errors.Join(err, a.point(head))
	}
	return errors.Join(err, a.sink.Close())
}

// finish appends the final index section, ends the file there and returns the file header that points at it.
func (a *appender) finish() (head []byte, err error) {
	at := a.sink.Size()
	if err := a.sink.Append(a.indexSection(), nil, nil, nil); err != nil {
		return nil, err
	}
	a.written.Store(a.sink.Size())
	if err := a.sink.Finish(); err != nil {
		return nil, err
	}
	tail := a.o.tail
	if a.failed() == nil {
		tail = 0 // the bag is complete
	}
	return fileHeader(at, len(a.conns), len(a.chunks), tail), nil
}

// rescue keeps all whole chunks after an error, if there is room for their index.
// Otherwise the file header still points at the last checkpoint.
func (a *appender) rescue(err error) (head []byte, _ error) {
	if e := a.cutAfterLastChunk(); e != nil {
		return nil, errors.Join(err, e)
	}
	head, e := a.finish()
	if e != nil {
		e = errors.Join(e, a.cutAfterLastChunk())
	}
	return head, errors.Join(err, e)
}

// cutAfterLastChunk cuts the file after the last whole chunk, but never before flushed: the file
// header may point at an index section there.
func (a *appender) cutAfterLastChunk() error {
	intact := a.sink.Intact()
	n := len(a.chunks)
	for n > 0 && a.chunks[n-1].end > max(intact, a.flushed) {
		n--
	}
	a.chunks = a.chunks[:n]
	if n == 0 {
		a.conns = nil
		return a.sink.Rewind(a.flushed)
	}
	a.conns = a.conns[:a.chunks[n-1].conns]
	return a.sink.Rewind(max(a.flushed, a.chunks[n-1].end))
}
