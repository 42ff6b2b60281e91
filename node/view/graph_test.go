package view

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/bridge"
	"rsros/record"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/test/visitor"
	"rsros/tools/info"
	"rsros/viewer"
	"rsros/viewer/api"
	"rsros/viewer/guard"
)

// publish advertises a topic of texts.
func publish(t *testing.T, n *ros.Node, topic string, latch bool) *ros.Publisher {
	t.Helper()
	p, err := n.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType("std_msgs/String"), Latch: latch})
	need.Must(t, err)
	return p
}

func text(s string) msgs.Raw { return msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: s})} }

func contains(s string) func(visitor.Message) bool {
	return func(m visitor.Message) bool { return string(m.Body) == `{"data":"`+s+`"}` }
}

// A graph is shown as it changes. A topic is subscribed to while somebody watches it, and
// each viewer gets what is latched.
func TestGraph(t *testing.T) {
	m := rig.Master(t)
	n := rig.Node(t, m, "talker")
	var joined atomic.Int32
	var once int32
	chart, err := n.Advertise(ros.PublisherOptions{Topic: "/map", Type: msgs.MustType("std_msgs/String"), Latch: true, OnSubscriber: func(count int) { joined.Add(int32(count)) }})
	need.Must(t, err)
	chart.Publish(text("here be dragons"))
	chat := publish(t, n, "/chat", false)
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		join := graph.JoinOptions{ROS: graph.Config{MasterURI: m.URI(), Host: "127.0.0.1"}, Name: "view", Unique: true, Log: zerolog.Nop()}
		ended <- Run(ctx, join, bridge.ROS1, viewer.RunOptions{Ready: func(url string) { address <- url }})
	}()
	defer func() {
		stop()
		need.Must(t, <-ended)
	}()
	page := <-address
	both := func(s *api.Source) bool { return s.Kind == "graph" && has(s, "/map") && has(s, "/chat") }
	first := visitor.DialViewer(t, page)
	ids := first.Source(both)
	if chart.Subscribers()+chat.Subscribers() != 0 {
		t.Error("what nobody watches is subscribed to")
	}
	for _, v := range []*visitor.Viewer{first, visitor.DialViewer(t, page)} {
		if v != first {
			ids = v.Source(both)
		}
		v.Subscribe(ids["/map"])
		v.Await(contains("here be dragons"))
		if v == first {
			once = joined.Load() // and the type was asked for
		}
	}
	first.Subscribe(ids["/chat"])
	peer.Await(t, "the viewer to subscribe", func() bool { return chat.Subscribers() == 1 })
	chat.Publish(text("hello"))
	first.Await(contains("hello"))
	first.Send("unsubscribe", visitor.Object{"stream": ids["/chat"]})
	peer.Await(t, "the viewer to unsubscribe", func() bool { return chat.Subscribers() == 0 })
	for _, op := range []string{"seek", "step", "rate", "loop", "range", "option", "record.start", "record.stop", "record.pause", "record.split", "record.mark", "record.trigger"} {
		if _, ok := first.Ask(op, visitor.Object{"time": "0", "rate": 1}); ok {
			t.Errorf("%s of a graph", op)
		}
	}
	first.Must("pause", nil)
	first.Must("play", nil)
	// Topics that come and go don't disturb the others.
	late := publish(t, n, "/late", true)
	late.Publish(text("late"))
	with := first.Source(func(s *api.Source) bool { return has(s, "/late") })
	first.Subscribe(with["/late"])
	first.Await(contains("late"))
	first.Send("unsubscribe", visitor.Object{"stream": with["/late"]}) // or the topic stays, for its subscriber
	late.Close()
	without := first.Source(func(s *api.Source) bool { return !has(s, "/late") })
	if with["/map"] != ids["/map"] || without["/map"] != ids["/map"] {
		t.Errorf("/map has the numbers %d, %d, %d", ids["/map"], with["/map"], without["/map"])
	}
	chart.Publish(text("and lions"))
	first.Await(contains("and lions"))
	if n := joined.Load() - once; n != 0 {
		t.Errorf("/map was subscribed to again, %d times", n)
	}
}

func has(s *api.Source, topic string) bool {
	for _, x := range s.Streams {
		if x.Name == topic && x.Kind == "topic" && x.Type == "std_msgs/String" {
			return true
		}
	}
	return false
}

// A recording's page shows what is recorded, and pauses, splits and ends the recording, as
// its services do.
func TestRecording(t *testing.T) {
	m := rig.Master(t)
	n := rig.Node(t, m, "talker")
	chart := publish(t, n, "/map", true)
	chart.Publish(text("here be dragons"))
	publish(t, n, "/other", false)
	bag := filepath.Join(t.TempDir(), "walk.bag")
	url, ended := make(visitor.Address, 1), make(chan error, 1)
	log := zerolog.New(url)
	go func() {
		ended <- record.Topics(context.WithoutCancel(t.Context()), record.Options{
			Topics: []string{"/map"}, Output: bag, ROS: graph.Config{Name: "recorder", MasterURI: m.URI(), Host: "127.0.0.1"}, Log: log,
			Show: ShowRecording(Options{Access: Access{Access: guard.Access{Address: "127.0.0.1:0"}}}),
		})
	}()
	at := <-url
	page := visitor.DialViewer(t, at)
	ids := page.Source(func(s *api.Source) bool { return has(s, "/map") })
	if len(ids) != 1 {
		t.Errorf("recorded topics %v", ids)
	}
	r := page.Await(func(m visitor.Message) bool { return m.Op == "record" && m.Record.Bytes > 0 }).Record
	if len(r.Table) != 1 || r.Table[0].Name != "/map" || r.Table[0].Type != "std_msgs/String" {
		t.Errorf("table %+v", r.Table)
	}
	if !r.On || r.Paused || r.File != "walk.bag" || len(r.Streams) != 1 || r.Streams[0] != ids["/map"] || r.Free == 0 {
		t.Errorf("record %+v", r)
	}
	page.Subscribe(ids["/map"])
	page.Await(contains("here be dragons"))
	rig.SetBool(t, n, "/recorder/pause_recording", true)
	page.Await(func(m visitor.Message) bool { return m.Op == "record" && m.Record.Paused })
	page.Must("record.pause", visitor.Object{"on": false})
	if _, ok := page.Ask("record.trigger", nil); ok {
		t.Error("a trigger without a ring")
	}
	page.Must("record.mark", nil)
	for do, want := range map[string]int{"mark": http.StatusNoContent, "trigger": http.StatusConflict, "start": http.StatusNotFound} {
		answer, err := http.Post(strings.TrimSuffix(at, "/")+"/api/record/"+do, "", nil)
		need.Must(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("POST %s: %s", do, answer.Status)
		}
	}
	page.Must("record.split", nil)
	if _, ok := page.Ask("record.split", nil); ok {
		t.Error("a viewer began two files at once")
	}
	chart.Publish(text("a split"))
	page.Await(func(m visitor.Message) bool { return m.Op == "record" && m.Record.Part == 2 })
	if _, ok := page.Ask("record.start", nil); ok {
		t.Error("a second recording began")
	}
	page.Must("record.stop", nil)
	need.Must(t, <-ended)
	marks := 0
	for _, path := range []string{bag, strings.Replace(bag, ".bag", "_1.bag", 1)} {
		b := samplebag.Open(t, path)
		for range info.Annotations(t.Context(), b) {
			marks++
		}
		_ = b.Close()
	}
	if marks != 2 {
		t.Errorf("%d marks", marks)
	}
	if names := samplebag.Names(t, bag); len(names) != 2 {
		t.Errorf("files %q", names)
	}
}
