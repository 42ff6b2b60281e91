package e2e

import (
	"slices"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/peer"
)

// onlooker is a node in this process that reads single messages of any topic, which is cheaper than
// starting a stock tool each time.
type onlooker struct {
	t     *testing.T
	graph *graph
	node  *ros.Node
}

func (g *graph) onlooker() *onlooker {
	g.t.Helper()
	node, err := ros.NewNode(g.t.Context(), ros.Config{
		Name: "onlooker", Anonymous: true, MasterURI: g.uri, Host: "127.0.0.1", Log: zerolog.New(zerolog.NewTestWriter(g.t)),
	})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() {
		if err := node.Close(); err != nil {
			g.t.Error(err)
		}
	})
	return &onlooker{t: g.t, graph: g, node: node}
}

// look waits until see accepts a message. Messages come in order, one at a time.
func (o *onlooker) look(what, topic string, see func(data []byte) bool) {
	o.t.Helper()
	seen := make(chan struct{})
	var once sync.Once
	s, err := o.node.Subscribe(ros.SubscriberOptions{Topic: topic}, func(m ros.Received) {
		if see(m.Data) {
			once.Do(func() { close(seen) })
		}
	})
	if err != nil {
		o.t.Fatal(err)
	}
	defer s.Close()
	peer.Await(o.t, what+" on "+topic, func() bool {
		select {
		case <-seen:
			return true
		default:
			return false
		}
	})
}

// next returns a topic's next message, or its latched one.
func (o *onlooker) next(topic string) []byte {
	o.t.Helper()
	var mu sync.Mutex
	var data []byte
	o.look("a message", topic, func(d []byte) bool {
		mu.Lock()
		defer mu.Unlock()
		if data == nil {
			data = append(data, d...)
		}
		return true
	})
	mu.Lock()
	defer mu.Unlock()
	return data
}

// latest subscribes to a topic until the test ends, and returns a function for its latest message: nil before the first.
func (o *onlooker) latest(topic string) func() []byte {
	o.t.Helper()
	var mu sync.Mutex
	var data []byte
	s, err := o.node.Subscribe(ros.SubscriberOptions{Topic: topic}, func(m ros.Received) {
		mu.Lock()
		defer mu.Unlock()
		data = slices.Clone(m.Data)
	})
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(s.Close)
	return func() []byte {
		mu.Lock()
		defer mu.Unlock()
		return data
	}
}

// decode decodes a topic's next message. For a type that is only a head, the body stays in the returned
// decoder.
func (o *onlooker) decode(topic string, m msgs.Message) *msgs.Decoder {
	o.t.Helper()
	return o.decodeBytes(topic, o.next(topic), m)
}

func (o *onlooker) decodeBytes(topic string, data []byte, m msgs.Message) *msgs.Decoder {
	o.t.Helper()
	d := msgs.NewDecoder(data)
	if d.Message(m); d.Err() != nil {
		o.t.Fatalf("%s: %v", topic, d.Err())
	}
	return d
}

// call calls a service and decodes its response.
func (o *onlooker) call(service, typeName string, request []byte, answer msgs.Message) {
	o.t.Helper()
	o.graph.awaitService(service)
	b, err := o.node.CallService(o.t.Context(), service, msgs.MustService(typeName), request)
	if err != nil {
		o.t.Fatal(err)
	}
	if err := msgs.Unmarshal(b, answer); err != nil {
		o.t.Fatalf("%s: %v", service, err)
	}
}
