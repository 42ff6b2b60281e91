package sendqueue

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"rsros/program/work"
)

// Limits of each of a topic's queues may change at any time; negative means unlimited.
type Limits struct {
	Messages atomic.Int64
	Bytes    atomic.Int64
}

// Queue holds the messages that a subscriber's connection has yet to send. Publishers push. One goroutine at a time
// takes and sends: a publisher that found nobody sending, or the connection's writer, which sends everything that a
// publisher would have to wait for.
type Queue struct {
	limits *Limits

	mu      sync.Mutex
	first   []*Message // sent first, never dropped: latched messages, a partly sent message
	skip    int64      // bytes of the next message that have been sent
	ring    []*Message // capacity a power of two
	head, n int
	bytes   int64
	sending bool // somebody has taken messages or has been told to
	closed  bool
	changed chan struct{} // closed when a message leaves; nil if nobody waits

	ready work.Signal // the writer has to send, or the queue was closed
}

// New returns the queue of a connection whose writer is about to send. The messages in first are sent before all others
// and are never dropped. The queue takes over a reference of each.
func New(l *Limits, first []*Message) *Queue {
	return &Queue{limits: l, first: first, ready: work.NewSignal(), sending: true}
}

// Push adds messages and takes over a reference of each. If the queue is full, Push stops
// and returns its oldest message; the caller releases it and pushes the messages that weren't
// added. If send is true, nobody is sending: the caller must send (Grab) or wake the writer.
func (q *Queue) Push(batch ...*Message) (added int, evicted *Message, send bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range batch {
		switch {
		case q.closed:
			o.Release()
		case q.fits(o.Size()):
			send = q.append(o) || send
		default:
			return added, q.shift(), send
		}
		added++
	}
	return added, nil, send
}

// PushWait is like Push, but waits for room, and leaves sending to the writer, which sends many messages at once. If
// ctx ends first, PushWait releases o and returns ctx's error.
func (q *Queue) PushWait(ctx context.Context, o *Message) error {
	err := q.wait(ctx, func() bool {
		switch {
		case q.closed:
			o.Release()
		case !q.fits(o.Size()):
			return false
		case q.append(o):
			q.ready.Set()
		}
		return true
	})
	if err != nil {
		o.Release()
	}
	return err
}

// Room waits until a message of a size on the wire can be pushed, and returns the cause if ctx ends first.
func (q *Queue) Room(ctx context.Context, size int64) error {
	return q.wait(ctx, func() bool { return q.closed || q.fits(size) })
}

// wait calls done, with mu held, until it returns true: at once, and whenever a message has left.
func (q *Queue) wait(ctx context.Context, done func() bool) error {
	for {
		q.mu.Lock()
		if done() {
			q.mu.Unlock()
			return nil
		}
		if q.changed == nil {
			q.changed = make(chan struct{})
		}
		changed := q.changed
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// fits reports whether a message of a size can be added. An empty queue takes any message.
func (q *Queue) fits(size int64) bool {
	if q.n == 0 {
		return true
	}
	messages, bytes := q.limits.Messages.Load(), q.limits.Bytes.Load()
	return (messages < 0 || int64(q.n) < messages) && (bytes < 0 || q.bytes+size <= bytes)
}

// append adds o and reports whether nobody was sending.
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

func (q *Queue) shift() *Message {
	o := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	q.bytes -= o.Size()
	return o
}

// Limits of a batch: queued small messages are sent with one system call.
const (
	BatchBytes    = 64 << 10 // larger messages are sent alone
	batchMessages = 64
)

// Take is for the writer. It waits for messages and appends them to batch: one message,
// or several small ones. The first skip bytes of the batch have already been sent. Take
// also marks the previous batch as sent. It returns false when the queue is closed.
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

// Grab is Take for a publisher that Push told to send. It returns at least the pushed
// message, unless the queue was closed.
func (q *Queue) Grab(batch []*Message) []*Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch = q.fill(batch)
	q.notify()
	return batch
}

// GiveBack ends a publisher's sending. The writer continues with rest, of which the
// first skip bytes have been sent, and then with messages pushed meanwhile.
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

// notify wakes those who wait. Callers hold mu.
func (q *Queue) notify() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

// Flush waits until all messages have been written, or the queue is closed.
func (q *Queue) Flush(ctx context.Context) error {
	return q.wait(ctx, func() bool { return q.closed || q.n == 0 && len(q.first) == 0 && !q.sending })
}

// Wake tells the writer to send.
func (q *Queue) Wake() { q.ready.Set() }

// Len returns the number of queued messages.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n + len(q.first)
}

// Close releases the queued messages and wakes all waiters. Messages that are pushed later are released at once.
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
	ReleaseAll(dropped)
}
