package disk

import (
	"sync"
	"unsafe"
)

const (
	// Grain is the least alignment of direct writes in the file and in memory, a page of
	// most machines. SetDirect says what a file system asks for, which may be more.
	Grain = 4096
	// maxGrain is the largest alignment that is accepted: some blocks fit into the
	// staging memory.
	maxGrain = stagingSize / 4
	// headSize is the most that WriteHead takes.
	headSize = Grain
	// MaxUnderWay is the number of simultaneous writes that keeps the disk busy.
	MaxUnderWay = 4
	// LendLeast is the size in bytes from which lent memory is written from where it is.
	LendLeast = 64 << 10
	// HugePage is the size of a huge page in bytes.
	HugePage = 2 << 20

	// stagingSize is the number of bytes that are collected before they are written.
	stagingSize = 1 << 20
)

// directSink writes past the page cache, several writes at once. It collects small pieces in
// staging memory. A large, lent and aligned piece is written from where it is.
type directSink struct {
	writes
	grain   int    // a power of 2, of bytes in the file and in memory
	staging []byte // being filled
	n       int    // bytes in it
	off     int64  // of staging in the file, aligned
	last    []byte // the end of a lent piece that fills no whole block
	head    firstBlock
}

// NewDirect returns a sink that writes past the page cache to a file for which SetDirect returned
// the grain. It reserves preallocate bytes ahead; 0 means 64 MiB, a negative number none.
func NewDirect(d Disk, grain int, preallocate int64) Sink {
	return newDirect(d, grain, preallocate, nil)
}

func newDirect(d Disk, grain int, preallocate int64, staging *Staging) *directSink {
	s := &directSink{grain: grain, last: make([]byte, grain), head: firstBlock{block: AlignedBytes(grain, grain)}}
	s.begin(d, preallocate, staging)
	s.staging = s.take()
	return s
}

// resume continues a file of more than a block that was written through the page cache. It tries
// setDirect with the first block, which doesn't change.
func (s *directSink) resume(size int64, setDirect func() error) error {
	if err := s.d.Read(s.head.block, 0); err != nil {
		return err
	}
	s.off = size &^ int64(s.grain-1)
	s.n = int(size - s.off)
	if err := s.d.Read(s.staging[:s.n], s.off); err != nil {
		return err
	}
	s.started = s.off
	if err := setDirect(); err != nil {
		return err
	}
	return s.d.Writev([][]byte{s.head.block}, 0)
}

// AlignedBytes returns n bytes whose address is a multiple of grain.
func AlignedBytes(n, grain int) []byte { return align(make([]byte, n+grain), n, grain) }

// align returns n bytes of b at a multiple of grain. b has at least n + grain bytes.
func align(b []byte, n, grain int) []byte {
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (grain - 1)
	return b[skip : skip+n : skip+n]
}

func (s *directSink) whole(n int) int { return n &^ (s.grain - 1) }

func (s *directSink) isAligned(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))&uintptr(s.grain-1) == 0
}

func (s *directSink) Append(head, body, tail []byte, done func()) error {
	defer func() {
		if done != nil {
			done()
		}
	}()
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

// collect copies b to staging memory and writes it whenever it is full.
func (s *directSink) collect(b []byte) error {
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

// write starts to write the collected bytes, followed by a lent piece. It waits while too many
// writes are pending.
func (s *directSink) write(lent []byte, done func()) error {
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

func (s *directSink) Size() int64 { return s.off + int64(s.n) }

// Written doesn't include the last, partial block that Flush has written.
func (s *directSink) Written() int64 { return s.off }
func (s *directSink) Grain() int64   { return int64(s.grain) }
func (s *directSink) Sync() error    { return s.d.Sync() }

// Flush pads the last block with zeros, writes it, and keeps it to write it again later.
func (s *directSink) Flush() error {
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

func (s *directSink) WriteHead(b []byte) error { return s.head.change(s.d, b) }

func (s *directSink) Intact() int64 {
	if s.drain() != nil {
		return s.failedAt
	}
	return s.Size()
}

// Rewind reads the block that contains n, which need not be aligned, to write it again later.
func (s *directSink) Rewind(n int64) error {
	s.Intact()
	s.err = nil
	if n >= s.off {
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

// Finish pads the last bytes with zeros up to the grain, writes them and truncates the file.
func (s *directSink) Finish() error {
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

func (s *directSink) Close() error {
	s.Intact()
	return s.close()
}

// firstBlock is the block of a direct file that contains the head. If blocks are larger
// than the head, it also has the start of the data: changing the head writes both, and
// writing the data keeps the last head.
type firstBlock struct {
	mu    sync.Mutex // Flush and WriteHead may write it concurrently
	block []byte     // the block's content in the file; aligned
	head  []byte     // of the last change
}

// write writes the block with new data and the current head, which it also copies to b.
func (f *firstBlock) write(d Disk, b []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	copy(b, f.head)
	copy(f.block, b)
	return d.Writev([][]byte{f.block}, 0)
}

func (f *firstBlock) change(d Disk, head []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.head = append(f.head[:0], head...)
	copy(f.block, head)
	return d.Writev([][]byte{f.block}, 0)
}
