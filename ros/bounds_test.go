package ros

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/msgs"
	"rsros/program/buffers"
	"rsros/ros/internal/wire"
	"rsros/ros/names"
	"rsros/ros/rosapi"
	"rsros/test/need"
	"rsros/test/peer"
)

// A message above the limit costs neither memory nor the connection: it is skipped and counted, and the
// next one arrives.
func TestTooLargeIsSkipped(t *testing.T) {
	const limit = 1 << 20
	m := startMaster(t)
	n := startConfig(t, Config{Name: "n", MasterURI: m.uri(), MaxMessage: limit})
	connections := 0
	fakePublisher(t, m, "/t", func(conn net.Conn) {
		connections++
		b := Header{"callerid": "/p", "md5sum": "*", "type": "*", "topic": "/t"}.AppendTo(nil)
		b = wire.AppendSized(b, make([]byte, limit+1))
		b = wire.AppendSized(b, []byte("small"))
		conn.Write(b)             //nolint:errcheck // test
		io.Copy(io.Discard, conn) //nolint:errcheck // until the subscriber leaves
	})
	var got collector
	s := subscribe(t, n, SubscriberOptions{Topic: "/t"}, got.add)
	peer.Await(t, "the small message", func() bool { return got.len() == 1 })
	if counts := s.Stats(); counts.TooLarge != 1 || counts.Messages != 1 {
		t.Errorf("%+v", counts)
	}
	s.Close()
	if connections != 1 {
		t.Errorf("%d connections", connections)
	}
}

// Anybody may name publishers of a topic: 5,000 once took 187 MB and 1,246 descriptors.
func TestPublishersAreBounded(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	subscribe(t, n, SubscriberOptions{Topic: "/t"}, func(Received) {})
	synced(t, n)
	var all []*link
	for round := range 4 {
		list := make([]any, 5*maxPublishers)
		for i := range list {
			list[i] = fmt.Sprintf("http://127.0.0.1:1/%d/%d", round, i)
		}
		if _, err := n.publisherUpdate("/stranger", []any{"/t", list}); err != nil {
			t.Fatal(err)
		}
		links := n.links()["/t"]
		all = append(all, links...)
		alive := 0
		for _, l := range all {
			if l.ctx.Err() == nil {
				alive++
			}
		}
		if len(links) > maxPublishers || alive > 2*maxPublishers {
			t.Errorf("%d links, %d with those that leave", len(links), alive)
		}
	}
	peer.Await(t, "the master's list", func() bool { return len(n.links()["/t"]) == 0 })
}

// A subscriber's connection outlives the time that its handshake may take.
func TestSubscriberOutlivesHandshake(t *testing.T) {
	const limit = 300 * time.Millisecond
	m := startMaster(t)
	n, s := startConfig(t, Config{Name: "n", MasterURI: m.uri(), handshake: limit}), startNode(t, m, "s")
	p := advertise(t, n, stringType)
	var c collector
	subscribe(t, s, SubscriberOptions{Topic: "chatter"}, c.add)
	peer.Await(t, "the subscriber", func() bool { return p.Subscribers() == 1 })
	count := 0
	for start := time.Now(); time.Since(start) < 2*limit; count++ {
		p.Publish(stringMessage("on"))
		peer.Await(t, "the message", func() bool { return c.len() == count+1 })
	}
	if got := p.Stats().Subscribers; len(got) != 1 || got[0].Messages != uint64(count) {
		t.Errorf("%d messages on one connection, subscribers are %+v", count, got)
	}
}

// An answer of the master to a subscriber doesn't replace a list that has come meanwhile.
func TestLateAnswer(t *testing.T) {
	n := offline()
	s := &subscription{node: n, name: "/t"}
	n.subs["/t"] = s
	answered := s.register()
	if _, err := n.publisherUpdate("/master", []any{"/t", []any{"http://new:1/"}}); err != nil {
		t.Fatal(err)
	}
	need.Must(t, answered([]any{"http://old:1/"}))
	if !slices.Equal(s.publishers, []string{"http://new:1/"}) {
		t.Errorf("the publishers are %v", s.publishers)
	}
}

// A caller that hangs up ends its handler's context; one that sends its next request early doesn't lose it.
func TestHandlerHearsItsCaller(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	entered, left := make(chan []byte, 1), make(chan error, 1)
	offer(t, n, "s", msgs.MustService("roscpp/SetLoggerLevel"), func(ctx context.Context, req []byte) ([]byte, error) {
		entered <- bytes.Clone(req)
		if string(req) == "wait" {
			<-ctx.Done()
			left <- ctx.Err()
		}
		return req, nil
	})
	conn := connect(t, n, Header{"callerid": "/x", "service": "/s", "md5sum": "*", "persistent": "1"})
	requests := [][]byte{[]byte("one"), []byte("two"), []byte("wait")}
	for _, request := range requests {
		conn.Write(wire.AppendSized(nil, request)) //nolint:errcheck // shows in what arrives
	}
	for _, request := range requests {
		if got := <-entered; !bytes.Equal(got, request) {
			t.Errorf("the handler got %q, want %q", got, request)
		}
	}
	conn.Close()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's context ended with %v", err)
	}
	if n.ctx.Err() != nil {
		t.Error("the node is closed")
	}
}

// A request must have the size of its type: four connections with 300 MB each, to a service that takes
// one byte, once took 2.4 GB.
func TestServiceRequestsAreBounded(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	handled := 0
	serve := func(_ context.Context, req []byte) ([]byte, error) {
		handled++
		return msgs.Marshal(&msgs.Result{}), nil
	}
	for name, service := range map[string]string{"fixed": "std_srvs/SetBool", "other": "roscpp/SetLoggerLevel"} {
		offer(t, n, name, msgs.MustService(service), serve)
	}
	for _, c := range []struct {
		service, want string
		claim         uint32
		sent          int
	}{
		{"/fixed", "", 1, 1},
		{"/fixed", "request of 0 bytes, want 1", 0, 0},
		{"/fixed", "request of 300000000 bytes, want 1", 300_000_000, 0},
		{"/other", "", maxRequest, maxRequest},
		{"/other", "want at most 1048576", maxRequest + 1, 0},
	} {
		conn := connect(t, n, Header{"callerid": "/x", "service": c.service, "md5sum": "*"})
		b := binary.LittleEndian.AppendUint32(nil, c.claim)
		conn.Write(append(b, make([]byte, c.sent)...)) //nolint:errcheck // shows in the answer
		answer, err := io.ReadAll(conn)                // a byte, the length, and the response or a text
		if err != nil || (answer[0] == 0) != (c.want != "") || !strings.Contains(string(answer), c.want) {
			t.Errorf("%s with %d bytes: %q, %v", c.service, c.claim, answer, err)
		}
		conn.Close()
	}
	if handled != 2 {
		t.Errorf("%d requests were handled", handled)
	}
	// The node releases a request's memory after answering it.
	peer.Await(t, "all memory returned", func() bool { return buffers.PeerInput.Used() == 0 })
}

// impatient is a connection whose peer sent too little, so that a read without a deadline would block
// forever.
type impatient struct {
	byteConn
	deadline time.Time
}

var errNoDeadline = errors.New("a read without a deadline")

func (c *impatient) SetDeadline(at time.Time) error { c.deadline = at; return nil }
func (c *impatient) Read(b []byte) (int, error) {
	n, err := c.byteConn.Read(b)
	if err == io.EOF {
		if err = errNoDeadline; !c.deadline.IsZero() {
			err = errors.New("timeout")
		}
	}
	return n, err
}

// A peer that sends incomplete data can't keep a goroutine; only a client with a persistent connection
// may wait before its next request.
func TestServiceDeadlines(t *testing.T) {
	once := Header{"service": "/s", "md5sum": "2"}.AppendTo(nil)
	kept := Header{"service": "/s", "md5sum": "2", "persistent": "1"}.AppendTo(nil)
	for name, c := range map[string]struct {
		sent    []byte
		forever bool
	}{
		"no header": {nil, false}, "part of a header": {once[:len(once)-1], false},
		"a header alone": {once, false}, "a header alone, kept": {kept, true},
		"part of a request": {append(bytes.Clone(once), 3, 0, 0, 0, 1), false}, "part of a request, kept": {append(bytes.Clone(kept), 3, 0, 0, 0, 1), false},
		"a request, kept": {append(bytes.Clone(kept), 1, 0, 0, 0, 1), true},
	} {
		err := offline().serveConn(&impatient{byteConn: byteConn{bytes.NewReader(c.sent)}})
		if errors.Is(err, errNoDeadline) != c.forever {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPersistentConnectionsAreBounded(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	offer(t, n, "s", msgs.MustService("std_srvs/Trigger"), func(context.Context, []byte) ([]byte, error) { return nil, nil })
	var conns []net.Conn
	open := func() {
		conns = append(conns, connect(t, n, Header{"callerid": "/x", "service": "/s", "md5sum": "*", "persistent": "1"}))
	}
	call := func() bool {
		conn := conns[len(conns)-1]
		conn.Write([]byte{0, 0, 0, 0}) //nolint:errcheck // shows in the answer
		var ok [1]byte
		_, err := io.ReadFull(conn, ok[:])
		return err == nil && ok[0] == 1
	}
	for range maxPersistent {
		if open(); !call() {
			t.Fatalf("connection %d isn't served", len(conns))
		}
	}
	if open(); call() {
		t.Errorf("connection %d is served", len(conns))
	}
	for _, conn := range conns {
		conn.Close()
	}
	peer.Await(t, "room", func() bool { conns = conns[:0]; open(); defer conns[0].Close(); return call() })
}

// Values that XML-RPC can't represent aren't sent, and the caller gets an error: a node once waited
// forever for the answer to a call that it couldn't send.
func TestUnsayableNamesAreRefused(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	for _, c := range []struct{ topic, typ string }{
		{"/t", "\xe7eometry_msgs/Transform"}, {"/t", "std_msgs/\x1b[2J"}, {"/t", "String"}, {"/t", "a/b/c"}, {"/t", "/String"}, {"/bad-name", "std_msgs/String"},
	} {
		typ := msgs.Type{Name: c.typ, MD5: "*"}
		var refused *names.Error
		if _, err := n.Advertise(PublisherOptions{Topic: c.topic, Type: typ}); !errors.As(err, &refused) {
			t.Errorf("advertise %s as %q: %v", c.topic, c.typ, err)
		}
		if _, err := n.Subscribe(SubscriberOptions{Topic: c.topic, Type: typ}, func(Received) {}); !errors.As(err, &refused) {
			t.Errorf("subscribe to %s as %q: %v", c.topic, c.typ, err)
		}
	}
	// A value that can't be sent is an error, not an unreachable master.
	var refused *rosapi.Error
	if err := n.SetParam(t.Context(), "p", "\x00"); !errors.As(err, &refused) {
		t.Errorf("a parameter that can't be sent: %v", err)
	}
	synced(t, n)
}

// A frozen master blocks neither a caller that cancels nor a node that shuts down.
func TestHungMaster(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	synced(t, n)
	m.freeze()
	offer(t, n, "late", msgs.MustService("std_srvs/Trigger"), func(context.Context, []byte) ([]byte, error) { return nil, nil })
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error)
	go func() { _, _, err := n.Param(ctx, "x"); asked <- err }()
	cancel()
	if err := <-asked; err == nil {
		t.Error("a frozen master answered")
	}
	go func() { _, _, err := n.Param(t.Context(), "x"); asked <- err }()
	need.Must(t, n.Close())
	if err := <-asked; !errors.Is(err, context.Canceled) { // not the timeout of a call
		t.Errorf("a call while the node leaves: %v", err)
	}
}
