package clients

import "slices"

// Class is the send priority of a client's messages. Subscriptions of the same class take turns.
type Class int

const (
	classControl Class = iota // what Client.Send sends
	ClassTime                 // of which only the latest counts, and none is missed
	ClassSmall
	ClassLarge
	classes
)

// Options are the bounds of a subscription. Zero is no bound.
type Options struct {
	Class    Class
	Messages int   // that wait; the oldest is dropped
	Bytes    int64 // that wait, without those that are never dropped
	Kept     int64 // bytes that wait and are never dropped; more ends the client
	Window   int   // messages that may be in flight before the client grants credit

	// Send writes a message with Client.Write, on the client's writing goroutine.
	Send func(Item, Delivery) error
}

// Delivery is what a client needs to know about a message apart from its content.
type Delivery struct {
	Sequence uint32 // of the message in its subscription, from 1
	Skipped  uint32 // dropped since the one before
}

// Counts is what happened to the messages of a subscription. Given is Sent, Dropped and those that wait.
type Counts struct {
	Given, Sent, Dropped uint64
	Bytes                uint64 // sent
	Waiting              int    // messages
}

// Subscription is a client's queue for one thing that it watches.
type Subscription struct {
	client *Client
	o      Options

	// The client's mu guards these.
	waiting            []entry // the oldest first
	bytes, kept        int64   // of waiting; of those that aren't dropped
	sequence, credited uint32
	skipped            uint32 // since the last that was sent
	counts             Counts
	queued, closed     bool // is in a ring of the client; takes no more messages
}

// entry is a message that waits.
type entry struct {
	item Item
	keep bool
}

// Offer queues a message for the client, in place of the oldest one if the queue is full.
func (s *Subscription) Offer(i Item) { s.put(i, false) }

// Keep queues a message that is never dropped.
func (s *Subscription) Keep(i Item) { s.put(i, true) }

func (s *Subscription) put(i Item, keep bool) {
	c, m := s.client, i.shared()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || s.closed {
		return
	}
	s.counts.Given += m.count()
	more := m.size
	if keep {
		more = 0
	}
	for s.full(more) && s.dropOldest() { //nolint:revive // makes room
	}
	if !c.budget.hold(m, c.held) {
		if s.lose(m); keep {
			c.fail(ErrBudget)
			c.endLocked()
		}
		return
	}
	c.held += m.size
	s.waiting = append(s.waiting, entry{i, keep})
	s.bytes += m.size
	if keep {
		s.kept += m.size
	}
	if s.o.Kept > 0 && s.kept > s.o.Kept {
		c.fail(ErrSlow)
		c.endLocked()
		return
	}
	s.schedule()
}

// full reports whether a message of more bytes doesn't fit.
func (s *Subscription) full(more int64) bool {
	return s.o.Messages > 0 && len(s.waiting) >= s.o.Messages || s.o.Bytes > 0 && s.bytes-s.kept+more > s.o.Bytes
}

// dropOldest drops the oldest message that may be lost; false if there is none.
func (s *Subscription) dropOldest() bool {
	i := slices.IndexFunc(s.waiting, func(e entry) bool { return !e.keep })
	if i < 0 {
		return false
	}
	m := s.take(i).item.shared()
	s.lose(m)
	s.client.release(m)
	return true
}

// take removes a message that waits. The caller releases it.
func (s *Subscription) take(i int) entry {
	e := s.waiting[i]
	if i == 0 {
		s.waiting[0] = entry{}
		s.waiting = s.waiting[1:]
	} else {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.bytes -= e.item.shared().size
	if e.keep {
		s.kept -= e.item.shared().size
	}
	return e
}

// lose counts a message that the client doesn't get.
func (s *Subscription) lose(m *Shared) {
	n := m.count()
	s.counts.Dropped += n
	s.skipped += uint32(n)
	if s.o.Class != ClassTime {
		s.client.dropped += n
	}
}

// ready reports whether a message may be sent.
func (s *Subscription) ready() bool {
	return len(s.waiting) > 0 && (s.o.Window == 0 || s.sequence-s.credited < uint32(s.o.Window))
}

// schedule lets the client's writer know that a message may be sent.
func (s *Subscription) schedule() {
	if !s.queued && s.ready() {
		s.queued = true
		r := &s.client.rings[s.o.Class]
		*r = append(*r, s)
		s.client.wake.Set()
	}
}

// Credit says that the client is done with all messages up to a sequence number.
func (s *Subscription) Credit(upto uint32) {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if upto > s.credited && upto <= s.sequence {
		s.credited = upto
		s.schedule()
	}
}

// Counts returns what happened up to now.
func (s *Subscription) Counts() Counts {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	c := s.counts
	c.Waiting = len(s.waiting)
	return c
}

// Close drops what waits. It may be called often.
func (s *Subscription) Close() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.clear()
	delete(c.subs, s)
	if s.queued {
		c.rings[s.o.Class] = slices.DeleteFunc(c.rings[s.o.Class], func(x *Subscription) bool { return x == s })
	}
}

// clear releases what waits.
func (s *Subscription) clear() {
	for len(s.waiting) > 0 {
		s.client.release(s.take(0).item.shared())
	}
}
