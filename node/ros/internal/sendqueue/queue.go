package sendqueue

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"rsros/node/ros/internal/wake"
)

// Limits bound each of a topic's queues; negative is no bound. They may be changed
// at any time.
type Limits struct {
	Messages atomic.Int64
	Bytes    atomic.Int64
}

// Queue holds what one subscriber's connection has still to send. Publishers push.
// One goroutine at a time takes and sends: the publisher that found nobody sending,
// or the connection's writer, which sends whatever would make a publisher wait.
type Queue struct {
	limits *Limits

	mu      sync.Mutex
	first   []*Message // sent first, never dropped: a new connection's latched messages, one half sent
	skip    int64      // bytes of the next message that the kernel has taken
	ring    []*Message // capacity a power of two
	head, n int
	bytes   int64
	sending bool // somebody has taken messages, or was told to
	closed  bool
	changed chan struct{} // closed when a message leaves; nil if nobody waits

	ready wake.Signal // capacity 1: the writer has to send, or closed
}

// New returns the queue of a connection whose writer is about to send. The messages
// in first are sent before all others and never dropped; the queue takes over one
// reference of each.
func New(l *Limits, first []*Message) *Queue {
	return &Queue{limits: l, first: first, ready: wake.New(), sending: true}
}

// Push adds o and takes over one reference of it. If the queue is full, it returns
// its oldest message instead, which the caller releases before it pushes again. If
// send is true, nobody is sending: the caller must send (Grab) or wake the writer.
func (q *Queue) Push(o *Message) (evicted *Message, send bool) {
	q.mu.Lock()
	closed := q.closed
	if !closed && q.fits(o) {
		send = q.append(o)
	} else if !closed {
		evicted = q.shift()
	}
	q.mu.Unlock()
	if closed {
		o.Release()
	}
	return evicted, send
}

// PushWait is Push that waits for room instead of making it, and always leaves
// sending to the writer, which sends many messages at once. It returns ctx's error
// if that ends first; o is released then, too.
func (q *Queue) PushWait(ctx context.Context, o *Message) error {
	for {
		q.mu.Lock()
		if q.closed {
			q.mu.Unlock()
			o.Release()
			return nil
		}
		if q.fits(o) {
			if q.append(o) {
				q.ready.Set()
			}
			q.mu.Unlock()
			return nil
		}
		changed := q.watch()
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			o.Release()
			return ctx.Err()
		}
	}
}

// fits reports whether o can be added; a message larger than the whole limit can
// if it is alone.
func (q *Queue) fits(o *Message) bool {
	if q.n == 0 {
		return true
	}
	messages, bytes := q.limits.Messages.Load(), q.limits.Bytes.Load()
	return (messages < 0 || int64(q.n) < messages) && (bytes < 0 || q.bytes+o.Size() <= bytes)
}

// append adds o; true if nobody was sending.
func (q *Queue) append(o *Message) bool {
	if q.n == len(q.ring) {
		ring := make([]*Message, max(4, 2*len(q.ring)))
		for i := range q.n {
			ring[i] = q.ring[(q.head+i)%len(q.ring)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = o
	q.n++
	q.bytes += o.Size()
	idle := !q.sending
	q.sending = true
	return idle
}

// shift removes the oldest message.
func (q *Queue) shift() *Message {
	o := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	q.bytes -= o.Size()
	return o
}

// Small messages that wait together are sent in one system call.
const (
	BatchBytes    = 64 << 10 // a message above it is sent alone
	batchMessages = 64
)

// Take is for the writer. It waits until there is something to send and appends it
// to batch: one message, or several small ones, of which the first skip bytes have
// been sent. It also ends the sending of the batch before. It returns false once the
// queue is closed.
func (q *Queue) Take(batch []*Message) (_ []*Message, skip int64, ok bool) {
	for {
		q.mu.Lock()
		batch, skip = q.fill(batch), q.skip
		q.skip, q.sending = 0, len(batch) > 0
		closed := q.closed
		q.notify()
		q.mu.Unlock()
		if len(batch) > 0 {
			return batch, skip, true
		}
		if closed {
			return nil, 0, false
		}
		<-q.ready
	}
}

// Grab is Take for a publisher that Push told to send. It returns at least the
// message that was pushed, unless the queue was closed.
func (q *Queue) Grab(batch []*Message) []*Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch = q.fill(batch)
	q.notify()
	return batch
}

// GiveBack ends a publisher's sending. The writer goes on with rest, of whose first
// message skip bytes have been sent, and then with what was pushed meanwhile.
func (q *Queue) GiveBack(rest []*Message, skip int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		ReleaseAll(rest)
		return
	}
	q.first, q.skip = slices.Insert(q.first, 0, rest...), skip
	clear(rest)
	if q.sending = len(q.first)+q.n > 0; q.sending {
		q.ready.Set()
	}
	q.notify()
}

func (q *Queue) fill(batch []*Message) []*Message {
	total := int64(0)
	for len(batch) < batchMessages {
		var next *Message
		switch {
		case len(q.first) > 0:
			next = q.first[0]
		case q.n > 0:
			next = q.ring[q.head]
		default:
			return batch
		}
		total += next.Size()
		if len(batch) > 0 && total > BatchBytes {
			return batch
		}
		if len(q.first) > 0 {
			q.first = q.first[1:]
		} else {
			q.shift()
		}
		batch = append(batch, next)
	}
	return batch
}

// watch returns a channel that is closed when a message leaves. Callers hold mu.
func (q *Queue) watch() <-chan struct{} {
	if q.changed == nil {
		q.changed = make(chan struct{})
	}
	return q.changed
}

func (q *Queue) notify() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

// Flush returns when the queue is empty and the last batch has been written, or the
// queue was closed.
func (q *Queue) Flush(ctx context.Context) error {
	for {
		q.mu.Lock()
		if q.closed || q.n == 0 && len(q.first) == 0 && !q.sending {
			q.mu.Unlock()
			return nil
		}
		changed := q.watch()
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Wake tells the writer to send.
func (q *Queue) Wake() { q.ready.Set() }

// Len is how many messages wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n + len(q.first)
}

// Close releases what waits and wakes everybody. Messages that are pushed later are
// released at once.
func (q *Queue) Close() {
	q.mu.Lock()
	dropped := q.first
	for q.n > 0 {
		dropped = append(dropped, q.shift())
	}
	q.first, q.ring, q.closed, q.sending = nil, nil, true, false
	q.notify()
	q.mu.Unlock()
	q.ready.Set()
	for _, o := range dropped {
		o.Release()
	}
}
