package ros

import (
	"bytes"
	"testing"

	"rsros/node/ros/internal/wire"
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
}
