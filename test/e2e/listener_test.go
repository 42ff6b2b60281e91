package e2e

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
)

// heard is what a subscriber received on one topic.
type heard struct {
	Type     string   `json:"type"`
	Latching string   `json:"latching"`
	Hashes   []string `json:"hashes"` // FNV-1a-64 of an image's pixels or another message's bytes
}

// roscppSubscriber is the running C++ program of testdata.
type roscppSubscriber struct {
	*peer.Process
	t   *testing.T
	out string
}

var buildSubscriber = sync.OnceValues(func() ([]byte, error) {
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		return nil, err
	}
	args := []string{"-O1", "-o", peer.Scratch("subscriber"), "roscpp/subscriber.cpp"}
	return exec.Command("g++", append(args, strings.Fields(string(flags))...)...).CombinedOutput()
})

// startRoscpp starts a roscpp node that receives a number of messages on each topic, and returns when
// it has subscribed.
func (g *graph) startRoscpp(topics map[string]int) *roscppSubscriber {
	g.t.Helper()
	need.Programs(g.t, "g++", "pkg-config")
	if err := exec.Command("pkg-config", "--exists", "roscpp").Run(); err != nil {
		need.Missing(g.t, "no roscpp to build with")
	}
	if out, err := buildSubscriber(); err != nil {
		g.t.Fatalf("build roscpp subscriber: %v\n%s", err, out)
	}
	s := &roscppSubscriber{t: g.t, out: filepath.Join(g.t.TempDir(), "heard.json")}
	args := []string{s.out}
	for topic, count := range topics {
		args = append(args, fmt.Sprintf("%s=%d", topic, count))
	}
	s.Process = g.start(peer.Scratch("subscriber"), args...)
	s.Await("ready", func(out string) bool { return strings.Contains(out, "ready") })
	return s
}

// heard waits until the subscriber has all that it wanted and ends.
func (s *roscppSubscriber) heard() map[string]heard {
	s.t.Helper()
	if code := s.Wait(); code != 0 {
		s.t.Fatalf("roscpp subscriber ended with %d", code)
	}
	b, err := os.ReadFile(s.out)
	need.Must(s.t, err)
	var topics map[string]heard
	need.Must(s.t, json.Unmarshal(b, &topics))
	return topics
}

// goListener subscribes with ros, in this process.
type goListener struct {
	t      *testing.T
	mu     sync.Mutex
	topics map[string]heard
}

// listen subscribes to topics of any type.
func (g *graph) listen(topics ...string) *goListener {
	g.t.Helper()
	node, err := ros.NewNode(g.t.Context(), ros.Config{
		Name: "go_listener", Anonymous: true, MasterURI: g.uri, Host: "127.0.0.1", Log: zerolog.New(zerolog.NewTestWriter(g.t)),
	})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() {
		if err := node.Close(); err != nil {
			g.t.Error(err)
		}
	})
	l := &goListener{t: g.t, topics: map[string]heard{}}
	for _, topic := range topics {
		if _, err := node.Subscribe(ros.SubscriberOptions{Topic: topic}, func(m ros.Received) { l.hear(topic, m) }); err != nil {
			g.t.Fatal(err)
		}
	}
	for _, topic := range topics {
		g.awaitSubscriber(topic, node.Name())
	}
	return l
}

func (l *goListener) hear(topic string, m ros.Received) {
	content := m.Data
	if m.Header["type"] == "sensor_msgs/Image" {
		var err error
		if content, err = pixels(m.Data); err != nil {
			l.t.Errorf("%s: %v", topic, err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.topics[topic]
	l.topics[topic] = heard{m.Header["type"], m.Header["latching"], append(was.Hashes, hash(content))}
}

func (l *goListener) count(topic string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.topics[topic].Hashes)
}

// heard returns what was received so far.
func (l *goListener) heard(topic string) heard {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.topics[topic]
}

// awaitCounts waits until every topic has at least its count of messages.
func (l *goListener) awaitCounts(counts map[string]int) {
	l.t.Helper()
	defer func() {
		for topic := range counts {
			if l.t.Failed() {
				l.t.Logf("%d messages on %s", l.count(topic), topic)
			}
		}
	}()
	for topic, count := range counts {
		peer.Await(l.t, fmt.Sprintf("%d messages on %s", count, topic), func() bool { return l.count(topic) >= count })
	}
}

// pixels returns the data of a sensor_msgs/Image.
func pixels(message []byte) ([]byte, error) {
	d := msgs.NewDecoder(message)
	var head msgs.ImageHead
	head.Decode(d)
	return d.Raw(int(head.DataLen)), d.Err() // the SDK appends the depth units
}

func hash(content []byte) string {
	h := fnv.New64a()
	_, _ = h.Write(content) // never fails
	return fmt.Sprintf("%016x", h.Sum64())
}
