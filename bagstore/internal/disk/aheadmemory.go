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

// pages is memory for aheadSlots blocks, and places for them.
//
// Messages that are in several blocks are one piece of memory because blocks that follow each
// other in the file have places that do. There are a ring of such places and some spare
// ones, which all have memory; or, where memory can be moved from place to place, a ring of many more
// places, so that hardly a message goes over its end.
type pages struct {
	bytes   []byte // all places
	mapping []byte // that bytes lie in; nil: in the heap
	ring    int    // places before the spare ones
	held    []bool // places that have memory
	broken  bool   // a move failed: somebody else's memory may be among the places
}

// fixedPages returns pages that all have memory.
func fixedPages(b []byte) pages { return pages{bytes: b, ring: aheadRing, held: firstHeld(aheadSlots)} }

// firstHeld are places of which the first have memory.
func firstHeld(places int) []bool {
	held := make([]bool, places)
	for i := range aheadSlots {
		held[i] = true
	}
	return held
}

// get returns the memory of a reader.
func (l *memoryList) get() pages {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		p := l.free[n-1]
		l.free = l.free[:n-1]
		return p
	}
	p := newPages(aheadBlock)
	AdviseHuge(p.bytes)
	return p
}

// put takes it back. Nobody uses it any more.
func (l *memoryList) put(p pages) {
	if p.broken {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == freeAhead {
		p.free()
		return
	}
	l.free = append(l.free, p)
}
