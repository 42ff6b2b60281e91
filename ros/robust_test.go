package ros

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/program/recvbuf"
	"rsros/ros/internal/wire"
	"rsros/ros/rosapi"
	"rsros/ros/xmlrpc"
	"rsros/test/need"
	"rsros/test/peer"
)

func text(v any) string { return fmt.Sprintf("%#v", v) }

func TestMasterComesLate(t *testing.T) {
	m := startMaster(t)
	m.stop()
	n := startNode(t, m, "early")
	advertise(t, n, stringType)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := n.Sync(ctx); err != context.DeadlineExceeded {
		t.Errorf("Sync without a master: %v", err)
	}
	if _, _, err := n.Param(t.Context(), "x"); err == nil {
		t.Error("a parameter without a master")
	}
	m.start()
	synced(t, n)
	if m.count("registerPublisher /chatter") != 1 {
		t.Error("not registered")
	}
}

// A restarted master knows nothing; its process may have the same id.
func TestMasterRestarts(t *testing.T) {
	for _, samePid := range []bool{false, true} {
		m := startMaster(t)
		a, b := startNode(t, m, "a"), startNode(t, m, "b")
		p := advertise(t, a, stringType)
		var c collector
		subscribe(t, b, SubscriberOptions{Topic: "chatter"}, c.add)
		peer.Await(t, "a subscriber", func() bool { return p.Subscribers() == 1 })
		synced(t, a, b)
		m.stop()
		m.mu.Lock()
		if samePid {
			m.pid--
		}
		m.mu.Unlock()
		m.start()
		p.Publish(stringMessage("still connected"))
		peer.Await(t, "new registrations", func() bool {
			return m.count("registerPublisher /chatter") == 2 && m.count("registerSubscriber /chatter") == 2 &&
				m.count("registerService /a/get_loggers") == 2
		})
		peer.Await(t, "the message", func() bool { return c.len() == 1 })
		b.Close()
		a.Close()
		m.stop()
	}
}

// The node asks for updates that the master couldn't deliver while it was unreachable.
func TestMasterOutOfReach(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	advertise(t, n, stringType)
	subscribe(t, n, SubscriberOptions{Topic: "elsewhere"}, func(Received) {})
	synced(t, n)
	m.unplug()
	l, err := net.Listen("tcp", m.addr)
	need.Must(t, err)
	conn, err := l.Accept() // the node checks that its master is there
	need.Must(t, err)
	conn.Close() //nolint:errcheck // nobody answers
	l.Close()    //nolint:errcheck // test
	if _, err := rosapi.NewCaller("/c").Call(t.Context(), m.master.URI(), "registerPublisher", "/elsewhere", "a/B", "http://127.0.0.1:1/"); err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	m.listen()
	m.mu.Unlock()
	peer.Await(t, "a new registration", func() bool { return m.count("registerSubscriber /elsewhere") == 2 })
	peer.Await(t, "the publisher that came meanwhile", func() bool { return len(n.links()["/elsewhere"]) == 1 })
	if m.count("registerPublisher /chatter") != 1 {
		t.Error("not only the subscription was registered again")
	}
}

// A publisher that doesn't register again keeps its connection until that breaks.
func TestMasterRestartsAlone(t *testing.T) {
	m := startMaster(t)
	more, end := make(chan struct{}), make(chan struct{})
	header := Header{"callerid": "/fake", "md5sum": "*", "type": "*"}.AppendTo(nil)
	fakePublisher(t, m, "/t", func(conn net.Conn) {
		conn.Write(header) //nolint:errcheck // test
		<-more
		conn.Write(wire.AppendSized(nil, []byte("on"))) //nolint:errcheck // test
		<-end
	})
	n := startNode(t, m, "n")
	var c collector
	s := subscribe(t, n, SubscriberOptions{Topic: "t"}, c.add)
	peer.Await(t, "a publisher", func() bool { return s.Publishers() == 1 })
	m.stop()
	m.start()
	peer.Await(t, "a new registration", func() bool { return m.count("registerSubscriber /t") == 2 })
	synced(t, n)
	for _, list := range [][]any{{}, {"http://127.0.0.1:1/"}, {}} { // the new master's lists
		if _, err := n.publisherUpdate("/master", []any{"/t", list}); err != nil {
			t.Fatal(err)
		}
	}
	close(more)
	peer.Await(t, "a message", func() bool { return c.len() == 1 })
	close(end)
	peer.Await(t, "the end of the link", func() bool { return len(n.links()["/t"]) == 0 })
}

func TestCloseUnregisters(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	p := advertise(t, n, stringType)
	s := subscribe(t, n, SubscriberOptions{Topic: "in", Queue: 5}, func(Received) {})
	synced(t, n)
	p.Close()
	p.Close()
	s.Close()
	s.Close()
	synced(t, n)
	if m.count("unregisterPublisher /chatter") != 1 || m.count("unregisterSubscriber /in") != 1 {
		t.Error("closed publisher or subscriber is still registered")
	}
	need.Must(t, n.Close())
	need.Must(t, n.Close())
	if m.count("unregisterPublisher /rosout") != 1 || m.count("unregisterService /n/get_loggers") != 1 || m.count("unsubscribeParam") != 1 {
		t.Error("a closed node is still registered")
	}
	if _, err := n.Advertise(stringType); err != ErrClosed {
		t.Errorf("advertise: %v", err)
	}
	if _, err := n.Subscribe(SubscriberOptions{Topic: "x"}, nil); err != ErrClosed {
		t.Errorf("subscribe: %v", err)
	}
	if _, err := n.AdvertiseService("x", msgs.Service{}, nil); err != ErrClosed {
		t.Errorf("service: %v", err)
	}
	if _, err := n.SubscribeParam("x", nil); err != ErrClosed {
		t.Errorf("parameter: %v", err)
	}
}

// What a peer may send instead of a connection header.
func TestHostileSubscribers(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "n")
	advertise(t, n, stringType)
	header := func(kv ...string) string {
		h := Header{"callerid": "/evil"}
		for i := 0; i < len(kv); i += 2 {
			h[kv[i]] = kv[i+1]
		}
		return string(h.AppendTo(nil))
	}
	for _, c := range []struct{ name, sent, want string }{
		{"huge header", "\xff\xff\xff\xffabc", ""},
		{"GET", "GET / HTTP/1.1\r\n\r\n", ""},
		{"torn field", "\x04\x00\x00\x00\x10\x00\x00\x00", ""},
		{"nothing named", header(), "names neither"},
		{"unknown topic", header("topic", "/none", "md5sum", "*"), "no publisher"},
		{"unknown service", header("service", "/none", "md5sum", "*"), "no service"},
		{"no md5sum", header("topic", "/chatter", "type", "*"), "no md5sum"},
		{"other md5sum", header("topic", "/chatter", "type", "std_msgs/String", "md5sum", "123"), "md5sum"},
		{"other type", header("topic", "/chatter", "type", "std_msgs/Int8", "md5sum", stringType.Type.MD5), "std_msgs/Int8"},
		{"other service md5sum", header("service", "/n/get_loggers", "md5sum", "123"), "md5sum"},
		{"huge request", header("service", "/n/get_loggers", "md5sum", "*") + "\xff\xff\xff\xff", ""},
	} {
		conn, err := net.Dial("tcp", n.listener.Addr().String())
		need.Must(t, err)
		conn.SetDeadline(time.Now().Add(peer.Patience)) //nolint:errcheck // test
		if _, err := conn.Write([]byte(c.sent)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		answer, err := io.ReadAll(conn) // to the end: the node hangs up
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Errorf("%s: the node doesn't hang up", c.name)
		}
		if !strings.Contains(string(answer), c.want) || c.want != "" && !strings.Contains(string(answer), "error=") {
			t.Errorf("%s: answer %q, want %q in it", c.name, answer, c.want)
		}
		conn.Close()
	}
}

// fakePublisher is a node whose slave API answers requestTopic and that sends arbitrary data to each
// subscriber.
func fakePublisher(t *testing.T, m *testMaster, topic string, send func(net.Conn)) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	api := httptest.NewServer(xmlrpc.NewHandler(func(context.Context, string, []any) (any, error) {
		return []any{1, "", []any{"TCPROS", "127.0.0.1", port(l)}}, nil
	}, zerolog.Nop()))
	served := make(chan struct{})
	go func() {
		defer close(served)
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			if _, err := wire.ReadHeader(conn); err == nil {
				send(conn)
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-served; api.Close() })
	if _, err := rosapi.NewCaller("/fake").Call(t.Context(), m.uri(), "registerPublisher", topic, "a/B", api.URL); err != nil {
		t.Fatal(err)
	}
}

func TestHostilePublishers(t *testing.T) {
	good := string(Header{"callerid": "/p", "md5sum": "*", "type": "*", "topic": "/t"}.AppendTo(nil))
	size := func(n uint32) string { return string(binary.LittleEndian.AppendUint32(nil, n)) }
	m := startMaster(t)
	n := startConfig(t, Config{Name: "n", MasterURI: m.uri(), MaxMessage: 1 << 20})
	for i, c := range []struct {
		name, sent string
		messages   int
	}{
		{"error header", string(Header{"error": "no"}.AppendTo(nil)), 0},
		{"garbage", "\xff\xff\xff\xff", 0},
		{"other md5sum", string(Header{"md5sum": "1", "type": "*"}.AppendTo(nil)), 0},
		{"too large", good + size(2) + "ab" + size(1<<20+1), 1},
		{"torn", good + size(2) + "ab" + size(0) + size(1<<20) + "abc", 2},
	} {
		topic := fmt.Sprint("/t", i)
		fakePublisher(t, m, topic, func(conn net.Conn) { conn.Write([]byte(c.sent)) }) //nolint:errcheck // test
		var got collector
		s := subscribe(t, n, SubscriberOptions{Topic: topic, Type: msgs.Type{Name: "a/B", MD5: "0"}}, got.add)
		synced(t, n)
		peer.Await(t, c.name, func() bool { return got.len() >= c.messages })
		s.Close()
	}
}

// A subscriber that stops reading loses only its own oldest messages; when it resumes, it gets the
// newest.
func TestSlowSubscriber(t *testing.T) {
	m := startMaster(t)
	n, fast := startNode(t, m, "n"), startNode(t, m, "fast")
	p := advertise(t, n, stringType)
	var c collector
	subscribe(t, fast, SubscriberOptions{Topic: "chatter"}, c.add)
	slow := connect(t, n, Header{"callerid": "/slow", "topic": "/chatter", "md5sum": "*", "type": "*"})
	peer.Await(t, "both", func() bool { return p.Subscribers() == 2 })
	const count = 100
	body := make([]byte, 1<<20)
	owners := make([]counted, count)
	for i := range count {
		p.Publish(msgs.Raw{Head: fmt.Appendf(nil, "%08d", i), Body: body, Owner: &owners[i]})
		peer.Await(t, "the fast one", func() bool { return c.len() == i+1 })
	}
	s := p.Stats()
	if s.Dropped == 0 || s.Dropped > count {
		t.Errorf("%d dropped", s.Dropped)
	}
	for _, sub := range s.Subscribers {
		if sub.CallerID == "/fast" && sub.Dropped > 0 || sub.CallerID == "/slow" && (sub.Dropped != s.Dropped || sub.Queued != defaultQueue) {
			t.Errorf("%+v", sub)
		}
	}
	want := count - int(s.Dropped)
	last := ""
	r := wire.NewMessageReader(slow)
	for range want {
		var b recvbuf.Buffer
		size, err := r.Next()
		if err == nil {
			err = r.Read(int(size), &b)
		}
		need.Must(t, err)
		last = string(b.Data[:8])
	}
	if last != fmt.Sprintf("%08d", count-1) {
		t.Errorf("the last message is %s", last)
	}
	peer.Await(t, "releases", func() bool {
		for i := range owners {
			if owners[i].n.Load() != 1 {
				return false
			}
		}
		return true
	})
}

func TestSubscriberQueueAndHold(t *testing.T) {
	m := startMaster(t)
	n, s := startNode(t, m, "n"), startNode(t, m, "s")
	o := stringType
	o.Queue = -1
	p := advertise(t, n, o)
	gate, entered := make(chan struct{}), make(chan struct{}, 100)
	var held []*Buffer
	sub := subscribe(t, s, SubscriberOptions{Topic: "chatter", Queue: 3}, func(r Received) {
		entered <- struct{}{}
		<-gate
		held = append(held, r.Retain())
	})
	peer.Await(t, "connected", func() bool { return p.Subscribers() == 1 })
	p.Publish(stringMessage("0"))
	<-entered
	for i := 1; i < 10; i++ {
		p.Publish(stringMessage(fmt.Sprint(i)))
	}
	peer.Await(t, "received", func() bool { return sub.Stats().Messages == 10 })
	if d := sub.Stats().Dropped; d != 6 {
		t.Errorf("%d dropped", d)
	}
	close(gate)
	for range 3 {
		<-entered
	}
	sub.Close() // waits for the last callback
	got := ""
	for _, b := range held {
		got += string(b.Bytes()[4:])
		b.Release()
	}
	if got != "0789" {
		t.Errorf("held %s", got)
	}
}

// Publishers and subscribers start, run and end concurrently: every owner is released exactly once.
func TestChurn(t *testing.T) {
	m := startMaster(t)
	n, s := startNode(t, m, "n"), startNode(t, m, "s")
	owners := make([]counted, 4*300)
	var publishing, subscribing sync.WaitGroup
	for g := range 4 {
		publishing.Go(func() {
			o := stringType
			o.Latch, o.Queue = g%2 == 0, 2
			for i := range 300 {
				p, err := n.Advertise(o)
				if err != nil {
					t.Error(err)
					return
				}
				msg := msgs.Raw{Head: []byte("head"), Body: make([]byte, 20_000), Owner: &owners[g*300+i]}
				if g == 3 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
					p.PublishWait(ctx, msg) //nolint:errcheck // may time out
					cancel()
				} else {
					p.Publish(msg)
				}
				p.Close()
			}
		})
	}
	stop := make(chan struct{})
	for range 3 {
		subscribing.Go(func() {
			for {
				sub, err := s.Subscribe(SubscriberOptions{Topic: "chatter"}, func(Received) {})
				if err != nil {
					t.Error(err)
					return
				}
				select {
				case <-stop:
					sub.Close()
					return
				case <-time.After(5 * time.Millisecond):
					sub.Close()
				}
			}
		})
	}
	publishing.Wait()
	close(stop)
	subscribing.Wait()
	n.Close()
	for i := range owners {
		if got := owners[i].n.Load(); got != 1 {
			t.Fatalf("owner %d released %d times", i, got)
		}
	}
}
