package ros

import (
	"context"
	"slices"

	"rsros/ros/internal/sendqueue"
)

// Shared is a published message whose memory all subscribers share. It is valid until
// the last holder releases it, and must not be changed.
type Shared = sendqueue.Message

// Tap receives the messages that this node publishes on a topic, without a connection
// or a copy. Publishers count it as a subscriber.
type Tap struct {
	node     *Node
	name     string
	callback func(*Shared)
	wait     func(context.Context, *Shared) error // callback of PublishWait
}

// Tap calls callback with the latched messages of a topic, and then with each message that this node publishes, on the
// publishing goroutine. The topic need not be published yet. The callback must retain a message that it uses later,
// must not block, and must not call the node. Calls that began before Close may still be running when it returns.
func (n *Node) Tap(topic string, callback func(*Shared)) (*Tap, error) {
	return n.TapWait(topic, callback, func(_ context.Context, m *Shared) error { callback(m); return nil })
}

// TapWait is like Tap, but calls wait with the messages of PublishWait, which it may block and which returns its error.
func (n *Node) TapWait(topic string, callback func(*Shared), wait func(context.Context, *Shared) error) (*Tap, error) {
	name, err := n.Resolve(topic)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return nil, ErrClosed
	}
	tap := &Tap{n, name, callback, wait}
	n.taps[name] = append(slices.Clip(n.taps[name]), tap)
	t := n.topics[name]
	if t != nil {
		t.tap(tap)
	}
	n.mu.Unlock()
	if t != nil {
		t.changed()
	}
	return tap, nil
}

// Close ends the tap. It may be called more than once.
func (tap *Tap) Close() {
	n := tap.node
	n.mu.Lock()
	others := slices.DeleteFunc(slices.Clone(n.taps[tap.name]), func(x *Tap) bool { return x == tap })
	if n.taps[tap.name] = others; len(others) == 0 {
		delete(n.taps, tap.name)
	}
	t := n.topics[tap.name]
	if t != nil {
		t.mu.Lock()
		t.taps = others
		t.mu.Unlock()
	}
	n.mu.Unlock()
	if t != nil {
		t.changed()
	}
}

// tap passes the latched messages to a tap and adds it.
func (t *topic) tap(tap *Tap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.publishers {
		for _, o := range p.kept {
			tap.callback(o)
		}
	}
	t.taps = append(slices.Clip(t.taps), tap)
}

// OnOffers calls a function whenever the node has begun or ceased to publish a topic or to offer a
// service, before that call returns.
func (n *Node) OnOffers(call func()) {
	n.mu.Lock()
	n.onOffers = call
	n.mu.Unlock()
}

// Publications returns the topics that this node publishes.
func (n *Node) Publications() []Publication {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []Publication
	for name, t := range n.topics {
		t.mu.Lock()
		all = append(all, Publication{
			Topic: name, Type: t.typ, Latched: slices.ContainsFunc(t.publishers, (*Publisher).latches),
			BestEffort: !slices.ContainsFunc(t.publishers, func(p *Publisher) bool { return !p.bestEffort }),
			Queue:      int(t.limits.Messages.Load()),
		})
		t.mu.Unlock()
	}
	return all
}
