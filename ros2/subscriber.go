package ros2

import (
	"fmt"

	"rsros/program/recvbuf"
	"rsros/ros2/internal/dds"
)

// SubscriberOptions describe a subscription.
type SubscriberOptions struct {
	Topic string // as in PublisherOptions
	Type  string // such as "sensor_msgs/msg/Image"
	Hash  string // shown to others; may be empty
	QoS   QoS    // must not be more than publishers offer; see Offered
	// Ignore excludes publishers with this text in their user data, unless it is empty.
	Ignore string
	// MaxMessage is the size limit of a message in bytes; default 1 GiB.
	MaxMessage int64
	// Callback is called for each message; those of one publisher come in order. It must not block.
	Callback func(Received)
	// OnPublisher is called with the number of publishers when it changes. It must not block.
	OnPublisher func(count int)
}

// Received is a message that was received.
type Received struct {
	Data      []byte // CDR with encapsulation, valid until the callback returns, or while it is retained
	Publisher GUID
	Number    int64 // of the message, by the publisher: each one is 1 more than the one before
	Time      int64 // of publication, in ns since 1970; 0 if the publisher says none

	sample *dds.Sample
}

// Buffer holds a received message.
type Buffer = recvbuf.Buffer

// Retain keeps Data valid until the Buffer is released.
func (r Received) Retain() *Buffer {
	r.sample.Buffer.Retain()
	return r.sample.Buffer
}

// Counts are of one publisher's messages: received, and lost by their numbers.
type Counts = dds.Counts

// Subscriber is a subscription.
type Subscriber struct {
	n *Node
	r *dds.Reader
}

// Subscribe subscribes to a topic.
func (n *Node) Subscribe(o SubscriberOptions) (*Subscriber, error) {
	topic, err := n.resolve(o.Topic)
	if err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	typ, err := ddsType(o.Type, "")
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	r, err := n.p.NewReader(dds.ReaderOptions{
		Topic: topicPrefix + topic, Type: typ, QoS: o.QoS, Ignore: o.Ignore, UserData: n.userData(o.Hash),
		MaxSample: o.MaxMessage, OnWriters: o.OnPublisher,
		Callback: func(s *dds.Sample) {
			o.Callback(Received{Data: s.Payload, Publisher: s.Writer, Number: s.Number, Time: s.Time, sample: s})
		},
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	s := &Subscriber{n, r}
	return s, n.adopt(r.Close, r.GUID())
}

// Publishers returns the number of matched publishers.
func (s *Subscriber) Publishers() int { return s.r.Matched() }

// Counts returns the counts by publisher, including some that have left.
func (s *Subscriber) Counts() map[GUID]Counts { return s.r.Counts() }

// Close ends the subscription and waits for a callback that is running.
func (s *Subscriber) Close() {
	if s.n.disown(s.r.GUID()) {
		s.r.Close()
	}
}
