// Package queue has the queue between producers that must not wait and a consumer that may
// be slow.
package queue

import "sync"

// Queue is a FIFO queue for any number of producers and one consumer, bounded by the total
// size of its items. If a new item doesn't fit, the oldest ones are passed to drop, which
// counts and releases them.
type Queue[T any] struct {
	limit int64
	drop  func(T)

	mu     sync.Mutex
	ready  sync.Cond
	items  []sized[T]
	head   int // items before it were taken out
	size   int64
	closed bool
}

type sized[T any] struct {
	item T
	size int64
}

// New returns a queue. drop must not call its methods.
func New[T any](limit int64, drop func(T)) *Queue[T] {
	q := &Queue[T]{limit: limit, drop: drop}
	q.ready.L = &q.mu
	return q
}

// Push adds an item. After Close, it drops the item.
func (q *Queue[T]) Push(item T, size int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		q.drop(item)
		return
	}
	for q.size+size > q.limit && q.head < len(q.items) {
		q.drop(q.shift())
	}
	q.items = append(q.items, sized[T]{item, size})
	q.size += size
	q.ready.Signal()
}

// Pop waits for an item. ok is false once the queue is closed and empty.
func (q *Queue[T]) Pop() (item T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.head == len(q.items) {
		if q.closed {
			return item, false
		}
		q.ready.Wait()
	}
	return q.shift(), true
}

// shift removes the oldest item.
func (q *Queue[T]) shift() T {
	s := q.items[q.head]
	q.items[q.head] = sized[T]{}
	q.head++
	q.size -= s.size
	if 2*q.head >= len(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	return s.item
}

// Size returns the total size of the items.
func (q *Queue[T]) Size() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size
}

// Close makes Pop return false once the queue is empty. It may be called twice.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.ready.Broadcast()
}
