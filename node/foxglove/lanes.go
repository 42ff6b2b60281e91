package foxglove

import (
	"slices"
	"sync"
	"unsafe"
)

// Bounds of what waits for one client.
const (
	largeMessage = 64 << 10 // bytes; of larger ones only the newest of a topic waits
	laneBytes    = 1 << 20  // of the smaller ones of a topic
	laneMessages = 1000     // of the same
	keptBytes    = 4 << 20  // of latched messages, which aren't dropped
	controlBytes = 4 << 20  // of everything that isn't a topic's message
)

// lanes is what waits for one client. Anything may be put in at any time; one goroutine
// takes it out.
type lanes struct {
	mu      sync.Mutex
	control [][]byte // binary if the first byte isn't '{'
	bytes   int      // of control
	time    instant  // the latest one to send
	newTime bool
	small   ring // subscriptions whose small messages wait
	large   ring // subscriptions whose large message waits
	dropped uint64
	full    error // why the client can't be served any more
	closed  bool
	empty   chan struct{} // closed when everything has left; nil if nobody waits

	ready chan struct{} // capacity 1: something waits, or closed
}

// subscription is a client's subscription of a channel. The lanes' mu guards it.
type subscription struct {
	id      uint32 // the client's number for it
	channel *channel
	lanes   *lanes
	stop    func() // ends the delivery

	waiting     []item // small messages, the oldest first
	latest      *item  // a large message
	bytes, kept int64  // of waiting; of those that aren't dropped
	ended       bool
	counts      Counts
}

// Counts is what happened to the messages of one subscription.
type Counts struct {
	Topic         string
	Sent, Dropped uint64
	Bytes         uint64 // sent
	Waiting       int
	Age           int64 // ns since the oldest that waits came in
}

// item is a message that waits.
type item struct {
	Message
	since int64   // when it came in, on the server's clock; ns
	clock instant // what time it is for clients that follow the server's
	keep  bool
}

// instant is a time of a recording that is played, in ns, and how often playback had
// jumped by then. The zero instant is none.
type instant struct {
	time  int64
	round int
}

// weight is what the message counts for in a bound. An empty one has one, too.
func (m *item) weight() int64 { return m.ContentSize() + int64(unsafe.Sizeof(*m)) }

// ring is a queue of subscriptions, each at most once in it.
type ring []*subscription

func (r *ring) add(s *subscription) { *r = append(*r, s) }

func (r *ring) take() *subscription {
	s := (*r)[0]
	(*r)[0] = nil
	*r = (*r)[1:]
	return s
}

func (r *ring) remove(s *subscription) {
	for i, x := range *r {
		if x == s {
			*r = append((*r)[:i:i], (*r)[i+1:]...)
			return
		}
	}
}

func newLanes() *lanes { return &lanes{ready: make(chan struct{}, 1)} }

func (l *lanes) wake() {
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

// say puts in a text or binary message of the protocol. The lanes own it.
func (l *lanes) say(message []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.full != nil {
		return
	}
	if l.bytes += len(message); l.bytes > controlBytes {
		l.full = errControlFull
	} else {
		l.control = append(l.control, message)
	}
	l.wake()
}

// tell puts in the time, in place of one that waits.
func (l *lanes) tell(time instant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.time, l.newTime = time, true
	l.wake()
}

// put puts in a message, and retains it if it stays. Where there is no room, the
// oldest of the topic goes.
func (s *subscription) put(m item) {
	l := s.lanes
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || s.ended {
		return
	}
	m.Retain()
	if m.ContentSize() > largeMessage {
		if s.latest == nil {
			l.large.add(s)
		} else {
			s.lose(*s.latest)
		}
		s.latest = &m
		l.wake()
		return
	}
	if len(s.waiting) == 0 {
		l.small.add(s)
	}
	s.waiting = append(s.waiting, m)
	s.bytes += m.weight()
	if m.keep {
		s.kept += m.weight()
	}
	for len(s.waiting) > 1 && (s.bytes-s.kept > laneBytes || len(s.waiting) > laneMessages) && s.dropOldest() {
	}
	if s.kept > keptBytes {
		l.full = errLatchedFull
	}
	l.wake()
}

// dropOldest drops the oldest message that may be lost; false if there is none.
func (s *subscription) dropOldest() bool {
	for i, m := range s.waiting {
		if !m.keep {
			s.bytes -= m.weight()
			if i == 0 {
				s.waiting[0] = item{}
				s.waiting = s.waiting[1:]
			} else {
				s.waiting = slices.Delete(s.waiting, i, i+1)
			}
			s.lose(m)
			return true
		}
	}
	return false
}

func (s *subscription) lose(m item) {
	m.Release()
	s.counts.Dropped++
	s.lanes.dropped++
}

// outgoing is what is sent next: one of its fields is set.
type outgoing struct {
	control []byte
	time    *instant
	from    *subscription // with item
	item    item
}

// next takes out what is to be sent next: first what isn't a message, then small
// messages and then large ones, topic by topic. It returns false if nothing waits. The
// caller releases an item.
func (l *lanes) next() (out outgoing, ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.full != nil:
		return out, false, l.full
	case len(l.control) > 0:
		out.control = l.control[0]
		l.control[0] = nil
		l.control = l.control[1:]
		l.bytes -= len(out.control)
	case l.newTime:
		at := l.time
		out.time, l.newTime = &at, false
	case len(l.small) > 0:
		s := l.small.take()
		out.from, out.item = s, s.waiting[0]
		s.waiting[0] = item{}
		s.waiting = s.waiting[1:]
		s.bytes -= out.item.weight()
		if out.item.keep {
			s.kept -= out.item.weight()
		}
		if len(s.waiting) > 0 {
			l.small.add(s)
		}
	case len(l.large) > 0:
		s := l.large.take()
		out.from, out.item = s, *s.latest
		s.latest = nil
	default:
		l.left()
		return out, false, nil
	}
	return out, true, nil
}

// left tells those who wait that nothing waits any more. Callers hold mu.
func (l *lanes) left() {
	if l.empty != nil {
		close(l.empty)
		l.empty = nil
	}
}

// drained is closed when everything that waits now has been sent, or never will be.
func (l *lanes) drained() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.empty == nil {
		l.empty = make(chan struct{})
	}
	empty := l.empty
	if l.closed {
		l.left()
	}
	l.wake() // the sender looks again, also if nothing waits
	return empty
}

// sent counts a message that the kernel has.
func (l *lanes) sent(s *subscription, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.counts.Sent++
	s.counts.Bytes += uint64(bytes)
}

// lost is how many messages of all topics were dropped.
func (l *lanes) lost() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// end takes a subscription out and releases what waits for it.
func (s *subscription) end() {
	l := s.lanes
	l.mu.Lock()
	defer l.mu.Unlock()
	s.clear()
}

// clear is end for callers that hold mu.
func (s *subscription) clear() {
	s.ended = true
	for _, m := range s.waiting {
		m.Release()
	}
	if s.latest != nil {
		s.latest.Release()
	}
	s.waiting, s.latest = nil, nil
	s.lanes.small.remove(s)
	s.lanes.large.remove(s)
}

// close releases what waits for all subscriptions.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.left()
	l.control = nil
	for _, s := range append(append(ring{}, l.small...), l.large...) {
		s.clear()
	}
	l.wake()
}

// count says what happened to a subscription's messages up to now.
func (s *subscription) count(now int64) Counts {
	s.lanes.mu.Lock()
	defer s.lanes.mu.Unlock()
	c := s.counts
	c.Topic, c.Waiting = s.channel.Name, len(s.waiting)
	if len(s.waiting) > 0 {
		c.Age = now - s.waiting[0].since
	}
	if s.latest != nil {
		c.Waiting++
		c.Age = max(c.Age, now-s.latest.since)
	}
	return c
}
