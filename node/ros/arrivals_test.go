package ros

import (
	"encoding/binary"
	"net"
	"testing"

	"rsros/msgs"
	"rsros/node/ros/internal/wire"
	"rsros/test/peer"
)

func TestArrivals(t *testing.T) {
	const skipped = 1 << 40
	for name, c := range map[string]struct {
		numbers []uint64
		want    uint64
	}{
		"all there":             {[]uint64{7, 8, 9, 10}, 0},
		"two gaps":              {[]uint64{1, 2, 5, 6, 7, 9}, 3},
		"mostly gaps":           {[]uint64{10, 20, 30, 31}, 18},
		"every tenth":           {[]uint64{10, 20, 30, 40}, 0},
		"one message":           {[]uint64{5}, 0},
		"past the largest":      {[]uint64{1<<32 - 2, 1<<32 - 1, 1, 2}, 1},
		"starts again":          {[]uint64{6, 7, 9, 10, 0, 1, 2, 4}, 2},
		"doesn't count":         {[]uint64{0, 0, 0, 0}, 0},
		"two series":            {[]uint64{5, 100, 6, 101, 7, 102}, 0},
		"another place":         {[]uint64{1, 2, 3, 1 << 30, 1<<30 + 1}, 0},
		"one that is too large": {[]uint64{1, 2, skipped, 4, 6}, 1},
	} {
		var a arrivals
		for _, n := range c.numbers {
			if n == skipped {
				a.skip()
				continue
			}
			a.next(uint32(n))
		}
		if got := a.missing(); got != c.want {
			t.Errorf("%s: %d missing, want %d", name, got, c.want)
		}
		if got := a.settle(); got != c.want || a.missing() != 0 {
			t.Errorf("%s: settled %d, and %d are left", name, got, a.missing())
		}
	}
}

// What a broken connection lost is counted when the next one shows it, and stays
// counted when the publisher is gone.
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
		next += 5 // before the subscriber is back
	})
	n := startNode(t, m, "n")
	var c collector
	s, err := n.Subscribe(SubscriberOptions{Topic: "t"}, c.add)
	if err != nil {
		t.Fatal(err)
	}
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
