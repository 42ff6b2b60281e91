package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/msgs"
	"rsros/program"
	"rsros/ros"
	"rsros/tools/info"
)

// extraTopics are the topics that a session records next to its devices.
type extraTopics struct {
	node    *ros.Node
	written atomic.Uint64 // messages

	mu    sync.Mutex
	flows map[string]*flow // by topic
}

// extraMessage is a message of such a topic.
type extraMessage struct {
	topic   string
	flow    *flow
	header  ros.Header
	time    bagstore.Time // ROS time of arrival
	arrival time.Time     // on the clock of the devices' frames
	buffer  *ros.Buffer
}

// topicList splits a setting that may name several topics.
func topicList(texts []string) (list []string) {
	for _, text := range texts {
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				list = append(list, name)
			}
		}
	}
	return list
}

// subscribe begins to record topics next to the devices.
func (r *session) subscribe(node *ros.Node, topics []string) error {
	b := &r.extra
	b.mu.Lock()
	b.node, b.flows = node, map[string]*flow{}
	b.mu.Unlock()
	for _, name := range topics {
		name, err := node.Resolve(name)
		if err != nil {
			return fmt.Errorf("%w: record topics: %w", program.ErrUsage, err)
		}
		if rsbag.Reserved(name) {
			return fmt.Errorf("%w: record topic %s: %w", program.ErrUsage, name, rsbag.ErrReserved)
		}
		if b.flows[name] != nil {
			continue
		}
		f := thinning{}.flow(name)
		s, err := node.Subscribe(ros.SubscriberOptions{Topic: name, MaxMessage: r.largest, Budget: r.budget}, func(m ros.Received) { r.take(name, f, m) })
		if err != nil {
			return fmt.Errorf("subscribe to %s: %w", name, err)
		}
		b.mu.Lock()
		f.subscriber = s
		b.flows[name] = f
		b.mu.Unlock()
	}
	return nil
}

// take queues a message. It runs on the connection's goroutine.
func (r *session) take(name string, f *flow, m ros.Received) {
	if r.paused.Load() {
		return
	}
	f.meter.add(len(m.Data))
	item := &extraMessage{topic: name, flow: f, header: m.Header, time: bagstore.TimeOf(r.extra.node.Now()), arrival: r.now(), buffer: m.Retain()}
	r.queue.Push(queueKey{flow: f}, queued{message: item, part: r.part.Load()}, int64(len(m.Data))+eventSize)
}

// drop counts the message as dropped.
func (m *extraMessage) drop() {
	m.flow.meter.drop(len(m.buffer.Bytes()))
	m.flow.drops.add(m.time)
}

// all returns the topics. It may be called from any goroutine.
func (b *extraTopics) all() map[string]*flow {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.flows)
}

// close ends the subscriptions. It may be called twice.
func (b *extraTopics) close() {
	for _, f := range b.all() {
		f.subscriber.Close()
	}
}

// topicRows describes the topics, sorted.
func (r *session) topicRows() (rows []Row) {
	flows := r.extra.all()
	for _, name := range slices.Sorted(maps.Keys(flows)) {
		rows = append(rows, flows[name].row(name, r.queue.Held(queueKey{flow: flows[name]})))
	}
	return rows
}

// writeDrops writes into the recording which messages were dropped since the last call.
func (r *session) writeDrops(p *parts) error {
	flows := r.extra.all()
	for _, name := range slices.Sorted(maps.Keys(flows)) {
		if r.space.low.Load() {
			return nil
		}
		d := &flows[name].drops
		s := d.pending(name, r.extra.node.Name())
		if s.DroppedMsgs == 0 {
			continue
		}
		t := msgs.MustType(info.DropsType)
		c := bagstore.Connection{Topic: info.DropsTopic, Type: t.Name, MD5: t.MD5, Definition: t.Definition, CallerID: r.extra.node.Name()}
		if err := p.cur.Message(c, time.Time{}, msgs.Marshal(&s), func() {}); err != nil {
			return err
		}
		d.wrote(s)
	}
	return nil
}

// message writes a message, into a new file if one is due.
func (p *parts) message(item queued) error {
	if err := p.turn(item); err != nil {
		return err
	}
	p.pause(false)
	p.frames = true
	m := item.message
	// It is kept when it is written: if this file is gone, it follows those that begin the next one.
	if err := p.put(m, m.arrival); err != nil {
		return err
	}
	p.latched.keep(m.topic, m.header, m.buffer, m)
	p.latched.follow(len(m.buffer.Bytes()))
	return nil
}

// put writes a message to the current file.
func (p *parts) put(m *extraMessage, at time.Time) error {
	// The caller's reference is for a new file, if this one is gone.
	return p.cur.Message(bagstore.Connection{
		Topic: m.topic, Type: m.header["type"], MD5: m.header["md5sum"], Definition: m.header["message_definition"],
		CallerID: m.header["callerid"], Latching: m.header["latching"] == "1",
	}, at, m.buffer.Bytes(), lend(p.budget, m.buffer))
}

// repeatLatched writes the newest latched messages at the start of a later file, so that each can be
// played alone.
func (p *parts) repeatLatched() error {
	return p.latched.repeat(p.made == 1, func(m *extraMessage) error { return p.put(m, time.Time{}) })
}
