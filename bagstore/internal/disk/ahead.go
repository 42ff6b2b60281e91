package disk

import (
	"cmp"
	"errors"
	"io"
	"math"
	"sync"
	"syscall"
)

const (
	// aheadBlock is the size of the pieces that are read, which no grain exceeds.
	aheadBlock = HugePage
	// aheadDepth is how many blocks are read ahead at a time.
	aheadDepth = 5
	// aheadRing is how many blocks that follow each other lie one after the other in memory,
	// where memory can't be moved: those read ahead, and some before, because the messages of
	// a recording aren't exactly in the order of their times, and are lent.
	aheadRing = 14
	// aheadSpare are for blocks whose places in the ring are lent, or used by others who read
	// elsewhere in the file.
	aheadSpare = 2
	// aheadSlots is how many blocks are in memory.
	aheadSlots = aheadRing + aheadSpare
	// AheadLeast is the size from which a file is worth the memory.
	AheadLeast = 64 << 20
)

// AheadOptions are for tests. The zero value is good.
type AheadOptions struct {
	// Block is the size of the pieces that are read; default 2 MiB.
	Block int
	// Always reads ahead of every read.
	Always bool
}

// ColdFile is what Ahead needs of a file. Tests have files that fail and change.
type ColdFile interface {
	// ReadAt reads through the page cache.
	io.ReaderAt
	// Cached tells whether n bytes at off are in the page cache, all of them.
	Cached(off int64, n int) bool
	// Start begins to fill p from off, past the page cache. Both are aligned. It calls
	// done once, from another goroutine, with the number of bytes that were read; it is
	// less than the length of p where the file ends. If Start returns an error, done
	// isn't called.
	Start(p []byte, off int64, done func(n int, err error)) error
	// Close ends what Start needs. No read is under way.
	Close() error
}

// Ahead reads a file that is larger than the page cache should have to hold: where
// reading goes on from place to place, the blocks that follow are read past the page
// cache, several at once, before they are asked for. What is in the cache already, what
// is read here and there, and what can't be read in this way is read as usual, and so
// are all errors found.
//
// It may be used by many goroutines.
type Ahead struct {
	f      ColdFile
	size   int64 // of the file when it was opened; nothing after it is read ahead
	block  int64 // bytes
	always bool

	mu       sync.Mutex
	over     sync.Cond // a read is over
	slots    []slot    // the places of memory; a block's is that of its number, or a spare one
	runs     [4]run
	clock    uint64
	underWay int
	lent     int  // slots
	refused  bool // the file system takes no such reads, or there is no memory for them
	closed   bool // nothing is started any more
	memory   pages
}

// slot holds a block of the file.
type slot struct {
	block int64 // its number
	state slotState
	buf   []byte // its place in memory
	n     int    // bytes that were read
	users int    // who copy from buf, borrow it or wait for it
	lent  int    // of users, those who borrow it
	used  uint64 // when it was wanted last
}

type slotState uint8

const (
	slotEmpty   slotState = iota
	slotReading           // the kernel fills buf
	slotReady
	slotUsual // the block is read as usual
)

// NewAhead returns a reader of the first size bytes of f, which it closes.
func NewAhead(f ColdFile, size int64, o AheadOptions) *Ahead {
	a := &Ahead{f: f, size: size, block: int64(cmp.Or(o.Block, aheadBlock)), always: o.Always}
	a.over.L = &a.mu
	if a.block == aheadBlock {
		a.memory = aheadMemory.get()
	} else {
		a.memory = newPages(int(a.block))
	}
	a.slots = make([]slot, len(a.memory.held))
	for i := range a.slots {
		a.slots[i].buf = a.memory.bytes[i*int(a.block):][:a.block:a.block]
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

// take copies what a block has of the bytes at off, and starts to read the blocks up to
// end and further ahead. It returns 0 if they have to be read as usual.
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
		a.mu.Unlock() // nobody changes a slot that has users
		n = copy(p, from)
		a.mu.Lock()
	}
	s.users--
	return n
}

// index returns the slot of a block, -1 if there is none.
func (a *Ahead) index(block int64) int {
	has := func(i int) bool { return a.slots[i].state != slotEmpty && a.slots[i].block == block }
	if home := a.home(block); has(home) {
		return home
	}
	for i := a.memory.ring; i < len(a.slots); i++ {
		if has(i) {
			return i
		}
	}
	return -1
}

// home is the slot of a block in the ring.
func (a *Ahead) home(block int64) int { return int(block % int64(a.memory.ring)) }

// find returns the slot of a block, which is wanted now; nil if there is none.
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

// startAll starts to read the blocks from first to last that aren't there, as far as
// there is room. The first of them matter most.
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

// room returns a slot for a block, of those that nobody needs: its place in the ring, so that
// it comes after the block before it in memory, or a spare one if what is there was wanted
// of late. It returns nil if there is none.
func (a *Ahead) room(block, first, last int64) *slot {
	idle := func(s *slot) bool {
		return s.state == slotEmpty || s.state != slotReading && s.users == 0 && (s.block < first || s.block > last)
	}
	// oldest is the slot from one on that has memory, is idle, and was wanted longest ago; -1: there is none.
	oldest := func(from int) int {
		best := -1
		for i := from; i < len(a.slots); i++ {
			if s := &a.slots[i]; a.memory.held[i] && idle(s) && (best < 0 || s.used < a.slots[best].used) {
				best = i
			}
		}
		return best
	}
	at := a.home(block)
	home := &a.slots[at]
	if !a.memory.held[at] {
		from := oldest(0)
		if from < 0 {
			return nil
		}
		if !a.memory.move(at, from) {
			a.refused = true
			return nil
		}
		a.slots[from].state = slotEmpty
		return home
	}
	older := 0 // than what is there
	for i := range a.slots {
		if a.memory.held[i] && a.slots[i].used < home.used {
			older++
		}
	}
	if idle(home) && older < aheadRing/2 {
		return home
	}
	spare := oldest(a.memory.ring)
	if idle(home) && (spare < 0 || home.used < a.slots[spare].used) {
		return home
	}
	if spare < 0 {
		return nil
	}
	return &a.slots[spare]
}

// start begins to read a block into a slot.
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

// finish notes that a read is over. A block that can't be read is read again as usual,
// which says what is wrong and where.
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

// isRefusal tells an error of the file system, which has no such reads, from one of the
// disk.
func isRefusal(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// Close waits for the reads under way. ReadAt and Borrow must not be called any more; what
// is lent stays good. A second Close does nothing.
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
