package work

import (
	"context"
	"sync"
)

// Newest handles items in a goroutine, one after the other. An item that still waits when the next one comes is
// dropped.
type Newest[T any] struct {
	// Handle is called with an item, and Drop with one that is dropped and the one that replaces it. Drop must not call
	// the methods.
	Handle func(T)
	Drop   func(old, by T)

	mu      sync.Mutex
	busy    bool // the goroutine runs
	waits   bool
	waiting T
	dropped uint64
	idle    chan struct{} // closed when the goroutine ends; nil if nobody waits for that
}

// Put hands over an item.
func (n *Newest[T]) Put(item T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.busy {
		n.busy = true
		go n.run(item)
		return
	}
	if n.waits {
		n.dropped++
		n.Drop(n.waiting, item)
	}
	n.waiting, n.waits = item, true
}

func (n *Newest[T]) run(item T) {
	for more := true; more; {
		n.Handle(item)
		item, more = n.next()
	}
}

func (n *Newest[T]) next() (item T, more bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting, item = item, n.waiting
	more, n.waits, n.busy = n.waits, false, n.waits
	if !more && n.idle != nil {
		close(n.idle)
		n.idle = nil
	}
	return item, more
}

// Discard drops the item that waits, without counting it. The zero value replaces it.
func (n *Newest[T]) Discard() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.waits {
		var none T
		n.Drop(n.waiting, none)
		n.waiting, n.waits = none, false
	}
}

// Dropped returns the number of items that others replaced.
func (n *Newest[T]) Dropped() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dropped
}

// Settle waits until all items are handled or dropped. Then there is no goroutine.
func (n *Newest[T]) Settle(ctx context.Context) error {
	n.mu.Lock()
	busy := n.busy
	if busy && n.idle == nil {
		n.idle = make(chan struct{})
	}
	idle := n.idle
	n.mu.Unlock()
	if !busy {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
