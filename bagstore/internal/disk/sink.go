package disk

import (
	"sync/atomic"
	"unsafe"

	"rsros/program/buffers"
)

const (
	// Grain is the least alignment of direct writes in the file and in memory, a page of
	// most machines. SetDirect says what a file system asks for, which may be more.
	Grain = 4096
	// maxGrain is the largest alignment that is accepted: some blocks fit into the staging memory.
	maxGrain = stagingSize / 4
	// headSize is the most that WriteHead takes.
	headSize = Grain
	// MaxUnderWay is the number of simultaneous writes that keeps the disk busy.
	MaxUnderWay = 4
	// LendLeast is the size in bytes from which lent memory is written from where it is.
	LendLeast = 64 << 10

	// stagingSize is the number of bytes that are collected before they are written.
	stagingSize = 1 << 20
)

// Sink appends to a file and overwrites its head. It writes through the page cache at once, or past it, several writes
// at once: then it collects small pieces in staging memory, and writes a large, lent and aligned piece from where it
// is. It may change from the first to the second when the file is large enough, so that a small file needs no staging
// memory, reserved space or padding.
//
// It belongs to one goroutine, except that Sync, WriteHead, Kind, Fallback and String may be called from another one.
// An error may be caused by an earlier Append. After an error only Rewind, Intact and Close may be called.
type Sink struct {
	writes
	grain   int    // a power of 2, of bytes in the file and in memory; 1: through the page cache
	staging []byte // being filled
	n       int    // bytes in it
	off     int64  // of staging in the file, aligned
	last    []byte // the end of a lent piece that fills no whole block
	head    firstBlock

	kind    Kind
	turn    func() error          // changes to direct writing; nil: never, or not any more
	from    int64                 // the size from which it does
	refused atomic.Pointer[error] // why an Auto sink doesn't write directly; nil: it does, or will
}

// NewBuffered returns a sink that writes through the page cache.
func NewBuffered(d Disk) *Sink {
	s := &Sink{grain: 1, kind: Buffered}
	s.d, s.over.L = d, &s.mu
	return s
}

// NewDirect returns a sink that writes past the page cache to a file for which SetDirect returned
// the grain. staging may be nil.
func NewDirect(d Disk, grain int, staging *Staging) *Sink {
	s := NewBuffered(d)
	s.kind = Direct
	s.direct(grain, staging)
	return s
}

// NewGrowing returns a sink that writes directly once the file has from bytes, at least a block. grain is TryDirect's,
// staging is NewDirect's; mode switches direct writing on or off.
func NewGrowing(d Disk, from int64, grain int, staging *Staging, mode func(direct bool) error) *Sink {
	s := NewBuffered(d)
	s.kind, s.from = Auto, max(from, int64(grain))
	s.turn = func() error {
		err := s.change(grain, staging, mode)
		if err == nil {
			return nil
		}
		s.refused.Store(&err)
		return mode(false) // the page cache will report an error of the disk
	}
	return s
}

// change continues a file of more than a block past the page cache. It tries mode with the first block, which doesn't
// change. WriteHead waits meanwhile.
func (s *Sink) change(grain int, staging *Staging, mode func(direct bool) error) error {
	s.head.mu.Lock()
	defer s.head.mu.Unlock()
	first, last := buffers.Aligned(grain, grain), buffers.Aligned(grain, grain)
	n := int(s.off & int64(grain-1))
	start := s.off - int64(n)
	if err := s.d.Read(first, 0); err != nil {
		return err
	}
	if err := s.d.Read(last[:n], start); err != nil {
		return err
	}
	if err := mode(true); err != nil {
		return err
	}
	if err := s.d.Writev([][]byte{first}, 0); err != nil {
		return err
	}
	s.direct(grain, staging)
	copy(s.head.block, first)
	s.n = copy(s.staging, last[:n])
	s.off, s.started = start, start
	return nil
}

// direct takes the memory for direct writing.
func (s *Sink) direct(grain int, staging *Staging) {
	s.grain, s.last, s.head.block = grain, make([]byte, grain), buffers.Aligned(grain, grain)
	s.begin(staging)
	s.staging = s.take()
}

func (s *Sink) whole(n int) int { return n &^ (s.grain - 1) }

func (s *Sink) isAligned(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))&uintptr(s.grain-1) == 0
}

// Append appends head, body and tail, which may be reused when it returns. If done is not nil, body is lent: the sink
// may read it until it calls done, once, from any goroutine, also after an error.
func (s *Sink) Append(head, body, tail []byte, done func()) error {
	defer func() {
		if done != nil {
			done()
		}
	}()
	if s.turn != nil && s.off >= s.from {
		turn := s.turn
		s.turn = nil
		if err := turn(); err != nil {
			return err
		}
	}
	if s.grain == 1 {
		return s.through(head, body, tail)
	}
	if err := s.collect(head); err != nil {
		return err
	}
	whole := s.whole(len(body))
	if done != nil && whole >= LendLeast && s.whole(s.n) == s.n && s.isAligned(body) {
		rest := s.last[:copy(s.last, body[whole:])] // body may be released when write returns
		err := s.write(body[:whole], done)
		if body, done = rest, nil; err != nil {
			return err
		}
	}
	if err := s.collect(body); err != nil {
		return err
	}
	return s.collect(tail)
}

// through writes through the page cache.
func (s *Sink) through(bufs ...[]byte) error {
	var err error
	if s.Waits.during(func() { err = s.d.Writev(bufs, s.off) }); err != nil {
		return err
	}
	for _, b := range bufs {
		s.off += int64(len(b))
	}
	s.started = s.off
	return nil
}

// collect copies b to staging memory and writes it whenever it is full.
func (s *Sink) collect(b []byte) error {
	for len(b) > 0 {
		k := copy(s.staging[s.n:], b)
		s.n += k
		b = b[k:]
		if s.n == len(s.staging) {
			if err := s.write(nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// write starts to write the collected bytes, followed by a lent piece. It waits while too many writes are pending.
func (s *Sink) write(lent []byte, done func()) error {
	staging, off, skip := s.staging, s.off, 0
	if off == 0 && s.grain > headSize {
		if err := s.head.write(s.d, staging[:s.grain]); err != nil {
			return err
		}
		skip = s.grain // otherwise a change of the head might be overwritten
	}
	bufs := [][]byte{staging[skip:s.n], lent}
	s.off += int64(s.n + len(lent))
	s.n = 0
	s.start(staging, bufs, off+int64(skip), s.off, done)
	s.staging = s.take()
	return s.failed()
}

// Size returns the size of the file with everything appended.
func (s *Sink) Size() int64 { return s.off + int64(s.n) }

// Written returns the size up to which bytes were passed to the operating system. It doesn't include a last, partial
// block that Flush has written.
func (s *Sink) Written() int64 { return s.off }

// Grain returns the number of bytes that the sizes of writes are multiples of.
func (s *Sink) Grain() int64 { return int64(s.grain) }

// Sync waits until everything flushed is on the medium.
func (s *Sink) Sync() error { return s.d.Sync() }

// Flush passes everything appended to the operating system. It pads the last block with zeros, and keeps it to write it
// again with what is appended next.
func (s *Sink) Flush() error {
	whole := s.whole(s.n)
	if rest := s.staging[whole:s.n]; whole > 0 {
		s.n = whole
		if err := s.write(nil, nil); err != nil {
			return err
		}
		s.n = copy(s.staging, rest) // rest is still intact: only this goroutine fills staging memory
	}
	if err := s.drain(); err != nil || s.n == 0 {
		return err
	}
	clear(s.staging[s.n:s.grain])
	if s.off == 0 {
		return s.head.write(s.d, s.staging[:s.grain])
	}
	return s.d.Writev([][]byte{s.staging[:s.grain]}, s.off)
}

// WriteHead overwrites the first bytes of the file.
func (s *Sink) WriteHead(b []byte) error { return s.head.change(s.d, b) }

// Intact waits for pending writes and returns the size up to which everything appended has been written or can still be
// written.
func (s *Sink) Intact() int64 {
	if s.drain() != nil {
		return s.failedAt
	}
	return s.Size()
}

// Rewind removes everything appended after size n, so that appending can continue there after a failed write. n is at
// most Intact or the size at the last Flush. The block that contains it is read, to be written again later.
func (s *Sink) Rewind(n int64) error {
	s.Intact()
	s.err = nil
	if n >= s.off && s.grain > 1 { // otherwise a failed write may have left something after n, which takes room
		s.n = int(n - s.off)
		return nil
	}
	start := n &^ int64(s.grain-1)
	if n > start {
		if err := s.d.Read(s.staging[:s.grain], start); err != nil {
			return err
		}
	}
	s.off, s.n = start, int(n-start)
	s.started = start
	s.reserved = 0
	return s.d.Truncate(n)
}

// Finish writes the rest, padded with zeros up to the grain, and truncates the file to its size, because a failed write
// may have left something after it.
func (s *Sink) Finish() error {
	size := s.Size()
	if rest := s.n - s.whole(s.n); rest != 0 {
		if err := s.collect(make([]byte, s.grain-rest)); err != nil {
			return err
		}
	}
	if s.n > 0 {
		if err := s.write(nil, nil); err != nil {
			return err
		}
	}
	if err := s.drain(); err != nil {
		return err
	}
	return s.d.Truncate(size)
}

// Close closes the Disk.
func (s *Sink) Close() error {
	s.Intact()
	return s.close()
}
