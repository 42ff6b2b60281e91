package bagstore

import (
	"sync"
	"unsafe"
)

const (
	// directGrain is the alignment of direct writes, in the file and in
	// memory: what every file system takes that takes any.
	directGrain = 4096
	// maxUnderWay bounds the writes that go on at once: enough that the disk
	// never waits for us.
	maxUnderWay = 4
	// stagingSize is what is collected before it is written.
	stagingSize = 1 << 20
	hugePage    = 2 << 20
	// directLarge is the least that is written from the caller's memory.
	directLarge = 64 << 10
	// defaultPreallocate keeps the file in few pieces without taking the
	// disk of a short recording.
	defaultPreallocate = 64 << 20
)

// directSink writes past the page cache, several writes at once. Small pieces
// are collected in staging memory; a large lent piece that is aligned in memory
// and in the file goes to the disk from where it is, in one write with what was
// collected before it.
type directSink struct {
	d       disk
	staging []byte // being filled
	n       int    // bytes in it
	off     int64  // of staging in the file, aligned
	block   []byte // for head alone
	last    []byte // what is no whole block of a lent piece

	step     int64 // preallocate so much at a time
	reserved int64

	mu       sync.Mutex
	over     sync.Cond // a write is
	free     [][]byte  // staging memory; last given back, first used
	underWay int
	err      error // of the first write that failed
	failedAt int64 // the lowest offset of one
}

func newDirectSink(d disk, preallocate int64) *directSink {
	if preallocate == 0 {
		preallocate = defaultPreallocate
	}
	s := &directSink{d: d, block: alignedBytes(directGrain, directGrain), last: make([]byte, directGrain), step: preallocate}
	s.over.L = &s.mu
	memory := alignedBytes(maxUnderWay*stagingSize, hugePage)
	adviseHuge(memory)
	for ; len(memory) > 0; memory = memory[stagingSize:] {
		s.free = append(s.free, memory[:stagingSize:stagingSize])
	}
	s.staging = s.take()
	return s
}

// alignedBytes is memory that begins on a grain.
func alignedBytes(n, grain int) []byte {
	b := make([]byte, n+grain)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (grain - 1)
	return b[skip : skip+n : skip+n]
}

func isAligned(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))&(directGrain-1) == 0
}

func (s *directSink) append(head, body, tail []byte, done func()) error {
	defer func() {
		if done != nil {
			done()
		}
	}()
	if err := s.collect(head); err != nil {
		return err
	}
	whole := len(body) &^ (directGrain - 1)
	if done != nil && whole >= directLarge && s.n%directGrain == 0 && isAligned(body) {
		rest := s.last[:copy(s.last, body[whole:])] // body may be gone when write returns
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

// collect copies b to staging memory and writes what is full of it.
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

// write begins to write what was collected, and a lent piece behind it. It waits
// while too much is under way.
func (s *directSink) write(lent []byte, done func()) error {
	staging, off := s.staging, s.off
	bufs := [][]byte{staging[:s.n], lent}
	s.off += int64(s.n + len(lent))
	s.n = 0
	s.reserve(s.off)
	s.mu.Lock()
	s.underWay++
	s.mu.Unlock()
	s.d.start(bufs, off, func(err error) {
		if done != nil {
			done()
		}
		s.finished(staging, off, err)
	})
	s.staging = s.take()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// finished takes a write's staging memory back.
func (s *directSink) finished(staging []byte, off int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && (s.err == nil || off < s.failedAt) {
		s.err, s.failedAt = err, off
	}
	s.free = append(s.free, staging)
	s.underWay--
	s.over.Signal()
}

// take waits for staging memory.
func (s *directSink) take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.free) == 0 {
		s.over.Wait()
	}
	last := len(s.free) - 1
	b := s.free[last]
	s.free = s.free[:last]
	return b
}

// drain waits until no write is under way.
func (s *directSink) drain() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.underWay > 0 {
		s.over.Wait()
	}
	return s.err
}

// reserve keeps space allocated ahead. Where that isn't possible, writing
// allocates as it goes.
func (s *directSink) reserve(end int64) {
	if s.step <= 0 || end <= s.reserved {
		return
	}
	want := (end + s.step) / s.step * s.step
	if s.d.allocate(want) != nil {
		s.step = 0
		return
	}
	s.reserved = want
}

func (s *directSink) size() int64  { return s.off + int64(s.n) }
func (s *directSink) grain() int64 { return directGrain }
func (s *directSink) sync() error  { return s.d.sync() }

// flush writes a last block that isn't full with zeros behind it, and keeps it.
func (s *directSink) flush() error {
	whole := s.n &^ (directGrain - 1)
	if rest := s.staging[whole:s.n]; whole > 0 {
		s.n = whole
		if err := s.write(nil, nil); err != nil {
			return err
		}
		s.n = copy(s.staging, rest) // nobody else fills memory that was written
	}
	if err := s.drain(); err != nil || s.n == 0 {
		return err
	}
	clear(s.staging[s.n:directGrain])
	return s.d.writev([][]byte{s.staging[:directGrain]}, s.off)
}

// head writes the first block, which holds all of the file header that changes.
func (s *directSink) head(b []byte) error {
	copy(s.block, b)
	return s.d.writev([][]byte{s.block}, 0)
}

func (s *directSink) intact() int64 {
	if s.drain() != nil {
		return s.failedAt
	}
	return s.size()
}

// rewind goes back to n, which need not be aligned: the block that n cuts is
// collected again.
func (s *directSink) rewind(n int64) error {
	s.intact()
	s.err = nil
	if n >= s.off {
		s.n = int(n - s.off)
		return nil
	}
	start := n &^ (directGrain - 1)
	if n > start {
		if err := s.d.read(s.staging[:directGrain], start); err != nil {
			return err
		}
	}
	s.off, s.n = start, int(n-start)
	s.reserved = 0
	return s.d.truncate(n)
}

// end writes the last bytes with zeros up to the grain and cuts those off.
func (s *directSink) end() error {
	size := s.size()
	if rest := s.n % directGrain; rest != 0 {
		if err := s.collect(make([]byte, directGrain-rest)); err != nil {
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
	return s.d.truncate(size)
}

func (s *directSink) close() error {
	s.intact()
	return s.d.close()
}
