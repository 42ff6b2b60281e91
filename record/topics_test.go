package record

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/program"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/ros/xmlrpc"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/tools/info"
)

// advertise returns a publisher with a node of its own, until the test ends.
func advertise(t *testing.T, master string, o ros.PublisherOptions) (*ros.Node, *ros.Publisher) {
	t.Helper()
	n := rig.NodeAt(t, master, "talker_of_"+o.Topic[1:])
	p, err := n.Advertise(o)
	need.Must(t, err)
	return n, p
}

// talker publishes the same text until the test ends.
func talker(t *testing.T, master, topic, text string) {
	t.Helper()
	_, p := advertise(t, master, ros.PublisherOptions{Topic: topic, Type: msgs.MustType("std_msgs/String"), Latch: true})
	p.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: text})})
}

// points publishes messages of /point with numbers for all subscribers.
func points(t *testing.T, master string, numbers ...byte) (*ros.Node, *ros.Publisher) {
	t.Helper()
	n, p := advertise(t, master, ros.PublisherOptions{Topic: "/point", Type: msgs.MustType("geometry_msgs/PointStamped"), LatchAll: true})
	for _, seq := range numbers {
		p.Publish(msgs.Raw{Head: append([]byte{seq}, make([]byte, 39)...)})
	}
	return n, p
}

// start returns a recording of topics that has begun.
func start(t *testing.T, o Options) (*Recording, <-chan error) {
	t.Helper()
	began, ended := make(chan *Recording, 1), make(chan error, 1)
	o.Show = func(_ *graph.Node, r *Recording) (func() error, error) {
		began <- r
		return func() error { return nil }, nil
	}
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go func() { ended <- Topics(ctx, o) }()
	select {
	case r := <-began:
		return r, ended
	case err := <-ended:
		t.Fatal(err)
	}
	return nil, nil
}

// config returns the options of a recorder in the test's graph.
func config(t *testing.T, master string, o Options) Options {
	t.Helper()
	if o.Output == "" {
		o.Output = filepath.Join(t.TempDir(), "x.bag")
	}
	o.ROS = graph.Config{MasterURI: master, Host: "127.0.0.1"}
	o.Log = zerolog.New(zerolog.NewTestWriter(t))
	return o
}

// each calls do for the messages of a recording.
func each(t *testing.T, path string, do func(bagstore.Message)) {
	t.Helper()
	r, err := recording.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer r.Close()
	samplebag.Each(t, do, r)
}

// summarize summarizes a bag.
func summarize(t *testing.T, path string) (*info.Summary, error) {
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return info.Summarize(t.Context(), b, info.Options{})
}

// recorded returns the number of messages of each topic in a bag.
func recorded(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	s, err := summarize(t, path)
	need.Must(t, err)
	counts := map[string]uint64{}
	for _, topic := range s.Topics {
		counts[topic.Topic] = topic.Messages
	}
	return counts
}

// TestTopicNamedTwice checks that a topic is recorded once, under its full name.
func TestTopicNamedTwice(t *testing.T) {
	master := rig.Master(t).URI()
	talker(t, master, "/chatter", "hi")
	o := config(t, master, Options{Topics: []string{"chatter", "/chatter"}, Thinning: Thinning{Limit: []string{"1"}}})
	need.Must(t, Topics(t.Context(), o))
	if got := recorded(t, o.Output); len(got) != 1 || got["/chatter"] != 1 {
		t.Errorf("recorded %v", got)
	}
}

// TestIllegalTopicInGraph checks that a name that ROS refuses is left out while the others are
// recorded.
func TestIllegalTopicInGraph(t *testing.T) {
	master := rig.Master(t).URI()
	talker(t, master, "/chatter", "hi")
	if _, err := xmlrpc.Call(t.Context(), http.DefaultClient, master, "registerPublisher", "/stranger", "/bad-name", "std_msgs/String", "http://127.0.0.1:1/"); err != nil {
		t.Fatal(err)
	}
	o := config(t, master, Options{All: true})
	if err := until(t, o, "/chatter", 1); !errors.Is(err, program.ErrIncomplete) || !strings.Contains(err.Error(), "/bad-name") {
		t.Errorf("ended with %v", err)
	}
	if got := recorded(t, o.Output); got["/bad-name"] != 0 || got["/chatter"] != 1 {
		t.Errorf("recorded %v", got)
	}
}

// until runs a recorder until its active file holds n messages of a topic.
func until(t *testing.T, o Options, topic string, n uint64) error {
	t.Helper()
	o.Bag.Checkpoint = time.Millisecond // so that the file tells what it holds
	r, ended := start(t, o)
	peer.Await(t, "messages of "+topic, holds(t, o.Output+activeSuffix, topic, n))
	r.Stop()
	return <-ended
}

// holds reports whether a bag holds n messages of a topic.
func holds(t *testing.T, path, topic string, n uint64) func() bool {
	return func() bool {
		s, err := summarize(t, path)
		return err == nil && slices.ContainsFunc(s.Topics, func(i info.TopicSummary) bool { return i.Topic == topic && i.Messages >= n })
	}
}

// TestNodeTopics checks that --node records what a node subscribes to.
func TestNodeTopics(t *testing.T) {
	master := rig.Master(t).URI()
	talker(t, master, "/chatter", "hi")
	talker(t, master, "/other", "ho")
	if _, err := rig.NodeAt(t, master, "listener").Subscribe(ros.SubscriberOptions{Topic: "/chatter"}, func(ros.Received) {}); err != nil {
		t.Fatal(err)
	}
	o := config(t, master, Options{Node: "listener"})
	need.Must(t, until(t, o, "/chatter", 1))
	if got := recorded(t, o.Output); got["/other"] != 0 || got["/chatter"] != 1 {
		t.Errorf("recorded %v", got)
	}
}

// TestWaitsForClock checks that in simulated time a recording begins with the first /clock, and that
// its duration is in that time.
func TestWaitsForClock(t *testing.T) {
	master := rig.Master(t).URI()
	joined, err := graph.Join(t.Context(), graph.JoinOptions{ROS: graph.Config{MasterURI: master, Host: "127.0.0.1", Name: "clock"}})
	need.Must(t, err)
	defer joined.Close() //nolint:errcheck // at the end
	n := joined.Node
	need.Must(t, n.SetParam(t.Context(), "/use_sim_time", true))
	talker(t, master, "/chatter", "hi")
	o := config(t, master, Options{Topics: []string{"/chatter"}, TotalTime: time.Hour})
	o.ROS.Name = "recorder"
	ended := make(chan error, 1)
	go func() { ended <- Topics(t.Context(), o) }()
	clock, err := n.Advertise(ros.PublisherOptions{Topic: "/clock", Type: msgs.MustType("rosgraph_msgs/Clock"), Latch: true})
	need.Must(t, err)
	peer.Await(t, "the recorder at /clock", func() bool {
		topics, err := joined.SubscribedTopics(t.Context(), "/recorder")
		return err == nil && slices.Contains(topics, "/clock")
	})
	if _, err := os.Stat(o.Output + activeSuffix); err == nil {
		t.Error("recording has begun before the first time")
	}
	tick := func(at time.Duration) {
		clock.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.Clock{Clock: msgs.Time(at)})})
	}
	tick(1000 * time.Second)
	peer.Await(t, "the file", func() bool { _, err := os.Stat(o.Output + activeSuffix); return err == nil })
	tick(1000*time.Second + time.Hour)
	if err := <-ended; err != nil && !isEmpty(err) { // the message may come late
		t.Error(err)
	}
	s, err := summarize(t, o.Output)
	need.Must(t, err)
	if s.Messages > 0 && s.Start < bagstore.NewTime(1000, 0) {
		t.Errorf("the bag starts at %v", s.Start)
	}
}

// TestHungMaster checks that a master that stops answering delays neither a limit nor the end.
func TestHungMaster(t *testing.T) {
	hung := make(chan struct{})
	master := rig.Master(t).URI()
	back, err := url.Parse(master)
	need.Must(t, err)
	var hang atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(back)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hang.Load() {
			select {
			case <-hung:
			case <-r.Context().Done():
			}
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	defer close(hung)
	talker(t, master, "/chatter", "hi")
	o := config(t, front.URL, Options{All: true})
	r, ended := start(t, o)
	hang.Store(true)
	r.Stop()
	if err := <-ended; err != nil && !isEmpty(err) {
		t.Errorf("ended with %v", err)
	}
}

// isEmpty reports whether a recording has ended without messages, and has said so.
func isEmpty(err error) bool {
	return errors.Is(err, program.ErrIncomplete) && strings.HasSuffix(err.Error(), ": no message came")
}

// A time limit expires also with a master that hangs.
func TestDurationBesideAHungMaster(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and never answers
	need.Must(t, err)
	defer l.Close()
	err = Topics(t.Context(), Options{
		All: true, TotalTime: time.Millisecond, Output: filepath.Join(t.TempDir(), "none.bag"), Log: zerolog.Nop(),
		ROS: graph.Config{MasterURI: "http://" + l.Addr().String(), Host: "127.0.0.1"},
	})
	if !isEmpty(err) {
		t.Error(err)
	}
}

// TestMissing checks that messages missing by the publisher's numbers are in the log and in the
// summary, and are no failure of the recorder.
func TestMissing(t *testing.T) {
	master := rig.Master(t).URI()
	points(t, master, 1, 2, 5)
	var log bytes.Buffer
	o := config(t, master, Options{Topics: []string{"/point"}, Thinning: Thinning{Limit: []string{"3"}}})
	o.Log = zerolog.New(zerolog.SyncWriter(&log))
	need.Must(t, Topics(t.Context(), o))
	for _, want := range []string{`"topic":"/point","lost":2,`, `; 2 messages were lost before arrival (gaps in header.seq): a publisher's queue was full, `} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in %s", want, &log)
		}
	}
}
