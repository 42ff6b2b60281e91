package disk

import (
	"sync"

	"rsros/program/buffers"
)

// freeAhead is how many memories wait for the next reader.
const freeAhead = 2

// aheadMemory is the memory of closed readers, because touching new pages is expensive. It isn't on
// the heap, where it would let the garbage collector keep as much again.
var aheadMemory memoryList

type memoryList struct {
	mu   sync.Mutex
	free []pages
}

// pages is memory for aheadSlots blocks in a range of addresses divided into slots.
//
// Consecutive blocks have consecutive slots, so a message in several blocks is contiguous. There is
// a ring of slots and some spare ones, all with memory; or, if pages can be moved, a ring of many
// more slots, so that few messages cross its end.
type pages struct {
	bytes   []byte // all slots
	mapping []byte // that contains bytes, or nil if they are on the heap
	ring    int    // number of slots before the spare ones
	held    []bool // slots that have memory
	broken  bool   // a move failed: some addresses may belong to another mapping
}

func fixedPages(b []byte) pages { return pages{bytes: b, ring: aheadRing, held: firstHeld(aheadSlots)} }

// firstHeld returns the slots, of which the first aheadSlots have memory.
func firstHeld(places int) []bool {
	held := make([]bool, places)
	for i := range aheadSlots {
		held[i] = true
	}
	return held
}

func (l *memoryList) get() pages {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		p := l.free[n-1]
		l.free = l.free[:n-1]
		return p
	}
	p := newPages(aheadBlock)
	buffers.AdviseHuge(p.bytes)
	return p
}

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
