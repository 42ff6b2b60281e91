package e2e

import (
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bluenviron/goroslib/v2"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/sensor_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/std_msgs"

	"rsros/test/need"
	"rsros/test/peer"
)

// goroslibNode is a goroslib node, an independent participant.
func (g *graph) goroslibNode(name string) *goroslib.Node {
	g.t.Helper()
	n, err := goroslib.NewNode(goroslib.NodeConf{
		Name: name, MasterAddress: net.JoinHostPort("127.0.0.1", g.port()), Host: "127.0.0.1",
	})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(n.Close)
	return n
}

// goroslibListens subscribes to an image topic with goroslib.
func (g *graph) goroslibListens(topic string) *goListener {
	g.t.Helper()
	l := &goListener{t: g.t, topics: map[string]heard{}}
	n := g.goroslibNode("goroslib_listener_" + filepath.Base(g.t.TempDir()))
	s, err := goroslib.NewSubscriber(goroslib.SubscriberConf{Node: n, Topic: topic, Callback: func(m *sensor_msgs.Image) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.topics[topic] = heard{Type: "sensor_msgs/Image", Hashes: append(l.topics[topic].Hashes, hash(m.Data))}
	}})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(s.Close)
	return l
}

// TestRecordGoroslib records what a goroslib node publishes.
func TestRecordGoroslib(t *testing.T) {
	g := onMaster(t)
	p, err := goroslib.NewPublisher(goroslib.PublisherConf{
		Node: g.goroslibNode("goroslib_talker"), Topic: "/talk", Msg: &std_msgs.String{},
	})
	need.Must(t, err)
	defer p.Close()
	bag := filepath.Join(t.TempDir(), "talk.bag")
	record := g.start(peer.Program(t), "record", "-O", bag, "-l", "20", "/talk")
	for every := time.NewTicker(20 * time.Millisecond); !record.Ended(); <-every.C {
		p.Write(&std_msgs.String{Data: "said"})
	}
	if code := record.Wait(); code != 0 {
		t.Errorf("record ended with %d", code)
	}
	g.wantContains([]string{"messages:    20", "std_msgs/String [992ce8a1687cec8c8bd883ec73ca41d1]"}, "rosbag", "info", bag)
}

// TestGoroslibListens checks that goroslib gets the same images as ros, frame by frame.
func TestGoroslibListens(t *testing.T) {
	g := onMaster(t)
	const topic = "/camera/color/image_raw"
	theirs, ours := g.goroslibListens(topic), g.listen(topic)
	g.start(peer.Program(t), append([]string{"live"}, smallCamera...)...)
	g.awaitAudience(2, topic)
	from := ours.count(topic)
	ours.awaitCounts(map[string]int{topic: from + 10})
	want := ours.heard(topic).Hashes[from : from+10]
	peer.Await(t, "the same 10 images at goroslib", func() bool { return holdsRound(theirs.heard(topic).Hashes, want) })
}

// TestGoroslibExample runs the example for goroslib's users against a camera.
func TestGoroslibExample(t *testing.T) {
	g := onMaster(t)
	program := filepath.Join(t.TempDir(), "example")
	if out, err := exec.Command("go", "build", "-race", "-o", program, "rsros/examples/goroslib").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	g.start(peer.Program(t), append([]string{"live"}, smallCamera...)...)
	g.awaitService("/pause_playback")
	out := g.run(program, "-images", "3")
	for _, text := range []string{
		"camera_depth_optical_frame: 424x240, colour is 14.8 mm beside it\n",
		"pause_playback true: Playback is now paused\npause_playback false: Playback is now resumed\nimage ",
	} {
		if !strings.Contains(out, text) {
			t.Errorf("the example prints no %q:\n%s", text, out)
		}
	}
	if n := strings.Count(out, " m straight ahead\n"); n != 4 {
		t.Errorf("the example saw %d images, want 4:\n%s", n, out)
	}
}
