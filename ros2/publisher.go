package ros2

import (
	"context"
	"fmt"

	"rsros/msgs"
	"rsros/ros2/internal/dds"
)

// QoS is a topic's quality of service. The zero value is best effort and volatile.
type QoS = dds.QoS

// PublisherOptions describe a published topic.
type PublisherOptions struct {
	Topic      string // "~/a" is below the node, "a" below its namespace
	Type       string // such as "sensor_msgs/msg/Image"
	Hash       string // "RIHS01_…"; may be empty
	Definition string // in the encoding "ros2msg"; served to those who ask for it; may be empty
	QoS        QoS
	QueueBytes int64 // of all messages that are kept; default 256 MiB
	// OnSubscriber is called with the number of subscribers when it changes. It must not block.
	OnSubscriber func(count int)
}

// Publisher publishes a topic.
type Publisher struct {
	n     *Node
	topic string
	w     *dds.Writer
}

// Advertise publishes a topic.
func (n *Node) Advertise(o PublisherOptions) (*Publisher, error) {
	topic, err := n.resolve(o.Topic)
	if err != nil {
		return nil, fmt.Errorf("advertise: %w", err)
	}
	typ, err := ddsType(o.Type, "")
	if err != nil {
		return nil, fmt.Errorf("advertise %s: %w", topic, err)
	}
	w, err := n.p.NewWriter(dds.WriterOptions{
		Topic: topicPrefix + topic, Type: typ, QoS: o.QoS, UserData: n.userData(o.Hash),
		Bytes: o.QueueBytes, OnReaders: o.OnSubscriber,
	})
	if err != nil {
		return nil, fmt.Errorf("advertise %s: %w", topic, err)
	}
	n.learn(o.Type, o.Hash, o.Definition)
	p := &Publisher{n: n, topic: topic, w: w}
	return p, n.adopt(w.Close, w.GUID())
}

// Topic returns the resolved name.
func (p *Publisher) Topic() string { return p.topic }

// Publish publishes a message in CDR with its encapsulation, takes over the reference to its body, and returns. A slow
// subscriber loses the oldest messages that it doesn't have yet when more than QoS.Depth, or QueueBytes, are kept. With
// TransientLocal, the body is copied, and a message replaces an earlier one with the same Key.
func (p *Publisher) Publish(m msgs.Raw) { p.w.Write(m, nil) }

// PublishWait is like Publish, but waits until no subscriber loses a message by it. If ctx ends first, the message
// isn't published and PublishWait returns ctx's error.
func (p *Publisher) PublishWait(ctx context.Context, m msgs.Raw) error { return p.w.WriteWait(ctx, m) }

// Flush waits until all present subscribers have all messages: reliable ones have acknowledged them, others were sent
// them.
func (p *Publisher) Flush(ctx context.Context) error { return p.w.Flush(ctx) }

// Subscribers returns the number of matched subscribers.
func (p *Publisher) Subscribers() int { return p.w.Matched() }

// Lost returns the number of messages that slow subscribers lost, by subscriber. It is empty if none was lost.
func (p *Publisher) Lost() map[GUID]uint64 { return p.w.Lost() }

// Close ends the publisher. What subscribers don't have yet is dropped; call Flush before to avoid that.
func (p *Publisher) Close() {
	if p.n.disown(p.w.GUID()) {
		p.w.Close()
	}
}
