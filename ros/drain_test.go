package ros

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
)

// publishBig publishes messages to one subscriber, however long its queue becomes.
func publishBig(t *testing.T, n *Node, count, size int) {
	t.Helper()
	p := advertise(t, n, PublisherOptions{Topic: "/big", Type: stringType.Type, Queue: -1, QueueBytes: -1})
	peer.Await(t, "a subscriber", func() bool { return p.Subscribers() == 1 })
	for range count {
		p.Publish(msgs.Raw{Body: make([]byte, size)})
	}
}

// lose makes a node believe that a topic has no publishers, as a publisherUpdate does.
func lose(n *Node, topic string) {
	shared := n.subs[topic]
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.setPublishers(nil)
}

// A slow subscriber receives everything even if the node shuts down right after the last message.
func TestDrainLeavesNobodyBehind(t *testing.T) {
	master := startMaster(t)
	sender, receiver := startNode(t, master, "sender"), startNode(t, master, "receiver")
	const count, size = 200, 100_000
	var got collector
	subscribe(t, receiver, SubscriberOptions{Topic: "/big"}, got.add)
	publishBig(t, sender, count, size)
	need.Must(t, sender.Drain(t.Context()))
	need.Must(t, sender.Close())
	peer.Await(t, "all messages", func() bool { return got.len() == count })
}

// A player that follows /clock subscribes to its own: at its end nothing is wrong with that publisher.
func TestDrainEndsOwnLinks(t *testing.T) {
	var failed atomic.Bool
	n := startConfig(t, Config{Name: "own", MasterURI: startMaster(t).uri(), OnLog: func(m *msgs.Log) {
		if strings.Contains(m.Msg, "can't receive") {
			failed.Store(true)
		}
	}})
	subscribe(t, n, SubscriberOptions{Topic: "/big"}, func(Received) {})
	publishBig(t, n, 1, 1)
	own := n.links()["/big"][0]
	need.Must(t, n.Drain(t.Context()))
	peer.Await(t, "the end of the link", func() bool { return own.ctx.Err() != nil || failed.Load() })
	if failed.Load() {
		t.Error("the node warns of its own topic, which it has left")
	}
}

func TestDrainGivesUpWithItsContext(t *testing.T) {
	master := startMaster(t)
	sender, receiver := startNode(t, master, "sender"), startNode(t, master, "receiver")
	block := make(chan struct{})
	defer close(block)
	subscribe(t, receiver, SubscriberOptions{Topic: "/big"}, func(Received) { <-block })
	publishBig(t, sender, 400, 100_000)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := sender.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Drain returned %v with a subscriber that stands still", err)
	}
}

// The last message of a publisher that unregisters immediately still reaches the subscriber, although
// the master announces first that the publisher is gone.
func TestLastMessagesOfAPublisherThatLeft(t *testing.T) {
	master := startMaster(t)
	sender, receiver := startNode(t, master, "sender"), startNode(t, master, "receiver")
	const count, size = 100, 200_000
	begin := make(chan struct{})
	var got collector
	subscribe(t, receiver, SubscriberOptions{Topic: "/big"}, func(r Received) { <-begin; got.add(r) })
	publishBig(t, sender, count, size)
	drained := make(chan error, 1)
	go func() { drained <- sender.Drain(t.Context()) }()
	lose(receiver, "/big")
	close(begin)
	need.Must(t, <-drained)
	peer.Await(t, "all messages", func() bool { return got.len() == count })
}

// The last message also arrives if the publisher shuts down while the subscriber connects: the
// publisher counts the subscriber before the subscriber has the answer.
func TestLastMessageWhileConnecting(t *testing.T) {
	master := startMaster(t)
	receiver := startNode(t, master, "receiver")
	asked, left := make(chan struct{}), make(chan struct{})
	fakePublisher(t, master, "/last", func(conn net.Conn) {
		close(asked)
		<-left
		answer := Header{"callerid": "/fake", "md5sum": "*", "type": "*", "topic": "/last"}.AppendTo(nil)
		conn.Write(append(answer, 2, 0, 0, 0, 'a', 'b')) //nolint:errcheck // test
	})
	var got collector
	subscribe(t, receiver, SubscriberOptions{Topic: "/last"}, got.add)
	<-asked
	lose(receiver, "/last")
	close(left)
	peer.Await(t, "the last message", func() bool { return got.len() == 1 })
}
