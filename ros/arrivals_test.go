package ros

import (
	"encoding/binary"
	"net"
	"testing"

	"rsros/msgs"
	"rsros/ros/internal/wire"
	"rsros/test/peer"
)

// Messages lost by a broken connection are counted once the next one reveals them, and stay counted
// after the publisher is gone.
func TestMissingAcrossConnections(t *testing.T) {
	m := startMaster(t)
	typ := msgs.MustType("geometry_msgs/PointStamped")
	header := Header{"callerid": "/fake", "md5sum": typ.MD5, "type": typ.Name, "message_definition": typ.Definition}.AppendTo(nil)
	next := uint32(0)
	fakePublisher(t, m, "/t", func(conn net.Conn) {
		conn.Write(header) //nolint:errcheck // test
		for range 3 {
			b := binary.LittleEndian.AppendUint32(nil, next)
			conn.Write(wire.AppendSized(nil, append(b, make([]byte, 36)...))) //nolint:errcheck // test
			next++
		}
		next += 5 // before the subscriber reconnects
	})
	n := startNode(t, m, "n")
	var c collector
	s := subscribe(t, n, SubscriberOptions{Topic: "t"}, c.add)
	peer.Await(t, "two more connections", func() bool { return s.Stats().Messages >= 9 })
	if got := s.Stats(); got.Missing < 10 || got.Missing%5 != 0 {
		t.Errorf("%d missing of the first %d connections", got.Missing, got.Messages/3)
	}
	if _, err := n.publisherUpdate("/master", []any{"/t", []any{}}); err != nil {
		t.Fatal(err)
	}
	peer.Await(t, "the end of the link", func() bool { return len(n.links()["/t"]) == 0 })
	s.Close()
	if got := s.Stats(); got.Missing < 10 {
		t.Errorf("%d missing at the end", got.Missing)
	}
}
