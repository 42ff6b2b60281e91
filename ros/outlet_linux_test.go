package ros

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/test/peer"
)

// A subscriber whose machine went away is dropped, even if data for it is queued.
func TestSubscriberGoesAway(t *testing.T) {
	p, c, client := subscribed(t, 10)
	var log bytes.Buffer
	c.topic.node.log = zerolog.New(&log)
	watched := make(chan struct{})
	go func() { c.watch(100 * time.Millisecond); close(watched) }()
	go c.write() //nolint:errcheck // ends with the connection
	peer.Deafen(t, client.(syscall.Conn))
	p.Publish(msgs.Raw{Body: []byte("hello?")})
	select {
	case <-watched:
	case <-time.After(peer.Patience):
		t.Fatal("a subscriber whose machine went away is still counted")
	}
	if !strings.Contains(log.String(), "no longer answers") { // the kernel ends the connection, too, minutes later
		t.Errorf("the log has %q", &log)
	}
	if _, err := c.conn.Write(nil); err == nil {
		t.Error("the connection stays")
	}
}
