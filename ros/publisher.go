package ros

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"rsros/msgs"
	"rsros/ros/internal/sendqueue"
	"rsros/ros/names"
	"rsros/ros/rosapi"
)

// PublisherOptions describe a published topic and the bounds of its queues.
type PublisherOptions struct {
	Topic string // resolved and remapped by the node
	Type  msgs.Type

	Latch    bool // new subscribers get the last message first
	LatchAll bool // new subscribers get the last message of each msgs.Raw.Key, oldest first

	// BestEffort is for those that pass the topic on to ROS 2. Of publishers that share a topic, all must say it.
	BestEffort bool

	// Queue and QueueBytes limit each subscriber's queue; when either is exceeded, the oldest message is dropped. They
	// default to 10 messages and 256 MiB; negative means unlimited. With LatchAll, Queue defaults to unlimited. Publishers
	// that share a topic share its queues; the largest limits apply.
	Queue      int
	QueueBytes int64

	// OnSubscriber is called with the number of subscribers when it changes. It must not block.
	OnSubscriber func(count int)

	// CallerID is sent to subscribers instead of this node's name; replay sets the
	// recorded one. If publishers that share a topic differ, the node's name is sent.
	CallerID string
}

const (
	defaultQueue      = 10
	defaultQueueBytes = 256 << 20
)

func (o *PublisherOptions) setDefaults() {
	if o.Queue == 0 && o.LatchAll {
		o.Queue = -1
	}
	o.Queue, o.QueueBytes = cmp.Or(o.Queue, defaultQueue), cmp.Or(o.QueueBytes, defaultQueueBytes)
}

// Publisher publishes one topic. Several in a node may share the topic.
type Publisher struct {
	topic           *topic
	callerID        string
	onSubscriber    func(count int)
	kept            []*sendqueue.Message // latched, oldest first; guarded by topic.mu
	latch, latchAll bool
	bestEffort      bool
	closed          bool // guarded by topic.mu

	messages, dropped  atomic.Uint64
	lastLogged, logged atomic.Int64 // when drops were last logged (ns), and their number then
}

// PublisherStats has the counters of a publisher and its connections.
type PublisherStats struct {
	Messages    uint64 // published
	Dropped     uint64 // drops, counted per subscriber
	Subscribers []SubscriberStats
}

// SubscriberStats has the counters of one subscriber's connection.
type SubscriberStats struct {
	CallerID  string
	Transport string // "TCPROS" or "UDPROS"
	Messages  uint64 // passed to the kernel
	Dropped   uint64
	Queued    int
}

// Advertise publishes a topic. It registers at the master in the background; Sync
// waits for that. If ROS doesn't allow the topic's or the type's name, the error is a
// *names.Error.
func (n *Node) Advertise(options PublisherOptions) (*Publisher, error) {
	name, err := n.Resolve(options.Topic)
	if err != nil {
		return nil, err
	}
	if options.Type.Name == "" || options.Type.MD5 == "" {
		return nil, fmt.Errorf("advertise %s: the type needs a name and an md5sum, not %q and %q", name,
			options.Type.Name, options.Type.MD5)
	}
	if err := names.CheckType(options.Type.Name); err != nil {
		return nil, fmt.Errorf("advertise %s: %w", name, err)
	}
	options.Topic = name
	options.setDefaults()
	p, call, err := n.advertise(&options)
	if call != nil {
		call()
	}
	return p, err
}

// advertise adds a publisher. If the topic is new, it returns what OnOffers set.
func (n *Node) advertise(options *PublisherOptions) (_ *Publisher, call func(), err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, nil, ErrClosed
	}
	name := options.Topic
	t := n.topics[name]
	fresh := t == nil
	if fresh {
		t = &topic{node: n, name: name, typ: options.Type, taps: n.taps[name]}
	}
	p := &Publisher{topic: t, callerID: options.CallerID, onSubscriber: options.OnSubscriber,
		latch: options.Latch, latchAll: options.LatchAll,
		bestEffort: options.BestEffort}
	if err := t.add(p, options); err != nil {
		return nil, nil, err
	}
	if fresh {
		n.topics[name] = t
		t.registration = &rosapi.Registration{Kind: rosapi.Publisher, Name: name, Detail: t.typ.Name}
		n.registrar.Add(t.registration)
		call = n.onOffers
	}
	return p, call, nil
}

// Topic returns the resolved name.
func (p *Publisher) Topic() string { return p.topic.name }

func (p *Publisher) latches() bool { return p.latch || p.latchAll }

// Publish adds messages to every subscriber's queue and returns. A full queue drops its oldest message. Small messages
// for a subscriber whose queue is empty are written to the socket, together, before Publish returns.
func (p *Publisher) Publish(list ...msgs.Raw) {
	var room [usualBatch]*sendqueue.Message
	batch, outlets, taps := p.prepare(room[:0], list)
	for _, o := range batch {
		for _, tap := range taps {
			tap.callback(o)
		}
	}
	for _, c := range outlets {
		for _, o := range batch {
			o.Retain()
		}
		c.put(batch)
	}
	sendqueue.ReleaseAll(batch)
}

// usualBatch is the number of messages that are published together without an allocation.
// The metadata of a frame are 13 to 20.
const usualBatch = 20

// PublishWait is like Publish, but waits for room in every subscriber's queue, so that
// nothing is dropped. It returns an error if ctx ends before all queues have the message.
func (p *Publisher) PublishWait(ctx context.Context, m msgs.Raw) error {
	var room [1]*sendqueue.Message
	batch, outlets, taps := p.prepare(room[:0], []msgs.Raw{m})
	if len(batch) == 0 {
		return nil
	}
	o := batch[0]
	defer o.Release()
	for _, tap := range taps {
		if err := tap.wait(ctx, o); err != nil {
			return err
		}
	}
	for _, c := range outlets {
		o.Retain()
		if err := c.queue.PushWait(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// Room waits until a message of a size can be published without loss. If ctx ends first, the error names the subscriber
// and wraps the cause.
func (p *Publisher) Room(ctx context.Context, size int64) error {
	for _, c := range p.topic.subscribers() {
		if err := c.queue.Room(ctx, size+sendqueue.PrefixSize); err != nil {
			return fmt.Errorf("subscriber %s of %s: %w", c.stats().CallerID, p.topic.name, err)
		}
	}
	return nil
}

// prepare encodes messages, keeps those that are latched, and returns their receivers. If
// nobody needs the messages, prepare releases their owners and returns none. It appends to batch.
func (p *Publisher) prepare(batch []*sendqueue.Message, list []msgs.Raw) ([]*sendqueue.Message, []*outlet, []*Tap) {
	t := p.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	if !p.closed {
		p.messages.Add(uint64(len(list)))
	}
	needed := !p.closed && (len(t.outlets)+len(t.taps) > 0 || p.latches())
	for i := range list {
		m := &list[i]
		switch {
		case needed:
			o := sendqueue.NewMessage(&t.pool, p, m, p.latches())
			if p.latches() {
				p.keep(o, m.Key)
			}
			batch = append(batch, o)
		case m.Owner != nil:
			m.Owner.Release()
		}
	}
	return batch, t.outlets, t.taps
}

// keep latches o in place of the message with the same key. The newest message is last, so that late subscribers get
// messages in the order of publication. Callers hold topic.mu.
func (p *Publisher) keep(o *sendqueue.Message, key string) {
	if o.Key = key; !p.latchAll {
		o.Key = "last of " + p.callerID
	}
	o.Retain()
	old := slices.IndexFunc(p.kept, func(k *sendqueue.Message) bool { return k.Key != "" && k.Key == o.Key })
	if old >= 0 {
		p.kept[old].Release()
		p.kept = slices.Delete(p.kept, old, old+1)
	}
	p.kept = append(p.kept, o)
}

// Subscribers returns the number of connected subscribers and taps.
func (p *Publisher) Subscribers() int {
	p.topic.mu.Lock()
	defer p.topic.mu.Unlock()
	return len(p.topic.outlets) + len(p.topic.taps)
}

// Lost returns the number of messages of the topic that slow subscribers lost, by
// callerid, including subscribers that have left. It is nil if none was lost.
func (p *Publisher) Lost() map[string]uint64 { return p.topic.lost() }

// Dropped returns Stats().Dropped at less cost.
func (p *Publisher) Dropped() uint64 { return p.dropped.Load() }

// Stats returns the counters. Subscribers are those of the whole topic.
func (p *Publisher) Stats() PublisherStats {
	s := PublisherStats{Messages: p.messages.Load(), Dropped: p.dropped.Load()}
	for _, c := range p.topic.subscribers() {
		s.Subscribers = append(s.Subscribers, c.stats())
	}
	return s
}

// Flush waits until the kernel has the messages of all present subscribers.
func (p *Publisher) Flush(ctx context.Context) error {
	for _, c := range p.topic.subscribers() {
		if err := c.queue.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the publisher. Closing a topic's last publisher disconnects its
// subscribers and drops their queues; call Flush before to avoid that.
func (p *Publisher) Close() {
	n, t := p.topic.node, p.topic
	n.mu.Lock()
	t.mu.Lock()
	closed := p.closed
	p.closed = true
	t.mu.Unlock()
	if closed {
		n.mu.Unlock()
		return
	}
	last := t.remove(p)
	if last {
		delete(n.topics, t.name)
	}
	call := n.onOffers
	n.mu.Unlock()
	if last {
		call()
		n.registrar.Remove(t.registration)
		for _, c := range t.subscribers() {
			c.hangUp()
		}
	}
	p.logDrops(true)
}

// lost counts a dropped message. Drops are logged at most once a second.
func (p *Publisher) lost() {
	p.dropped.Add(1)
	p.logDrops(false)
}

func (p *Publisher) logDrops(final bool) {
	now, last := time.Now().UnixNano(), p.lastLogged.Load()
	if !final && now-last < int64(time.Second) || !p.lastLogged.CompareAndSwap(last, now) {
		return
	}
	total := int64(p.dropped.Load())
	if dropped := total - p.logged.Swap(total); dropped > 0 && p.topic.name != rosoutTopic {
		p.topic.node.log.Warn().Str("topic", p.topic.name).Int64("dropped", dropped).Int64("total", total).
			Msg("a slow subscriber loses messages")
	}
}
