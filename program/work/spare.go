package work

import (
	"slices"
	"sync"
	"sync/atomic"
)

// spare is unused memory that pools keep for the next items. It may take what the queues leave of a budget, and a
// spareShare of the budget if they leave less: without any, every new item of a full queue would need new memory.
type spare struct {
	size atomic.Int64

	mu    sync.Mutex
	pools []Pool
}

const spareShare = 8

// Pool keeps spare memory of a budget.
type Pool interface {
	// Free gives up spare memory of size bytes or more, or all, and returns its size.
	Free(size int64) (given int64)
}

// Join adds a pool. The methods for spare memory do nothing for a nil Budget, which has room for everything.
func (b *Budget) Join(p Pool) {
	if b == nil {
		return
	}
	b.spare.mu.Lock()
	defer b.spare.mu.Unlock()
	b.spare.pools = append(b.spare.pools, p)
}

// Leave removes a pool, which has given up all.
func (b *Budget) Leave(p Pool) {
	if b == nil {
		return
	}
	b.spare.mu.Lock()
	defer b.spare.mu.Unlock()
	if at := slices.Index(b.spare.pools, p); at >= 0 {
		b.spare.pools = slices.Delete(b.spare.pools, at, at+1)
	}
}

// excess returns by how much spare memory would be too large with size more bytes.
func (b *Budget) excess(size int64) int64 {
	return b.spare.size.Load() + size - max(b.limit-b.size.Load(), b.limit/spareShare)
}

// RoomForSpare reports whether size more bytes of spare memory may be kept.
func (b *Budget) RoomForSpare(size int64) bool { return b == nil || b.excess(size) <= 0 }

// AddSpare counts size bytes of spare memory if there is room for them.
func (b *Budget) AddSpare(size int64) bool {
	if b == nil {
		return true
	}
	if b.spare.size.Add(size); b.excess(0) <= 0 {
		return true
	}
	b.spare.size.Add(-size)
	return false
}

// TakeSpare gives up what AddSpare counted.
func (b *Budget) TakeSpare(size int64) {
	if b != nil {
		b.spare.size.Add(-size)
	}
}

// Spare returns the size of spare memory in bytes.
func (b *Budget) Spare() int64 { return b.spare.size.Load() }

// shrinkSpare makes the pools give up what the queues need. The caller must not hold b.mu, because a pool's lock is
// taken before it.
func (b *Budget) shrinkSpare() {
	if b.excess(0) <= 0 {
		return
	}
	b.spare.mu.Lock()
	defer b.spare.mu.Unlock()
	for _, p := range b.spare.pools {
		over := b.excess(0)
		if over <= 0 {
			return
		}
		p.Free(over)
	}
}
