package ros

import (
	"bytes"
	"testing"
	"time"

	"rsros/ros/internal/wire"
)

// TestMemoryOfLatched checks that the only message of a publisher takes no more memory than its bytes,
// because a recorder keeps those of all latched topics.
func TestMemoryOfLatched(t *testing.T) {
	const n = 2<<20 + 4
	var held []*Buffer
	s := &Subscriber{node: offline(), options: SubscriberOptions{MaxMessage: 1 << 30}, ctx: t.Context(), callback: func(r Received) { held = append(held, r.Retain()) }}
	l := &link{subscriber: s}
	_ = l.receive(byteConn{bytes.NewReader(wire.AppendSized(nil, make([]byte, n)))}, nil) // until the end of the connection
	if len(held) != 1 || cap(held[0].Bytes()) > n || s.pool.Idle() != 0 {
		t.Errorf("%d messages, the first in %d bytes, and %d unused; want %d", len(held), cap(held[0].Bytes()), s.pool.Idle(), n)
	}
	if held[0].Release(); s.pool.Idle() != 0 {
		t.Errorf("%d bytes are kept", s.pool.Idle())
	}
}

// TestMemoryAfterBurst checks that a node gives up the memory of a burst that nothing uses any more.
func TestMemoryAfterBurst(t *testing.T) {
	const messages, size = 32, 1 << 20
	var burst []byte
	for range messages {
		burst = wire.AppendSized(burst, make([]byte, size))
	}
	var held []*Buffer
	n := offline()
	s := &Subscriber{node: n, options: SubscriberOptions{MaxMessage: 1 << 30}, ctx: t.Context(), callback: func(r Received) { held = append(held, r.Retain()) }}
	n.subs = map[string]*subscription{"/burst": {subscribers: []*Subscriber{s}}}
	_ = (&link{subscriber: s}).receive(byteConn{bytes.NewReader(burst)}, nil) // until the end of the connection
	for _, b := range held {
		b.Release()
	}
	if n.trim(time.Now()); s.pool.Idle() < (messages-1)*size {
		t.Errorf("%d bytes are kept for the next burst", s.pool.Idle())
	}
	if n.trim(time.Now()); s.pool.Idle() > messages/2*size {
		t.Errorf("%d bytes are still kept", s.pool.Idle())
	}
}
