// Package replay runs our player as a program: beside the stock player through a
// rosbag shim, under the stock tools, and at a terminal.
package replay

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/node/master"
	"rsros/node/ros"
	"rsros/test/need"
	"rsros/test/peer"
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }

// Folders in scratch, each with a program of the name rosbag.
const ours, stock = "ours", "stock"

var buildShims = sync.OnceValue(func() error {
	for folder, script := range map[string]string{
		ours:  "exec " + peer.Scratch("rs-ros-node") + " \"$@\"",
		stock: "shift; exec /usr/lib/rosbag/play \"$@\"", // without Python, which takes a second to start
	} {
		if err := os.Mkdir(peer.Scratch(folder), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(peer.Scratch(folder+"/rosbag"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			return err
		}
	}
	return nil
})

// shims ends the test unless rosbag play is here; it makes both folders.
func shims(t *testing.T) {
	t.Helper()
	need.Programs(t, "/usr/bin/rosbag", "/usr/lib/rosbag/play")
	peer.Program(t)
	if err := buildShims(); err != nil {
		t.Fatal(err)
	}
}

// graph is a master, the environment of programs that meet there, and a node of
// the test's own.
type graph struct {
	t    *testing.T
	env  []string
	node *ros.Node
}

func newGraph(t *testing.T) *graph {
	if testing.Short() {
		t.Skip("runs other programs")
	}
	m, err := master.Start(master.Config{Address: "127.0.0.1:0", Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	n, err := ros.NewNode(t.Context(), ros.Config{Name: "judge", MasterURI: m.URI(), Host: "127.0.0.1", Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return &graph{t: t, env: peer.Env(t, m.URI()), node: n}
}

// start runs a program until the test ends, with more variables of its own.
func (g *graph) start(env []string, name string, args ...string) *peer.Process {
	g.t.Helper()
	return peer.Start(g.t, append(slices.Clone(g.env), env...), name, args...)
}

// run runs a program that must succeed and returns what it printed.
func (g *graph) run(name string, args ...string) string {
	g.t.Helper()
	return peer.Run(g.t, g.env, name, args...)
}

// recording is what the judge received.
type recording struct {
	mu     sync.Mutex
	topics map[string][]string // digests of the messages in order
	clock  []bagstore.Time
	subs   []*ros.Subscriber
}

// record subscribes to topics and to /clock.
func (g *graph) record(topics []string) *recording {
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

// close ends the subscriptions, so that everything received is in.
func (r *recording) close() {
	for _, s := range r.subs {
		s.Close()
	}
}

// message is one message of a test bag of strings; "topic@callerid", and latched
// by name.
type message struct {
	at    time.Duration
	topic string
	text  string
}

// sample is one of any type.
type sample struct {
	at         time.Duration // behind bagStart
	topic, typ string
	data       []byte
}

const bagStart = bagstore.Time(1_700_000_000_250_000_000)

func writeBag(t *testing.T, messages []message) string {
	t.Helper()
	var samples []sample
	for _, m := range messages {
		samples = append(samples, sample{m.at, m.topic, "std_msgs/String", msgs.Marshal(&msgs.String{Data: m.text})})
	}
	return writeSamples(t, samples)
}

func writeSamples(t *testing.T, samples []sample) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.bag")
	w, err := bagstore.Create(path, bagstore.Options{ChunkSize: 1000, Compression: bagstore.LZ4})
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]uint32)
	for _, m := range samples {
		id, known := ids[m.topic]
		if !known {
			topic, caller, _ := strings.Cut(m.topic, "@")
			typ := msgs.MustType(m.typ)
			id, err = w.AddConnection(bagstore.Connection{Topic: topic, Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition,
				CallerID: caller, Latching: strings.Contains(topic, "latched")})
			if err != nil {
				t.Fatal(err)
			}
			ids[m.topic] = id
		}
		if err := w.Write(id, bagStart.Add(m.at), m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
