package disk

import (
	"sync"

	"rsros/program/buffers"
)

// aheadMemory is the memory of closed readers, because touching new pages is expensive. It isn't on
// the heap, where it would let the garbage collector keep as much again.
var aheadMemory memoryList

// freeAhead is how many memories wait for the next reader.
const freeAhead = 2

type memoryList struct {
	mu   sync.Mutex
	free []pages // of aheadSlots blocks of aheadBlock
}

// pages is memory in huge pages.
type pages struct {
	bytes   []byte
	mapping []byte // that contains bytes, or nil if they are on the heap
}

// get returns n bytes.
func (l *memoryList) get(n int) pages {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := len(l.free) - 1; last >= 0 && len(l.free[last].bytes) == n {
		p := l.free[last]
		l.free = l.free[:last]
		return p
	}
	p := newPages(n)
	buffers.AdviseHuge(p.bytes)
	return p
}

func (l *memoryList) put(p pages) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(p.bytes) == aheadSlots*aheadBlock && len(l.free) < freeAhead {
		l.free = append(l.free, p)
	} else if p.mapping != nil {
		Unmap(p.mapping)
	}
}
