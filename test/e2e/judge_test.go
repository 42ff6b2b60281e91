package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// judge is a graph of our player, with a master and a node in the test's process: the node records what
// the player publishes, and controls it.
type judge struct {
	*graph
	node *ros.Node
}

func newJudge(t *testing.T) *judge {
	need.Long(t)
	m := rig.Master(t)
	return &judge{graph: graphAt(t, m.URI()), node: rig.Node(t, m, "judge")}
}

// startWith starts a program with additional environment variables.
func (g *judge) startWith(env []string, name string, args ...string) *peer.Process {
	g.t.Helper()
	return peer.Start(g.t, append(slices.Clone(g.env), env...), name, args...)
}

// recording is what the judge received.
type recording struct {
	mu     sync.Mutex
	topics map[string][]string // digests of the messages in order
	clock  []bagstore.Time
	subs   []*ros.Subscriber
}

// record subscribes to topics and to /clock.
func (g *judge) record(topics []string) *recording {
	g.t.Helper()
	r := &recording{topics: make(map[string][]string)}
	for _, topic := range append(topics, "/clock") {
		s, err := g.node.Subscribe(ros.SubscriberOptions{Topic: topic}, func(m ros.Received) { r.received(topic, m.Data) })
		if err != nil {
			g.t.Fatal(err)
		}
		r.subs = append(r.subs, s)
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), peer.Patience)
	defer cancel()
	if err := g.node.Sync(ctx); err != nil {
		g.t.Fatal(err)
	}
	return r
}

func (r *recording) received(topic string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if topic == "/clock" {
		var m msgs.Clock
		if msgs.Unmarshal(data, &m) == nil {
			r.clock = append(r.clock, bagstore.Time(m.Clock))
		}
		return
	}
	digest := fmt.Sprintf("%x", sha256.Sum256(data))[:12]
	if len(data) < 40 {
		digest = fmt.Sprintf("%q", data)
	}
	r.topics[topic] = append(r.topics[topic], digest)
}

func (r *recording) count(topic string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.topics[topic])
}

// close ends the subscriptions. When it returns, everything received is recorded.
func (r *recording) close() {
	for _, s := range r.subs {
		s.Close()
	}
}

// setBool calls a std_srvs/SetBool and returns its answer, which may be a refusal.
func (g *judge) setBool(service string, value bool) string {
	g.t.Helper()
	data, err := g.node.CallService(g.t.Context(), service, msgs.MustService("std_srvs/SetBool"), msgs.Marshal(&msgs.Bool{Data: value}))
	need.Must(g.t, err)
	var result msgs.Result
	need.Must(g.t, msgs.Unmarshal(data, &result))
	return fmt.Sprint(result.Success, " ", result.Message)
}

// status is the message of one ~status of /player.
func (g *judge) status() string {
	g.t.Helper()
	got := make(chan string, 1)
	s, err := g.node.Subscribe(ros.SubscriberOptions{Topic: "/player/status"}, func(r ros.Received) {
		var m msgs.DiagnosticStatus
		if msgs.Unmarshal(r.Data, &m) == nil {
			select {
			case got <- m.Message:
			default:
			}
		}
	})
	if err != nil {
		g.t.Fatal(err)
	}
	defer s.Close()
	return <-got
}
