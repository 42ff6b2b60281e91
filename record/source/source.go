// Package source is what recordings of topics subscribe to: a graph of ROS 1 or of ROS 2. Both have the same interface,
// and their messages the header of a connection of ROS 1; see topicfile.Header for those of ROS 2.
package source

import (
	"context"
	"time"

	"rsros/program/recvbuf"
	"rsros/program/work"
	"rsros/ros"
	"rsros/ros/graph"
)

// Graph is a graph with its topics. Its methods may be called from any goroutine.
type Graph interface {
	// Topics returns the topics that others publish, with their types if typed is set.
	Topics(ctx context.Context, typed bool) (map[string]string, error)
	// SubscribedTopics returns the topics that a node subscribes to.
	SubscribedTopics(ctx context.Context, node string) ([]string, error)
	// Subscribe receives a topic, of any type, from everybody who publishes it now or later. The callback must neither
	// block nor close the subscription. If ROS doesn't allow the topic's name, the error is a *names.Error.
	Subscribe(o Options, callback func(Message)) (Subscription, error)
}

// Options describe a subscription.
type Options struct {
	Topic   string
	NoDelay bool         // of ROS 1; see ros.SubscriberOptions
	Budget  *work.Budget // a message is at most as large, and in ROS 1 the memory for the next ones counts
}

// Message is a message that was received.
type Message struct {
	Data   []byte     // valid until the callback returns or, after Buffer.Retain, until Buffer.Release
	Header ros.Header // of the publisher's connection; shared, read only
	Buffer *recvbuf.Buffer
}

// Subscription is a subscription to a topic.
type Subscription interface {
	Headers() []ros.Header // of the connected publishers
	// Stats returns the counters. Missing are messages that never came, by the numbers that publishers give them.
	Stats() ros.SubscriberCounts
	// Missing returns Stats().Missing by publisher; it is nil if that isn't known.
	Missing() map[string]uint64
	Announced() bool                    // somebody publishes the topic, connected or not
	Unreached(longer time.Duration) int // publishers that were never connected, for longer than a time
	Close()                             // waits for the last callback
}

// ROS1 is a graph of ROS 1.
type ROS1 struct{ *graph.Node }

// Topics asks the master.
func (g ROS1) Topics(ctx context.Context, typed bool) (map[string]string, error) {
	list := map[string]string{}
	if typed {
		t, err := g.Topology(ctx)
		for name := range t.Publishers {
			list[name] = t.Types[name]
		}
		return list, err
	}
	published, err := g.PublishedTopics(ctx)
	for _, name := range published {
		list[name] = ""
	}
	return list, err
}

// Subscribe subscribes to a topic.
func (g ROS1) Subscribe(o Options, callback func(Message)) (Subscription, error) {
	options := ros.SubscriberOptions{
		Topic: o.Topic, NoDelay: o.NoDelay, MaxMessage: o.Budget.Limit(), Budget: o.Budget,
	}
	s, err := g.Node.Subscribe(options, func(m ros.Received) {
		b := m.Retain()
		callback(Message{m.Data, m.Header, b})
		b.Release()
	})
	if err != nil {
		return nil, err
	}
	return ros1Subscription{s}, nil
}

type ros1Subscription struct{ *ros.Subscriber }

func (ros1Subscription) Missing() map[string]uint64 { return nil }
