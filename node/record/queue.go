package record

import (
	"sync"
)

// byteQueue is a FIFO queue for any number of producers and one consumer, bounded in
// bytes. If a new item doesn't fit, the oldest ones are passed to drop, which counts and
// releases them.
type byteQueue[T any] struct {
	limit int64
	drop  func(T)

	mu     sync.Mutex
	ready  sync.Cond
	items  []sized[T]
	head   int
	bytes  int64
	closed bool
}

type sized[T any] struct {
	item T
	size int64
}

func newByteQueue[T any](limit int64, drop func(T)) *byteQueue[T] {
	q := &byteQueue[T]{limit: limit, drop: drop}
	q.ready.L = &q.mu
	return q
}

// push adds an item of the given size. After close, it drops the item.
func (q *byteQueue[T]) push(item T, size int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		q.drop(item)
		return
	}
	for q.bytes+size > q.limit && q.head < len(q.items) {
		q.drop(q.shift())
	}
	q.items = append(q.items, sized[T]{item, size})
	q.bytes += size
	q.ready.Signal()
}

// pop waits for an item. ok is false once the queue is closed and empty.
func (q *byteQueue[T]) pop() (item T, ok bool) {
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

// shift removes the oldest item. The caller must hold q.mu, and the queue must not
// be empty.
func (q *byteQueue[T]) shift() T {
	s := q.items[q.head]
	q.items[q.head] = sized[T]{}
	q.head++
	q.bytes -= s.size
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	} else if q.head > 1024 && q.head*2 > len(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	return s.item
}

// held returns the number of bytes in the queue.
func (q *byteQueue[T]) held() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}

// close makes pop return false once the queue is empty. It may be called twice.
func (q *byteQueue[T]) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.ready.Broadcast()
}
