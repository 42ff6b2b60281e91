package disk

import (
	"errors"
	"io"
	"math"
	"sync"
	"syscall"

	"rsros/program/buffers"
)

const (
	// aheadBlock is the block size in bytes; no grain is larger.
	aheadBlock = buffers.HugePage
	// aheadDepth is the number of blocks that are read ahead.
	aheadDepth = 5
	// aheadRing is the number of slots in the ring: for blocks read ahead and some before them, because messages
	// aren't exactly in time order, and are lent.
	aheadRing = 15
	// aheadSlots is the number of blocks in memory: those of the ring, and spare ones for when home slots are in use.
	aheadSlots = aheadRing + 1
	// AheadLeast is the smallest file size for which reading ahead pays.
	AheadLeast = 64 << 20
)

// ColdFile is the file that Ahead reads. Tests use files that fail and change.
type ColdFile interface {
	// ReadAt reads through the page cache.
	io.ReaderAt
	// Cached reports whether all of n bytes at off are in the page cache.
	Cached(off int64, n int) bool
	// Start starts to fill p from off, past the page cache. Both are aligned. Unless Start returns an error, it calls done
	// once, from another goroutine, with the number of bytes read, which is less than len(p) at the end of the file.
	Start(p []byte, off int64, done func(n int, err error)) error
	// Close frees the resources of Start. No read may be pending.
	Close() error
}

// Ahead reads a large file without filling the page cache. When reads progress through the file, it reads the next
// blocks past the page cache, several concurrently. Cached blocks, scattered reads, and reads that the file system
// refuses use the file's ReadAt, which also returns all errors. Ahead is safe for concurrent use.
type Ahead struct {
	f      ColdFile
	size   int64 // of the file when it was opened; nothing after it is read ahead
	block  int64 // bytes
	always bool

	mu       sync.Mutex
	over     sync.Cond        // a read has completed
	slots    [aheadSlots]slot // a block is in its home slot or in a spare one
	runs     [4]run
	clock    uint64
	underWay int   // pending reads
	lent     int   // slots
	refused  bool  // direct reads fail, or there is no memory for them
	closed   bool  // no more reads are started
	memory   pages // of the slots, one after another; none after Close and the last loan
}

type slot struct {
	block int64 // its number
	state slotState
	buf   []byte
	n     int    // bytes read
	users int    // callers that copy from buf, borrow it or wait for it
	lent  int    // users that borrow it
	used  uint64 // clock at the last use
}

type slotState uint8

const (
	slotEmpty   slotState = iota
	slotReading           // the kernel fills buf
	slotReady
	slotUsual // the block is read with the file's ReadAt
)

// NewAhead returns a reader of the first size bytes of f in blocks, which it closes. With always, it reads ahead of
// every read.
func NewAhead(f ColdFile, size int64, block int, always bool) *Ahead {
	a := &Ahead{f: f, size: size, block: int64(block), always: always, memory: aheadMemory.get(aheadSlots * block)}
	a.over.L = &a.mu
	for i := range a.slots {
		a.slots[i].buf = a.memory.bytes[i*block:][:block:block]
	}
	return a
}

// ReadAt implements io.ReaderAt.
func (a *Ahead) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off > math.MaxInt64-int64(len(p)) {
		return a.f.ReadAt(p, off)
	}
	end := off + int64(len(p))
	ahead := a.observe(off, end) || a.always
	for n < len(p) {
		at := off + int64(n)
		part := p[n:min(int64(len(p)), int64(n)+a.block-at%a.block)]
		k := a.take(part, at, end, ahead)
		if k == 0 {
			if k, err = a.f.ReadAt(part, at); err != nil {
				return n + k, err
			}
		}
		n += k
	}
	return n, nil
}

// take copies the bytes at off from their block, and starts to read the blocks up to end
// and further ahead. It returns 0 if the caller has to use the file's ReadAt.
func (a *Ahead) take(p []byte, off, end int64, ahead bool) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if ahead {
		a.startAll(off/a.block, (end-1)/a.block+aheadDepth)
	}
	s := a.find(off / a.block)
	if s == nil {
		return 0
	}
	s.users++
	for s.state == slotReading {
		a.over.Wait()
	}
	n := 0
	if skip := int(off % a.block); s.state == slotReady && skip < s.n {
		from := s.buf[skip:s.n]
		a.mu.Unlock() // a slot with users doesn't change
		n = copy(p, from)
		a.mu.Lock()
	}
	s.users--
	return n
}

// index returns the number of a block's slot, or -1.
func (a *Ahead) index(block int64) int {
	has := func(i int) bool { return a.slots[i].state != slotEmpty && a.slots[i].block == block }
	if home := int(block % aheadRing); has(home) {
		return home
	}
	for i := aheadRing; i < aheadSlots; i++ {
		if has(i) {
			return i
		}
	}
	return -1
}

// find returns the slot of a block and marks it as used, or returns nil.
func (a *Ahead) find(block int64) *slot {
	i := a.index(block)
	if i < 0 {
		return nil
	}
	a.touch(&a.slots[i])
	return &a.slots[i]
}

func (a *Ahead) touch(s *slot) {
	a.clock++
	s.used = a.clock
}

// startAll starts to read those blocks from first to last that aren't in memory, in order, while there is room.
func (a *Ahead) startAll(first, last int64) {
	last = min(last, first+aheadDepth, (a.size-1)/a.block)
	for block := first; block <= last && !a.refused && !a.closed; block++ {
		if a.find(block) != nil {
			continue
		}
		if s := a.room(block, first, last); s != nil {
			a.start(s, block)
		}
	}
}

// room returns the block's home slot, or a spare one if the home slot was used recently; nil if none is free. In its
// home slot a block follows the previous block in memory.
func (a *Ahead) room(block, first, last int64) *slot {
	free := func(s *slot) bool {
		return s.state == slotEmpty || s.state != slotReading && s.users == 0 && (s.block < first || s.block > last)
	}
	home, spare := &a.slots[block%aheadRing], (*slot)(nil)
	older := 0 // slots used less recently than home
	for i := range a.slots {
		s := &a.slots[i]
		if s.used < home.used {
			older++
		}
		if i >= aheadRing && free(s) && (spare == nil || s.used < spare.used) {
			spare = s
		}
	}
	if free(home) && (older < aheadRing/2 || spare == nil || home.used < spare.used) {
		return home
	}
	return spare
}

func (a *Ahead) start(s *slot, block int64) {
	off := block * a.block
	a.touch(s)
	s.block, s.n = block, 0
	if a.f.Cached(off, int(min(a.block, a.size-off))) {
		s.state = slotUsual
		return
	}
	s.state = slotReading
	a.underWay++
	if a.f.Start(s.buf, off, func(n int, err error) { a.finish(s, n, err) }) != nil {
		a.underWay--
		s.state, a.refused = slotUsual, true
	}
}

// finish handles a completed read. A block that can't be read is read again with ReadAt.
func (a *Ahead) finish(s *slot, n int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.underWay--
	s.state, s.n = slotReady, n
	if err != nil {
		s.state = slotUsual
		a.refused = a.refused || isRefusal(err)
	}
	a.over.Broadcast()
}

func isRefusal(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// Close waits for pending reads. Loans stay valid. It may be called twice.
func (a *Ahead) Close() error {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil
	}
	a.closed = true
	for a.underWay > 0 {
		a.over.Wait()
	}
	a.dispose()
	a.mu.Unlock()
	return a.f.Close()
}

const (
	// runReach is the maximum distance of a read from its run, in bytes.
	runReach = 8 << 20
	// runLeast is the number of bytes requested before a run is read ahead.
	runLeast = 512 << 10
	// runSpan limits the length of a run that counts.
	runSpan = 64 << 20
	// runShare: at least one in runShare bytes of a run must be requested.
	runShare = 3
)

// run is a part of the file that is read progressively, such as messages, or an index.
type run struct {
	start, end int64
	asked      int64  // approximate number of requested bytes
	used       uint64 // clock at the last read
}

func (a *Ahead) observe(off, end int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock++
	r := &a.runs[0]
	for i := range a.runs {
		s := &a.runs[i]
		if s.used > 0 && off >= s.end-runReach && off <= s.end+runReach {
			s.used = a.clock
			return s.add(off, end)
		}
		if s.used < r.used {
			r = s
		}
	}
	*r = run{start: off, end: off, used: a.clock}
	return r.add(off, end)
}

func (r *run) add(off, end int64) bool {
	r.start, r.end = min(r.start, off), max(r.end, end)
	r.asked = min(r.asked+end-off, r.end-r.start) // bytes read twice count twice
	if span := r.end - r.start; span > runSpan {
		r.start += span / 2
		r.asked /= 2
	}
	return r.asked >= runLeast && r.asked >= (r.end-r.start)/runShare
}
