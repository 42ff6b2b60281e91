package record

import (
	"fmt"
	"sync"
	"sync/atomic"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/record/source"
	"rsros/record/topicfile"
)

// topic is a recording's subscription to a topic.
type topic struct {
	flow
	*thinner
	name       string
	subscriber source.Subscription
	named      bool         // by the user
	published  atomic.Bool  // by somebody
	unreached  atomic.Int64 // publishers at the end that were never connected
}

// subscribe makes a topic part of the recording. named says that the user has named it.
func (r *Recording) subscribe(name string, named bool) error {
	t := &topic{name: name, named: named, thinner: r.thin.of(name)}
	o := source.Options{Topic: name, NoDelay: r.o.NoDelay, Budget: r.budget}
	s, err := r.graph.Subscribe(o, func(m source.Message) { r.take(t, m) })
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t.subscriber, t.gaps = s, func() uint64 { return s.Stats().Missing }
	t.run(!r.paused.Load() && !t.full())
	r.topics[name] = t
	return nil
}

// has reports whether the recording has a topic.
func (r *Recording) has(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.topics[name] != nil
}

// take queues a message. It runs on the connection's goroutine.
func (r *Recording) take(t *topic, m source.Message) {
	r.triggers.heard(t.name)
	if r.paused.Load() {
		return
	}
	at := r.rosTime()
	ok, full := t.passes(int64(at))
	if full {
		r.checkFull(t)
	}
	if ok {
		t.add(len(m.Data))
		m.Buffer.Retain()
		it := item{flow: &t.flow, topic: t.name, header: m.Header, buffer: m.Buffer, at: at, stamp: r.stamp(m, at),
			part: r.part.Load()}
		if len(r.taps) > 0 {
			it.arrival = r.taps[0].Now()
		}
		r.queue.Push(it.flow, it, int64(len(m.Data))+eventSize)
	}
	if r.o.Ring.Before > 0 {
		r.triggers.message(t.name, m, at)
	}
}

// stamp returns the record time of a message that arrives at a time.
func (r *Recording) stamp(m source.Message, at bagstore.Time) bagstore.Time {
	if r.o.Time != "stamp" {
		return at
	}
	if spec, data := r.types.read(m); spec != nil {
		if t, ok := spec.Stamp(data); ok && t > 0 {
			return bagstore.Time(t)
		}
	}
	return at
}

// definitions has the parsed definitions of received messages.
type definitions struct {
	mu       sync.Mutex
	cache    msgs.Cache[*msgs.Spec]
	mappings msgs.Cache[*ros2.Mapping]
}

// read returns a message's type, nil if its definition is invalid, and its bytes, which are converted to ROS 1.
func (d *definitions) read(m source.Message) (*msgs.Spec, []byte) {
	typ, text, data := m.Header["type"], m.Header["message_definition"], m.Data
	d.mu.Lock()
	defer d.mu.Unlock()
	if topicfile.IsROS2(m.Header) {
		to, err := d.mappings.Get(typ, text, ros2.Map)
		if err == nil {
			data, _, err = to.Convert(nil, data)
		}
		if err != nil {
			return nil, nil
		}
		typ, text = to.Type.Name, to.Type.Definition
	}
	spec, _ := d.cache.Get(typ, text, msgs.Parse)
	return spec, data
}

// checkFull ends the recording when all topics that will be recorded have reached the limit, as this one has.
func (r *Recording) checkFull(t *topic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.subscriber != nil {
		t.run(false)
	}
	if r.expected == 0 || len(r.topics) < r.expected {
		return
	}
	for _, t := range r.topics {
		if !t.full() {
			return
		}
	}
	r.Stop()
}

// row describes the topic.
func (t *topic) row(queued int64) Row {
	h := t.subscriber.Headers()
	row := t.read(Row{Name: t.name, Publishers: len(h), Queue: queued})
	if len(h) > 0 {
		row.Type = h[0]["type"]
	}
	return row
}
