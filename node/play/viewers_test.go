package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/view"
	"rsros/replay"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/test/visitor"
	"rsros/viewer/api"
	"rsros/viewer/guard"
)

// The page of a replay and its services control one player: each sees the other's changes. Both receive
// messages.
func TestViewers(t *testing.T) {
	m := rig.Master(t)
	n := rig.Node(t, m, "judge")
	heard := make(chan string, 1000)
	sub, err := n.Subscribe(ros.SubscriberOptions{Topic: "/count"}, func(r ros.Received) { heard <- msgs.NewDecoder(r.Data).String() })
	need.Must(t, err)
	defer sub.Close()

	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(visitor.Address, 1), make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{
			ROS: ros.Config{Name: "player", MasterURI: m.URI(), Host: "127.0.0.1"}, Bags: []string{samplebag.Walk(t, "walk.bag")},
			HTTP: view.Access{Access: guard.Access{Address: "127.0.0.1:0"}}, Replay: replay.Settings{Paused: true, Loop: true, Rate: 10}, LossyOK: true, Log: zerolog.New(address),
		})
	}()
	defer func() {
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("play ended with %v", err)
		}
	}()
	at := <-address
	page := visitor.DialViewer(t, at)
	ids := page.Source(func(s *api.Source) bool { return s.Kind == "file" && s.Name == "walk.bag" }) // before the player is shown, nothing is
	if len(ids) != 3 || ids["/count"] == 0 {
		t.Fatalf("topics %v", ids)
	}
	page.Subscribe(ids["/count"])
	rig.SetBool(t, n, "/pause_playback", false)
	page.Await(func(m visitor.Message) bool { return m.Op == "state" && m.Playing })
	var tree struct{ Data string }
	body := page.Await(func(m visitor.Message) bool { return m.Body != nil }).Body
	if err := json.Unmarshal(body, &tree); err != nil || tree.Data == "" {
		t.Errorf("the page got %q", body)
	}
	<-heard
	page.Must("pause", nil)
	rig.SetBool(t, n, "/pause_playback", false) // it was paused for the service, too
	page.Must("rate", visitor.Object{"rate": 0.5})
	page.Must("pause", nil)
	for len(heard) > 0 {
		<-heard
	}
	page.Must("seek", visitor.Object{"time": "1700000000500000000"})
	page.Await(func(m visitor.Message) bool { return string(m.Body) == `{"data":"50"}` })
	page.Must("step", visitor.Object{"sets": 1})
	for text := <-heard; text != "50"; text = <-heard { //nolint:revive // what was on its way
	}

	// A Foxglove client controls the same player.
	c := visitor.DialFoxglove(t, "ws"+strings.TrimPrefix(at, "http"))
	if e := c.AwaitOp("serverInfo"); !strings.Contains(string(e.Text), `"dataStartTime":{"sec":1700000000,`) {
		t.Errorf("Foxglove was told %s", e.Text)
	}
	c.SendBinary(3, byte(1), float32(2), byte(1), uint64(1700000000300000000), "seek")
	e := c.Await("the state of playback", func(e visitor.Event) bool { return e.PlayRequest == "seek" })
	if e.State != 1 || e.Time != 1700000000300000000 || e.Speed != 2 || !e.DidSeek {
		t.Errorf("after a seek of Foxglove the state is %+v", e)
	}
	page.Await(func(m visitor.Message) bool { return m.Op == "state" && m.Rate == 2 })
	page.Must("play", nil)
	c.Await("the page's command", func(e visitor.Event) bool { return e.Opcode == 5 && e.State == 0 })
}

// The page shows processed frames also after a seek while paused, and to a viewer who joins then.
func TestViewersSeeWhatIsComputed(t *testing.T) {
	_, o := cameraGraph(t)
	const points = "/camera/depth/color/points"
	address, ended := make(visitor.Address, 1), make(chan error, 1)
	o.Wrapper.PointCloud, o.HTTP, o.Log = true, view.Access{Access: guard.Access{Address: "127.0.0.1:0"}}, zerolog.New(address)
	o.Replay = replay.Settings{Paused: true, Loop: true}
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- Run(ctx, o) }()
	defer func() {
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("play ended with %v", err)
		}
	}()
	at := <-address
	stamped := func(body []byte) msgs.Time {
		var h msgs.Header
		h.Decode(msgs.NewDecoder(body))
		return h.Stamp
	}
	page := visitor.DialViewer(t, at)
	var source *api.Source
	ids := page.Source(func(s *api.Source) bool { source = s; return s.Kind == "file" })
	page.Subscribe(ids[points])
	first := page.Await(func(m visitor.Message) bool { return m.Body != nil }).Body
	page.Must("seek", visitor.Object{"time": source.End})
	last := page.Await(func(m visitor.Message) bool { return m.Body != nil && stamped(m.Body) > stamped(first) }).Body
	again := visitor.DialViewer(t, at)
	again.Source(func(s *api.Source) bool { return s.Kind == "file" })
	again.Subscribe(ids[points])
	if got := again.Await(func(m visitor.Message) bool { return m.Body != nil }).Body; !bytes.Equal(got, last) {
		t.Errorf("who comes while paused gets points of %v, want %v", stamped(got), stamped(last))
	}
	page.Must("seek", visitor.Object{"time": source.Start})
	page.Await(func(m visitor.Message) bool { return bytes.Equal(m.Body, first) })
}
