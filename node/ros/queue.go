package ros

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// limits bound the queues of a topic.
type limits struct {
	messages atomic.Int64
	bytes    atomic.Int64
}

// queue holds what one subscriber connection has still to send. Publishers push;
// one at a time takes and sends: the publisher that found nobody sending, or the
// connection's writer, to whom publishers leave what would make them wait.
type queue struct {
	limits *limits

	mu      sync.Mutex
	first   []*outgoing // sent first, never dropped: a new connection's latched messages, one half sent
	skip    int64       // bytes of the next message that the kernel has taken
	ring    []*outgoing // capacity a power of two
	head, n int
	bytes   int64
	sending bool // somebody has taken messages, or was told to
	closed  bool
	changed chan struct{} // closed when a message leaves; nil if nobody waits

	ready chan struct{} // capacity 1: the writer has to send, or closed
}

// newQueue makes the queue of a connection whose writer is about to send.
func newQueue(l *limits, first []*outgoing) *queue {
	return &queue{limits: l, first: first, ready: make(chan struct{}, 1), sending: true}
}

// push takes over one reference of o. It returns the oldest message if that had
// to make room; the caller releases it and pushes again, until nil comes back.
// With send, nobody else sends o: the caller does (grab), or tells the writer.
func (q *queue) push(o *outgoing) (evicted *outgoing, send bool) {
	q.mu.Lock()
	closed := q.closed
	if !closed && q.fits(o) {
		send = q.append(o)
	} else if !closed {
		evicted = q.shift()
	}
	q.mu.Unlock()
	if closed {
		o.release()
	}
	return evicted, send
}

// pushWait is push that waits for room instead of making it, and leaves sending
// to the writer: it is about throughput, and the writer sends many at once.
func (q *queue) pushWait(ctx context.Context, o *outgoing) error {
	for {
		q.mu.Lock()
		if q.closed {
			q.mu.Unlock()
			o.release()
			return nil
		}
		if q.fits(o) {
			if q.append(o) {
				signal(q.ready)
			}
			q.mu.Unlock()
			return nil
		}
		changed := q.watch()
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			o.release()
			return ctx.Err()
		}
	}
}

// fits reports whether o can be added; a message larger than the whole limit can
// if it is alone.
func (q *queue) fits(o *outgoing) bool {
	if q.n == 0 {
		return true
	}
	messages, bytes := q.limits.messages.Load(), q.limits.bytes.Load()
	return (messages < 0 || int64(q.n) < messages) && (bytes < 0 || q.bytes+o.size() <= bytes)
}

// append adds o; true if nobody was sending.
func (q *queue) append(o *outgoing) bool {
	if q.n == len(q.ring) {
		ring := make([]*outgoing, max(4, 2*len(q.ring)))
		for i := range q.n {
			ring[i] = q.ring[(q.head+i)%len(q.ring)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = o
	q.n++
	q.bytes += o.size()
	idle := !q.sending
	q.sending = true
	return idle
}

// shift removes the oldest message.
func (q *queue) shift() *outgoing {
	o := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	q.bytes -= o.size()
	return o
}

// Small messages that wait together go out in one system call.
const (
	batchBytes    = 64 << 10
	batchMessages = 64
)

// take waits until the writer has to send and moves messages into batch: one, or
// several small ones. The first skip bytes are sent already. Taking tells that the
// batch before is done. False means closed.
func (q *queue) take(batch []*outgoing) (_ []*outgoing, skip int64, ok bool) {
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

// grab is take for the publisher that has to send. There is its message, unless
// the queue was closed.
func (q *queue) grab(batch []*outgoing) []*outgoing {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch = q.fill(batch)
	q.notify()
	return batch
}

// giveBack ends a publisher's sending. The writer goes on with the rest, of whose
// first message skip bytes are sent, and with what was pushed meanwhile.
func (q *queue) giveBack(rest []*outgoing, skip int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		releaseAll(rest)
		return
	}
	q.first, q.skip = slices.Insert(q.first, 0, rest...), skip
	clear(rest)
	if q.sending = len(q.first)+q.n > 0; q.sending {
		signal(q.ready)
	}
	q.notify()
}

func (q *queue) fill(batch []*outgoing) []*outgoing {
	total := int64(0)
	for len(batch) < batchMessages {
		var next *outgoing
		switch {
		case len(q.first) > 0:
			next = q.first[0]
		case q.n > 0:
			next = q.ring[q.head]
		default:
			return batch
		}
		total += next.size()
		if len(batch) > 0 && total > batchBytes {
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

// watch gives a channel that is closed at the next change. Callers hold mu.
func (q *queue) watch() <-chan struct{} {
	if q.changed == nil {
		q.changed = make(chan struct{})
	}
	return q.changed
}

func (q *queue) notify() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

// flush returns when everything pushed so far, and what was pushed meanwhile,
// has been written, or the queue was closed.
func (q *queue) flush(ctx context.Context) error {
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

// len is the number of messages that wait.
func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n + len(q.first)
}

// close drops what waits and wakes everybody. Later pushes are released at once.
func (q *queue) close() {
	q.mu.Lock()
	dropped := q.first
	for q.n > 0 {
		dropped = append(dropped, q.shift())
	}
	q.first, q.ring, q.closed, q.sending = nil, nil, true, false
	q.notify()
	q.mu.Unlock()
	signal(q.ready)
	for _, o := range dropped {
		o.release()
	}
}
