// Package work runs goroutines and hands work to them: loops that their owner stops, signals, rate limits, and queues
// between producers that must not wait and a consumer that may be slow.
package work

import (
	"cmp"
	"container/heap"
	"sync"
	"sync/atomic"
)

// Budget bounds the total size of what waits in its queues, and of what is reserved. Each key of a queue has a share of
// it, which grows as long as there is room. If a new item doesn't fit, the oldest items of the largest share are
// dropped, so that a key with many items can't displace those of others.
type Budget struct {
	limit int64
	spare spare

	mu       sync.Mutex
	size     atomic.Int64 // changed with mu held
	reserved int64        // part of size that is reserved
	shares   largestFirst // of all queues
}

// holder is a share of any queue.
type holder struct {
	size       int64
	at         int // index in the heap
	dropOldest func()
}

// largestFirst is a heap of shares.
type largestFirst []*holder

func (h largestFirst) Len() int           { return len(h) }
func (h largestFirst) Less(i, j int) bool { return h[i].size > h[j].size }
func (h largestFirst) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

func (h *largestFirst) Push(s any) {
	s.(*holder).at = len(*h)
	*h = append(*h, s.(*holder))
}

func (h *largestFirst) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return s
}

// resize changes the size of a share's items. The caller must hold b.mu.
func (b *Budget) resize(s *holder, by int64) {
	s.size += by
	heap.Fix(&b.shares, s.at)
	b.size.Add(by)
}

// NewBudget returns a budget of limit, in the unit of the sizes of items; 0 means no limit.
func NewBudget(limit int64) *Budget { return &Budget{limit: cmp.Or(limit, 1<<62)} }

// Limit returns the limit, which is large if there is none.
func (b *Budget) Limit() int64 { return b.limit }

// Reserve counts memory that is in no queue. What is in queues is dropped for it with the next Push.
func (b *Budget) Reserve(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.size.Add(size)
	b.reserved += size
}

// Keep is Reserve for memory that is kept for long, of which there may be half of the budget. It reports
// whether there is room.
func (b *Budget) Keep(kept, size int64) bool {
	if kept+size > b.limit/2 {
		return false
	}
	b.Reserve(size)
	return true
}

// Release gives up what was reserved or kept.
func (b *Budget) Release(size int64) { b.Reserve(-size) }

// Reserved returns the size of what is reserved.
func (b *Budget) Reserved() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reserved
}

// Queued returns the size of what waits in the queues.
func (b *Budget) Queued() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size.Load() - b.reserved
}

// makeRoom drops items until size more fit, or until only own could be dropped and is empty: an
// item larger than the limit still passes. The caller must hold b.mu.
func (b *Budget) makeRoom(own *holder, size int64) {
	for b.size.Load()+size > b.limit {
		largest := b.shares[0]
		if own.size > 0 && own.size+size > largest.size {
			largest = own
		}
		if largest.size == 0 {
			return
		}
		largest.dropOldest()
	}
}

// Queue is a FIFO queue for any number of producers and one consumer, bounded by a Budget, which it
// may share with others. Items that don't fit are passed to drop, which counts and releases them.
type Queue[K comparable, T any] struct {
	budget *Budget
	drop   func(T)

	// The mutex is that of the budget.
	ready  sync.Cond
	oldest *item[K, T]
	newest *item[K, T]
	spare  *item[K, T] // items that are used again, linked by next
	shares map[K]*share[K, T]
	size   int64
	closed bool
}

// item is in the list of its queue, and in that of its share.
type item[K comparable, T any] struct {
	value      T
	size       int64
	share      *share[K, T]
	prev, next *item[K, T] // in the queue
	later      *item[K, T] // in the share
}

// share has the items of a key, oldest first.
type share[K comparable, T any] struct {
	holder
	queue          *Queue[K, T]
	oldest, newest *item[K, T]
}

// NewQueue returns a queue. drop must not call its methods, nor those of other queues of the budget.
func NewQueue[K comparable, T any](b *Budget, drop func(T)) *Queue[K, T] {
	q := &Queue[K, T]{budget: b, drop: drop, shares: make(map[K]*share[K, T])}
	q.ready.L = &b.mu
	return q
}

// Push adds an item of a key, whose size must be above 0. After Close, it drops the item.
func (q *Queue[K, T]) Push(key K, value T, size int64) {
	q.push(key, value, size)
	q.budget.shrinkSpare()
}

func (q *Queue[K, T]) push(key K, value T, size int64) {
	b := q.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if q.closed {
		q.drop(value)
		return
	}
	s := q.shares[key]
	if s == nil {
		s = &share[K, T]{queue: q}
		s.dropOldest = func() { q.drop(s.shift()) }
		q.shares[key] = s
		heap.Push(&b.shares, &s.holder)
	}
	b.makeRoom(&s.holder, size)
	q.append(s, value, size)
	q.ready.Signal()
}

func (q *Queue[K, T]) append(s *share[K, T], value T, size int64) {
	i := q.spare
	if i == nil {
		i = new(item[K, T])
	} else {
		q.spare = i.next
	}
	*i = item[K, T]{value: value, size: size, share: s, prev: q.newest}
	if q.newest == nil {
		q.oldest = i
	} else {
		q.newest.next = i
	}
	q.newest = i
	if s.newest == nil {
		s.oldest = i
	} else {
		s.newest.later = i
	}
	s.newest = i
	q.size += size
	q.budget.resize(&s.holder, size)
}

// Pop waits for the oldest item. ok is false once the queue is closed and empty.
func (q *Queue[K, T]) Pop() (value T, ok bool) {
	q.budget.mu.Lock()
	defer q.budget.mu.Unlock()
	for q.oldest == nil {
		if q.closed {
			return value, false
		}
		q.ready.Wait()
	}
	return q.oldest.share.shift(), true
}

// shift removes the oldest item of the share.
func (s *share[K, T]) shift() T {
	q, i := s.queue, s.oldest
	if s.oldest = i.later; s.oldest == nil {
		s.newest = nil
	}
	if i.prev == nil {
		q.oldest = i.next
	} else {
		i.prev.next = i.next
	}
	if i.next == nil {
		q.newest = i.prev
	} else {
		i.next.prev = i.prev
	}
	q.size -= i.size
	q.budget.resize(&s.holder, -i.size)
	value := i.value
	*i = item[K, T]{next: q.spare}
	q.spare = i
	if q.oldest == nil && q.closed {
		q.leave()
	}
	return value
}

// leave gives up the shares of a closed, empty queue.
func (q *Queue[K, T]) leave() {
	for _, s := range q.shares {
		heap.Remove(&q.budget.shares, s.at)
	}
	clear(q.shares)
}

// Size returns the total size of the items.
func (q *Queue[K, T]) Size() int64 {
	q.budget.mu.Lock()
	defer q.budget.mu.Unlock()
	return q.size
}

// Held returns the size of the items of a key.
func (q *Queue[K, T]) Held(key K) int64 {
	q.budget.mu.Lock()
	defer q.budget.mu.Unlock()
	if s := q.shares[key]; s != nil {
		return s.size
	}
	return 0
}

// Close makes Pop return false once the queue is empty. It may be called twice.
func (q *Queue[K, T]) Close() {
	q.budget.mu.Lock()
	defer q.budget.mu.Unlock()
	q.closed = true
	if q.oldest == nil {
		q.leave()
	}
	q.ready.Broadcast()
}
