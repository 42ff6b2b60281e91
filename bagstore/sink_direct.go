package bagstore

import (
	"unsafe"
)

const (
	// directGrain is the alignment of direct writes, in the file and in
	// memory: what every file system takes that takes any.
	directGrain = 4096
	// stagingSize is what is collected before it is written.
	stagingSize = 4 << 20
	// directLarge is the least that is written from the caller's memory.
	directLarge = 64 << 10
	// defaultPreallocate keeps the file in few pieces without taking the
	// disk of a short recording.
	defaultPreallocate = 64 << 20
)

// directSink writes past the page cache. Small pieces are collected in staging
// memory; a large piece that is aligned in memory and in the file goes to the
// disk from where it is, in one call with what was collected.
type directSink struct {
	d       disk
	staging []byte // aligned
	n       int    // bytes in it
	off     int64  // of staging in the file, aligned
	block   []byte // aligned, for head alone

	step     int64 // preallocate so much at a time
	reserved int64
}

func newDirectSink(d disk, preallocate int64) *directSink {
	if preallocate == 0 {
		preallocate = defaultPreallocate
	}
	return &directSink{d: d, staging: alignedBytes(stagingSize), block: alignedBytes(directGrain), step: preallocate}
}

// alignedBytes is memory that begins on a grain.
func alignedBytes(n int) []byte {
	b := make([]byte, n+directGrain)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (directGrain - 1)
	return b[skip : skip+n : skip+n]
}

func isAligned(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))&(directGrain-1) == 0
}

func (s *directSink) append(bufs ...[]byte) error {
	for _, b := range bufs {
		if whole := len(b) &^ (directGrain - 1); whole >= directLarge && s.n%directGrain == 0 && isAligned(b) {
			if err := s.write(b[:whole]); err != nil {
				return err
			}
			b = b[whole:]
		}
		for len(b) > 0 {
			k := copy(s.staging[s.n:], b)
			s.n += k
			b = b[k:]
			if s.n == len(s.staging) {
				if err := s.write(nil); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// write writes what was collected, and a large aligned piece behind it.
func (s *directSink) write(large []byte) error {
	total := int64(s.n + len(large))
	s.reserve(s.off + total)
	if err := s.d.writev([][]byte{s.staging[:s.n], large}, s.off); err != nil {
		return err
	}
	s.off += total
	s.n = 0
	return nil
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
	part := s.n - whole
	if whole > 0 {
		s.n = whole
		if err := s.write(nil); err != nil {
			s.n += part
			return err
		}
		s.n = copy(s.staging, s.staging[whole:whole+part])
	}
	if part == 0 {
		return nil
	}
	clear(s.staging[part:directGrain])
	return s.d.writev([][]byte{s.staging[:directGrain]}, s.off)
}

// head writes the first block, which holds all of the file header that changes.
func (s *directSink) head(b []byte) error {
	copy(s.block, b)
	return s.d.writev([][]byte{s.block}, 0)
}

// rewind goes back to n, which need not be aligned: the block that n cuts is
// collected again.
func (s *directSink) rewind(n int64) error {
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
	return s.d.truncate(start)
}

// end writes the last bytes with zeros up to the grain and cuts those off.
func (s *directSink) end() error {
	size := s.size()
	if rest := s.n % directGrain; rest != 0 {
		clear(s.staging[s.n : s.n+directGrain-rest])
		s.n += directGrain - rest
	}
	if err := s.write(nil); err != nil {
		return err
	}
	return s.d.truncate(size)
}

func (s *directSink) close() error { return s.d.close() }
