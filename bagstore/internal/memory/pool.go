// Package memory bounds the memory of free buffers and unpacked chunks, for all readers of
// recordings in the process together. A chunk that doesn't fit is unpacked to a temporary
// file, and a message that unpacks to too much is refused.
//
// All functions may be called by many goroutines; a [Content] is read by many after one has filled it.
package memory

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// DefaultLimit bounds a message of compressed data, in bytes: an image of 3840x2160 pixels of
// 4 bytes fits. A larger one must be backed by the file.
const (
	DefaultLimit = 32 << 20
	backed       = 4 // times its stored bytes
)

var limit atomic.Int64 // 0: DefaultLimit

// SetLimit replaces DefaultLimit, or returns to it with 0. It doesn't affect what has been read.
func SetLimit(bytes int64) { limit.Store(bytes) }

// Most is how large a message may be of which the file has stored bytes, compressed.
func Most(stored int64) int64 { return max(cmp.Or(limit.Load(), DefaultLimit), backed*stored) }

// Fits returns an error if a message of n bytes is too large for compressed data of which the file has stored bytes.
func Fits(n, stored int64) error {
	if most := Most(stored); n > most {
		return fmt.Errorf("%d bytes unpacked from %d, at most %d are read", n, stored, most)
	}
	return nil
}

// Limits of the pool. Small buffers are cheap to allocate and numerous (inertial samples
// between images); they would displace large ones, whose pages are expensive to fault in.
const (
	freeBuffers = 16
	freeBytes   = 32 << 20
	freeLeast   = 16 << 10
	// giant is the size from which a dropped buffer counts as garbage. Of more than
	// maxGarbage the runtime is reminded: by itself it lets the heap double first.
	giant      = 16 << 20
	maxGarbage = 32 << 20
)

// pool keeps a few free buffers, so that reading a whole recording allocates only a handful.
var pool struct {
	sync.Mutex
	free    [][]byte // oldest first
	bytes   int
	garbage int
}

// Get returns n bytes with undefined content.
func Get(n int) []byte {
	if b := take(n); b != nil {
		return b[:n]
	}
	if n >= giant {
		return make([]byte, n)
	}
	// The spare room is for the next message, which is often slightly larger.
	return make([]byte, n, n+n/8)
}

// take removes and returns the smallest free buffer that holds n bytes, unless it would
// waste three quarters of it; nil if there is none.
func take(n int) []byte {
	if n < freeLeast/4 {
		return nil
	}
	pool.Lock()
	defer pool.Unlock()
	best := -1
	for i, b := range pool.free {
		if c := cap(b); c >= n && c/4 <= n && (best < 0 || c < cap(pool.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return remove(best)
}

// remove removes a free buffer. The pool is locked.
func remove(i int) []byte {
	b, last := pool.free[i], len(pool.free)-1
	copy(pool.free[i:], pool.free[i+1:])
	pool.free[last] = nil
	pool.free = pool.free[:last]
	pool.bytes -= cap(b)
	return b
}

// Put takes back a buffer, of Get or any other, that nobody uses any more.
func Put(b []byte) {
	if cap(b) < freeLeast || keep(b) {
		return
	}
	debug.FreeOSMemory()
}

// keep keeps a buffer or drops it. It reports whether there is little garbage.
func keep(b []byte) bool {
	pool.Lock()
	defer pool.Unlock()
	if cap(b) <= freeBytes {
		// Recent sizes are more likely to be needed than old ones.
		for len(pool.free) == freeBuffers || pool.bytes+cap(b) > freeBytes {
			drop(remove(0))
		}
		pool.free = append(pool.free, b)
		pool.bytes += cap(b)
	} else {
		drop(b)
	}
	if pool.garbage <= maxGarbage {
		return true
	}
	pool.garbage = 0
	return false
}

func drop(b []byte) {
	if cap(b) >= giant {
		pool.garbage += cap(b)
	}
}

// Scratch is a buffer that is given back after use. It is for one goroutine.
type Scratch struct{ b []byte }

// Get returns an empty slice with room for n bytes. It invalidates the last one.
func (s *Scratch) Get(n int) []byte {
	if cap(s.b) < n {
		Put(s.b)
		s.b = Get(n)
	}
	return s.b[:0]
}

// Put gives the buffer back.
func (s *Scratch) Put() {
	Put(s.b)
	s.b = nil
}
