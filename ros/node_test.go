package ros

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/msgs"
	"rsros/ros/internal/wire"
	"rsros/test/need"
	"rsros/test/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func startNode(t *testing.T, m *testMaster, name string) *Node {
	t.Helper()
	return startConfig(t, Config{Name: name, MasterURI: m.uri()})
}

func startConfig(t *testing.T, cfg Config) *Node {
	t.Helper()
	cfg.Host = "127.0.0.1"
	cfg.Log = zerolog.New(zerolog.NewTestWriter(t))
	n, err := NewNode(t.Context(), cfg)
	need.Must(t, err)
	t.Cleanup(func() { n.Close() })
	return n
}

func synced(t *testing.T, nodes ...*Node) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), peer.Patience)
	defer cancel()
	for _, n := range nodes {
		need.Must(t, n.Sync(ctx))
	}
}

// connect connects to a node's topic or service, which must work, until the test ends.
func connect(t *testing.T, n *Node, h Header) net.Conn {
	t.Helper()
	conn, _, err := wire.Connect(t.Context(), n.listener.Addr().String(), h)
	need.Must(t, err)
	return conn
}

// advertise publishes a topic, which must work.
func advertise(t *testing.T, n *Node, o PublisherOptions) *Publisher {
	t.Helper()
	p, err := n.Advertise(o)
	need.Must(t, err)
	return p
}

// subscribe subscribes to a topic, which must work.
func subscribe(t *testing.T, n *Node, o SubscriberOptions, callback func(Received)) *Subscriber {
	t.Helper()
	s, err := n.Subscribe(o, callback)
	need.Must(t, err)
	return s
}

// offer offers a service, which must work.
func offer(t *testing.T, n *Node, name string, service msgs.Service, handler ServiceHandler) {
	t.Helper()
	if _, err := n.AdvertiseService(name, service, handler); err != nil {
		t.Fatal(err)
	}
}

var stringType = PublisherOptions{Topic: "chatter", Type: msgs.Type{Name: "std_msgs/String", MD5: "992ce8a1687cec8c8bd883ec73ca41d1", Definition: "string data\n"}}

// collector keeps copies of what a subscriber received.
type collector struct {
	mu   sync.Mutex
	got  []string
	last Header
}

func (c *collector) add(r Received) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, string(r.Data))
	c.last = r.Header
}

func (c *collector) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.got...)
}

func (c *collector) len() int { return len(c.all()) }

func TestPublishSubscribe(t *testing.T) {
	m := startMaster(t)
	a, b := startNode(t, m, "a"), startNode(t, m, "b")
	counts := make(chan int, 10)
	o := stringType
	o.OnSubscriber = func(n int) { counts <- n }
	p := advertise(t, a, o)
	var c collector
	s := subscribe(t, b, SubscriberOptions{Topic: "/chatter"}, c.add)
	synced(t, a, b)
	if n := <-counts; n != 1 {
		t.Fatalf("%d subscribers", n)
	}
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<18) // 4 MiB
	for i := range 100 {
		need.Must(t, p.PublishWait(t.Context(), msgs.Raw{Head: fmt.Append(nil, i, "<"), Body: big[:i*1000], Tail: []byte(">")}))
	}
	need.Must(t, p.Flush(t.Context()))
	p.Publish(msgs.Raw{Body: big})
	peer.Await(t, "all messages", func() bool { return c.len() == 101 })
	for i, got := range c.all()[:100] {
		if want := fmt.Sprint(i, "<") + string(big[:i*1000]) + ">"; got != want {
			t.Fatalf("message %d differs: %d bytes, want %d", i, len(got), len(want))
		}
	}
	if c.all()[100] != string(big) {
		t.Error("the large message differs")
	}
	h := c.last
	if h["callerid"] != "/a" || h["type"] != "std_msgs/String" || h["latching"] != "0" || h["message_definition"] != "string data\n" || h["topic"] != "/chatter" {
		t.Errorf("publisher's header %v", h)
	}
	if st := p.Stats(); st.Messages != 101 || st.Dropped != 0 || len(st.Subscribers) != 1 || st.Subscribers[0].CallerID != "/b" {
		t.Errorf("stats %+v", st)
	}
	s.Close()
	if n := <-counts; n != 0 {
		t.Errorf("%d subscribers after Close", n)
	}
}

// counted is an Owner that counts its releases.
type counted struct{ n atomic.Int32 }

func (c *counted) Release() { c.n.Add(1) }

func TestOwnerReleasedOnce(t *testing.T) {
	m := startMaster(t)
	a, b := startNode(t, m, "a"), startNode(t, m, "b")
	for _, latch := range []bool{false, true} {
		o := stringType
		o.Topic = fmt.Sprint("topic_", latch)
		o.Latch = latch
		p := advertise(t, a, o)
		var alone counted
		p.Publish(msgs.Raw{Body: []byte("nobody"), Owner: &alone})
		if alone.n.Load() != 1 {
			t.Errorf("latch %v: released %d times without subscribers", latch, alone.n.Load())
		}
		var c collector
		for range 3 {
			subscribe(t, b, SubscriberOptions{Topic: o.Topic}, c.add)
		}
		peer.Await(t, "subscribers", func() bool { return p.Subscribers() == 3 })
		owners := make([]counted, 50)
		for i := range owners {
			p.Publish(msgs.Raw{Body: make([]byte, 100_000), Owner: &owners[i]})
		}
		need.Must(t, p.Flush(t.Context()))
		peer.Await(t, "releases", func() bool { return owners[len(owners)-1].n.Load() == 1 })
		for i := range owners {
			if n := owners[i].n.Load(); n != 1 {
				t.Errorf("latch %v: owner %d released %d times", latch, i, n)
			}
		}
		p.Close()
		var late counted
		p.Publish(msgs.Raw{Body: []byte("late"), Owner: &late})
		if late.n.Load() != 1 {
			t.Errorf("released %d times after Close", late.n.Load())
		}
	}
}

func TestLatch(t *testing.T) {
	m := startMaster(t)
	a, b := startNode(t, m, "a"), startNode(t, m, "b")
	one, all := stringType, stringType
	one.Topic, one.Latch = "one", true
	all.Topic, all.LatchAll = "all", true
	p1, p2 := advertise(t, a, one), advertise(t, a, all)
	for i := range 30 {
		p1.Publish(msgs.Raw{Head: fmt.Append(nil, i)})
		p2.Publish(msgs.Raw{Head: fmt.Append(nil, i), Key: []string{"", "k0", "k1"}[i%3]})
	}
	var c1, c2 collector
	for topic, c := range map[string]*collector{"one": &c1, "all": &c2} {
		subscribe(t, b, SubscriberOptions{Topic: topic}, c.add)
	}
	peer.Await(t, "latched", func() bool { return c1.len() >= 1 && c2.len() >= 12 })
	p2.Publish(msgs.Raw{Head: []byte("end")})
	peer.Await(t, "the next", func() bool { return c2.len() >= 13 })
	if got := fmt.Sprint(c1.all()); got != "[29]" {
		t.Errorf("latch gave %s", got)
	}
	if got := fmt.Sprint(c2.all()); got != "[0 3 6 9 12 15 18 21 24 27 28 29 end]" {
		t.Errorf("latch all gave %s", got)
	}
	if c2.last["latching"] != "1" {
		t.Error("latching isn't said")
	}
}

func TestSeveralPublishersOfATopic(t *testing.T) {
	m := startMaster(t)
	a, b := startNode(t, m, "a"), startNode(t, m, "b")
	var ps []*Publisher
	for _, id := range []string{"/x", "/x", "/y"} {
		o := stringType
		o.CallerID, o.Latch = id, true
		p := advertise(t, a, o)
		p.Publish(msgs.Raw{Head: fmt.Append(nil, len(ps))})
		ps = append(ps, p)
	}
	bad := stringType
	bad.Type.MD5 = "0123"
	if _, err := a.Advertise(bad); err == nil {
		t.Error("another md5sum was accepted on the same topic")
	}
	synced(t, a)
	if n := m.count("registerPublisher /chatter"); n != 1 {
		t.Errorf("registered %d times", n)
	}
	var c collector
	subscribe(t, b, SubscriberOptions{Topic: "chatter"}, c.add)
	peer.Await(t, "all latched", func() bool { return c.len() == 3 })
	if c.last["callerid"] != "/a" {
		t.Errorf("callerid %s of publishers that differ", c.last["callerid"])
	}
	ps[2].Close()
	var d collector
	subscribe(t, b, SubscriberOptions{Topic: "chatter"}, d.add)
	peer.Await(t, "those left", func() bool { return d.len() == 2 })
	if d.last["callerid"] != "/x" {
		t.Errorf("callerid %s", d.last["callerid"])
	}
}
