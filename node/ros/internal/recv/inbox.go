package recv

import (
	"sync"

	"rsros/node/ros/internal/wake"
)

// Inbox is the queue in front of a callback. A full inbox drops its oldest message.
type Inbox[T any] struct {
	limit  int // negative: none
	mu     sync.Mutex
	list   []T
	closed bool
	ready  wake.Signal
}

// NewInbox returns an inbox for limit messages; negative means unlimited.
func NewInbox[T any](limit int) *Inbox[T] { return &Inbox[T]{limit: limit, ready: wake.New()} }

// Push adds r. It returns the dropped message: the oldest of a full inbox, or r if the
// inbox is closed.
func (b *Inbox[T]) Push(r T) (old T, dropped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return r, true
	}
	if b.limit > 0 && len(b.list) >= b.limit {
		old, dropped = b.shift(), true
	}
	b.list = append(b.list, r)
	b.ready.Set()
	return old, dropped
}

// Pop waits for a message. It returns false if the inbox is closed and empty.
func (b *Inbox[T]) Pop() (T, bool) {
	for {
		b.mu.Lock()
		if len(b.list) > 0 {
			r := b.shift()
			b.mu.Unlock()
			return r, true
		}
		closed := b.closed
		b.mu.Unlock()
		if closed {
			var zero T
			return zero, false
		}
		<-b.ready
	}
}

// shift removes the oldest. Callers hold mu.
func (b *Inbox[T]) shift() T {
	r := b.list[0]
	var zero T
	b.list[0] = zero // for the garbage collector
	b.list = b.list[1:]
	return r
}

// Close ends Pop when the inbox is empty.
func (b *Inbox[T]) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.ready.Set()
}
