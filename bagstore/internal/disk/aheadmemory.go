package disk

import "sync"

// freeAhead is how many memories wait for the next reader.
const freeAhead = 2

// aheadMemory is the memory of readers that were closed: pages that were never touched are
// dear. It is outside the heap, where the garbage collector would let the program grow by as much again.
var aheadMemory memoryList

type memoryList struct {
	mu   sync.Mutex
	free []pages
}

// pages is memory for whole blocks.
type pages struct {
	bytes   []byte
	mapping []byte // that bytes lie in; nil: in the heap
}

// get returns the memory of all slots of a reader.
func (l *memoryList) get() pages {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		p := l.free[n-1]
		l.free = l.free[:n-1]
		return p
	}
	p := newPages(aheadSlots * aheadBlock)
	AdviseHuge(p.bytes)
	return p
}

// put takes it back. Nobody uses it any more.
func (l *memoryList) put(p pages) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == freeAhead {
		p.free()
		return
	}
	l.free = append(l.free, p)
}
