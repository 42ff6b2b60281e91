package ros

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"rsros/msgs"
	"rsros/ros/internal/sendqueue"
	"rsros/ros/internal/wire"
	"rsros/ros/rosapi"
)

// topic is a topic that a node publishes: one registration at the master, one or more
// publishers, and a connection (outlet) for each subscriber.
type topic struct {
	node         *Node
	name         string
	typ          msgs.Type
	limits       sendqueue.Limits
	pool         sync.Pool // of *sendqueue.Message
	registration *rosapi.Registration

	mu         sync.Mutex
	publishers []*Publisher
	outlets    []*outlet         // copied on write: a slice may be used without mu
	taps       []*Tap            // copied on write
	left       map[string]uint64 // messages lost by subscribers that have left, by callerid
	closed     bool
}

// header returns the connection header for subscribers. Callers hold mu.
func (t *topic) header() Header {
	h := Header{wire.KeyCallerID: t.callerID(), wire.KeyTopic: t.name, wire.KeyType: t.typ.Name, wire.KeyMD5: t.typ.MD5,
		wire.KeyDefinition: t.typ.Definition, wire.KeyLatching: "0"}
	if slices.ContainsFunc(t.publishers, (*Publisher).latches) {
		h[wire.KeyLatching] = "1"
	}
	maps.Copy(h, t.node.cfg.Fields)
	return h
}

// callerID returns the publishers' callerid or, if they differ, the node's name.
func (t *topic) callerID() string {
	id := ""
	for i, p := range t.publishers {
		if i > 0 && p.callerID != id {
			return t.node.names.Node
		}
		id = p.callerID
	}
	return cmp.Or(id, t.node.names.Node)
}

func (t *topic) admit(h Header) error {
	typ, md5 := h[wire.KeyType], h[wire.KeyMD5]
	if md5 == "" {
		return fmt.Errorf("topic %s: the subscriber's header has no md5sum", t.name)
	}
	if !matches(md5, t.typ.MD5) || typ != "" && !matches(typ, t.typ.Name) {
		return fmt.Errorf("topic %s is of type [%s] with md5sum [%s]; %s wants [%s] with [%s]",
			t.name, t.typ.Name, t.typ.MD5, h[wire.KeyCallerID], typ, md5)
	}
	return nil
}

func matches(a, b string) bool { return a == b || a == "*" || b == "*" }

// attach adds a subscriber's outlet to the topic: it gets every latched message first
// and then everything published from now on. The caller writes the returned header.
func (t *topic) attach(c *outlet) (Header, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrClosed
	}
	var first []*sendqueue.Message
	for _, p := range t.publishers {
		for _, o := range p.kept {
			o.Retain()
			first = append(first, o)
		}
	}
	c.queue = sendqueue.New(&t.limits, first)
	t.outlets = append(slices.Clip(t.outlets), c)
	return t.header(), nil
}

func (t *topic) detach(c *outlet) {
	t.mu.Lock()
	t.outlets = slices.DeleteFunc(slices.Clone(t.outlets), func(x *outlet) bool { return x == c })
	if n := c.dropped.Load(); n > 0 {
		t.forget(c.header[wire.KeyCallerID], n)
	}
	t.mu.Unlock()
	c.queue.Close()
	close(c.gone)
}

// maxFormerSubscribers bounds topic.left. Losses of others are counted together, without a name.
const maxFormerSubscribers = 100

// forget keeps the losses of a subscriber that leaves. Callers hold mu.
func (t *topic) forget(callerID string, lost uint64) {
	if t.left == nil {
		t.left = make(map[string]uint64)
	}
	if _, known := t.left[callerID]; !known && len(t.left) >= maxFormerSubscribers {
		callerID = ""
	}
	t.left[callerID] += lost
}

// lost returns the number of messages that each subscriber lost, by callerid.
func (t *topic) lost() map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	lost := maps.Clone(t.left)
	for _, c := range t.outlets {
		if n := c.dropped.Load(); n > 0 {
			if lost == nil {
				lost = make(map[string]uint64)
			}
			lost[c.header[wire.KeyCallerID]] += n
		}
	}
	return lost
}

func (t *topic) changed() {
	t.mu.Lock()
	count, publishers := len(t.outlets)+len(t.taps), slices.Clone(t.publishers)
	t.mu.Unlock()
	for _, p := range publishers {
		if p.onSubscriber != nil {
			p.onSubscriber(count)
		}
	}
}

// add adds a publisher to the topic. Callers hold the node's mu.
func (t *topic) add(p *Publisher, o *PublisherOptions) error {
	typ := &o.Type
	if !matches(typ.MD5, t.typ.MD5) || !matches(typ.Name, t.typ.Name) {
		return fmt.Errorf("topic %s is published as [%s] with md5sum [%s] already, now as [%s] with [%s]", t.name,
			t.typ.Name, t.typ.MD5, typ.Name, typ.MD5)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.publishers) == 0 {
		t.limits.Messages.Store(1)
		t.limits.Bytes.Store(1)
	}
	t.publishers = append(t.publishers, p)
	// The largest limits that any publisher asks for apply.
	t.limits.Messages.Store(larger(t.limits.Messages.Load(), int64(o.Queue)))
	t.limits.Bytes.Store(larger(t.limits.Bytes.Load(), o.QueueBytes))
	return nil
}

// larger returns the larger of two limits; negative means unlimited.
func larger(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

// remove removes a publisher and reports whether it was the last one.
func (t *topic) remove(p *Publisher) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// A node that closes removes them from the last to the first.
	for i, x := range slices.Backward(t.publishers) {
		if x == p {
			t.publishers = slices.Delete(t.publishers, i, i+1)
			break
		}
	}
	for _, o := range p.kept {
		o.Release()
	}
	p.kept = nil
	if len(t.publishers) > 0 {
		return false
	}
	t.closed = true
	return true
}

// subscribers returns the connections, a list that isn't changed.
func (t *topic) subscribers() []*outlet {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.outlets
}
