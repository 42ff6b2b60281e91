package ros

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"rsros/msgs"
	"rsros/test/need"
)

// TestTap receives a node's own topic before publication, without a copy of the body, and again later
// if it is latched.
func TestTap(t *testing.T) {
	n := startNode(t, startMaster(t), "n")
	body, owner := []byte("body of the message"), &counted{}
	var held *Shared
	early, err := n.Tap("chatter", func(m *Shared) {
		m.Retain()
		held = m
	})
	need.Must(t, err)
	subscribers := 0
	o := stringType
	o.OnSubscriber = func(count int) { subscribers = count }
	p := advertise(t, n, o)
	p.Publish(msgs.Raw{Head: []byte("head "), Body: body, Tail: []byte(" tail"), Owner: owner, Time: 42})
	parts := held.Content(nil)
	if got := string(bytes.Join(parts, nil)); got != "head body of the message tail" || held.ContentSize() != int64(len(got)) || held.Time != 42 {
		t.Errorf("the tap got %q (%d bytes) at %d", got, held.ContentSize(), held.Time)
	}
	if &parts[1][0] != &body[0] {
		t.Error("the body was copied")
	}
	if owner.n.Load() != 0 || p.Subscribers() != 1 {
		t.Errorf("while it is held: %d releases, %d subscribers", owner.n.Load(), p.Subscribers())
	}
	held.Release()
	if owner.n.Load() != 1 {
		t.Errorf("%d releases", owner.n.Load())
	}
	early.Close()
	early.Close()
	if p.Subscribers() != 0 || subscribers != 0 {
		t.Errorf("%d subscribers after Close, the publisher knows of %d", p.Subscribers(), subscribers)
	}
	latchedTap(t, n)
}

func latchedTap(t *testing.T, n *Node) {
	o := stringType
	o.Topic, o.LatchAll = "latched", true
	p := advertise(t, n, o)
	p.Publish(msgs.Raw{Head: []byte("one")})
	p.Publish(msgs.Raw{Head: []byte("two")})
	var got []string
	tap, err := n.Tap("latched", func(m *Shared) { got = append(got, string(bytes.Join(m.Content(nil), nil))) })
	need.Must(t, err)
	defer tap.Close()
	p.Publish(msgs.Raw{Head: []byte("three")})
	if want := []string{"one", "two", "three"}; !slices.Equal(got, want) {
		t.Errorf("the tap got %q, expected %q", got, want)
	}
}

// TestProbe asks another node for a topic's definition and for a service's type, and subscribes without
// receiving the node's own messages.
func TestProbe(t *testing.T) {
	m := startMaster(t)
	a, b := startNode(t, m, "a"), startNode(t, m, "b")
	o := stringType
	o.Latch = true
	pa := advertise(t, a, o)
	pb := advertise(t, b, o)
	synced(t, a, b)
	same := func(a, b Publication) bool { a.Header, b.Header = nil, nil; return reflect.DeepEqual(a, b) }
	got, err := b.ProbeTopic(t.Context(), a.URI(), "/chatter")
	if want := (Publication{Topic: "/chatter", Type: stringType.Type, Latched: true}); err != nil || got.Header["latching"] != "1" || !same(got, want) {
		t.Errorf("probed %+v, %v; expected %+v", got, err, want)
	}
	got.Queue = defaultQueue
	if !slices.ContainsFunc(b.Publications(), func(p Publication) bool { return same(p, got) }) {
		t.Errorf("publications %+v", b.Publications())
	}
	typ, md5, err := b.ProbeService(t.Context(), "/a/get_loggers")
	if s := msgs.MustService("roscpp/GetLoggers"); err != nil || typ != s.Name || md5 != s.MD5 {
		t.Errorf("probed service %s [%s], %v", typ, md5, err)
	}
	texts := make(chan string, 10)
	s := subscribe(t, b, SubscriberOptions{Topic: "chatter", Others: true}, func(r Received) { texts <- string(r.Data) })
	defer s.Close()
	pb.Publish(msgs.Raw{Head: []byte("own")})
	pa.Publish(msgs.Raw{Head: []byte("other")})
	select {
	case text := <-texts:
		if text != "other" {
			t.Errorf("received %q", text)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing was received")
	}
	if s.Publishers() != 1 {
		t.Errorf("%d publishers, expected the other node's", s.Publishers())
	}
}
