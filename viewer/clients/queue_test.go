package clients

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// text is a message whose name is what drain returns.
type text struct {
	Shared
	name string
}

func newText(name string, size int) *text {
	m := &text{name: name}
	m.Init(int64(size), nil)
	return m
}

// The bounds of Foxglove's clients.
const (
	largeMessage  = 64 << 10
	queueBytes    = 1 << 20
	queueMessages = 1000
	keptBytes     = 4 << 20
)

func small() Options {
	return Options{Class: ClassSmall, Messages: queueMessages, Bytes: queueBytes, Kept: keptBytes}
}
func large() Options { return Options{Class: ClassLarge, Messages: 1} }

// rig is a client without a connection, with one subscription per name.
func rig(t *testing.T, o map[string]Options) (*Client, map[string]*Subscription) {
	c, subs := newClient(NewBudget(64<<20)), make(map[string]*Subscription)
	for name, o := range o {
		subs[name] = c.Subscribe(o)
	}
	t.Cleanup(func() {
		c.end()
		if n := c.budget.Used(); n != 0 || c.held != 0 {
			t.Errorf("%d bytes are held, %d by the client", n, c.held)
		}
	})
	return c, subs
}

func give(s *Subscription, name string, size int, keep bool) *text {
	m := newText(name, size)
	if keep {
		s.Keep(m)
	} else {
		s.Offer(m)
	}
	m.Release()
	return m
}

// drain empties the queues and returns the names.
func drain(c *Client) (order []string) {
	for {
		s, i, d := c.next()
		switch m := i.(type) {
		case nil:
			return order
		case *control:
			order = append(order, string(m.data))
		case *text:
			order = append(order, m.name)
			if d.Skipped > 0 {
				order = append(order, fmt.Sprint("after ", d.Skipped))
			}
		}
		if s != nil {
			c.mu.Lock()
			c.release(i.shared())
			c.mu.Unlock()
		}
	}
}

// TestOrder checks what is sent first when everything waits at once.
func TestOrder(t *testing.T) {
	c, s := rig(t, map[string]Options{"imu": small(), "odom": small(), "depth": large(), "color": large(), "time": {Class: ClassTime, Messages: 1}})
	give(s["depth"], "depth 1", largeMessage+1, false)
	give(s["imu"], "imu 1", 300, false)
	give(s["imu"], "imu 2", 300, false)
	give(s["imu"], "imu 3", 300, false)
	give(s["color"], "color 1", 1<<20, false)
	give(s["odom"], "odom 1", largeMessage, false)
	lost := give(s["depth"], "depth 2", 1<<20, false)
	give(s["depth"], "depth 3", 1<<20, false)
	give(s["time"], "1", 0, false)
	give(s["time"], "2", 0, false)
	c.Send(websocket.MessageText, []byte("control"))
	got := strings.Join(drain(c), ", ")
	if want := "control, 2, after 1, imu 1, odom 1, imu 2, imu 3, depth 3, after 2, color 1"; got != want {
		t.Errorf("the order is %s, expected %s", got, want)
	}
	if n := s["depth"].Counts(); n.Dropped != 2 || n.Given != 3 || n.Sent != 1 || c.Dropped() != 2 || lost.refs.Count() != 0 {
		t.Errorf("depth images %+v, %d messages dropped at all, %d references left", n, c.Dropped(), lost.refs.Count())
	}
}

// TestCredit sends as many messages as the client has credit for, and then the newest.
func TestCredit(t *testing.T) {
	o := large()
	o.Window = 2
	c, s := rig(t, map[string]Options{"depth": o})
	for i := range 5 {
		give(s["depth"], fmt.Sprint(i), 1, false)
		if i < 2 {
			drain(c)
		}
	}
	if got := drain(c); len(got) > 0 {
		t.Errorf("without credit %q was sent", got)
	}
	s["depth"].Credit(3) // it wasn't sent
	s["depth"].Credit(1)
	if got := strings.Join(drain(c), ", "); got != "4, after 2" {
		t.Errorf("with credit %q was sent", got)
	}
}

// TestBounds fills the queues while nothing is sent.
func TestBounds(t *testing.T) {
	c, s := rig(t, map[string]Options{"many": small(), "heavy": small(), "latched": small()})
	for i := range 3 * queueMessages {
		give(s["many"], fmt.Sprint(i), 1, false)
	}
	for i := range 100 {
		give(s["heavy"], fmt.Sprint(i), 60<<10, false)
	}
	many, heavy := s["many"].Counts(), s["heavy"].Counts()
	if many.Waiting != queueMessages || many.Dropped != 2*queueMessages {
		t.Errorf("of many messages %+v", many)
	}
	if heavy.Waiting*(60<<10) > queueBytes || heavy.Waiting < 10 || int(heavy.Dropped)+heavy.Waiting != 100 {
		t.Errorf("of heavy messages %+v", heavy)
	}
	kept := give(s["latched"], "kept", 100, true)
	for i := range 3 * queueMessages {
		give(s["latched"], fmt.Sprint(i), 1, false)
	}
	if kept.refs.Count() != 1 {
		t.Error("a latched message was dropped")
	}
	order := drain(c)
	if last := order[len(order)-1]; last != fmt.Sprint(3*queueMessages-1) {
		t.Errorf("to %s was left; expected the newest", last)
	}
	if first := fmt.Sprint(2 * queueMessages); order[0] != first {
		t.Errorf("from %s was left; expected %s", order[0], first)
	}
	for range 100 {
		give(s["latched"], "", 60<<10, true)
	}
	if err := context.Cause(c.ctx); !errors.Is(err, ErrSlow) || len(drain(c)) > 0 {
		t.Errorf("with 6 MB of latched messages: %v", err)
	}
	c, _ = rig(t, nil)
	for range controlBytes>>20 + 1 {
		c.Send(websocket.MessageText, make([]byte, 1<<20))
	}
	if err := context.Cause(c.ctx); !errors.Is(err, ErrSlow) || c.held != 0 {
		t.Errorf("with too much to read: %v, %d bytes held", err, c.held)
	}
}

// TestEnd checks that queued messages are released when a subscription ends, and when the client
// leaves.
func TestEnd(t *testing.T) {
	c, s := rig(t, map[string]Options{"a": small(), "b": small(), "a large": large(), "b large": large()})
	var all []*text
	for _, name := range []string{"a", "b"} {
		all = append(all, give(s[name], "small", 10, false), give(s[name], "latched", 10, true), give(s[name+" large"], "large", 1<<20, false))
	}
	s["a"].Close()
	s["a large"].Close()
	all = append(all, give(s["a"], "late", 10, false))
	if got := strings.Join(drain(c), ", "); got != "small, latched, large" {
		t.Errorf("after the end of a there is %s", got)
	}
	all = append(all, give(s["b"], "small", 10, false), give(s["b large"], "large", 1<<20, false))
	c.end()
	all = append(all, give(s["b"], "late", 10, false))
	for i, m := range all {
		if n := m.refs.Count(); n != 0 {
			t.Errorf("message %d has %d references left", i, n)
		}
	}
}

// TestBudget checks that a message queued for several clients counts once, that what doesn't fit is
// dropped while small messages still fit, and that a stuck client makes room.
func TestBudget(t *testing.T) {
	b := NewBudget(10 << 20)
	var list []*Client
	var subs []*Subscription
	for range 4 {
		c := newClient(b)
		b.join(c, true)
		list, subs = append(list, c), append(subs, c.Subscribe(large()))
	}
	shared := newText("shared", 4<<20)
	for _, s := range subs {
		s.Offer(shared)
	}
	if n := b.Used(); n>>20 != 4 {
		t.Errorf("a message of 4 MiB for four clients counts %d bytes", n)
	}
	give(subs[0], "another", 4<<20, false)
	give(subs[1], "one too many", 4<<20, false)
	if n := subs[1].Counts(); b.Used()>>20 != 8 || n.Waiting != 0 || n.Dropped != 2 {
		t.Errorf("%d bytes are kept, %+v", b.Used(), n)
	}
	if s, _, _ := list[1].next(); s != nil {
		t.Error("a queue whose messages were all dropped sends one")
	}
	if give(list[1].Subscribe(small()), "small", 1<<10, false); list[1].held == 0 {
		t.Error("there is no room for a small message")
	}
	list[2].writing.Store(1) // since 1970
	if !list[3].Reserve(4 << 20) {
		t.Error("a client that has been stuck doesn't make room")
	}
	if !errors.Is(context.Cause(list[2].ctx), ErrBudget) {
		t.Error("the client that has been stuck is still connected")
	}
	list[3].Unreserve(4 << 20)
	list[0].end()
	give(subs[3], "huge", 1<<30, false)
	if subs[3].Counts().Waiting != 1 {
		t.Error("a message that exceeds the budget can't be seen at all")
	}
	shared.Release()
	for _, c := range list {
		c.end()
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes are still kept", b.Used())
	}
}
