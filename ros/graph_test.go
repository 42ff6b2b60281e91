package ros

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bluenviron/goroslib/v2"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/std_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/std_srvs"
	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
)

func TestParams(t *testing.T) {
	m := startMaster(t)
	n := startConfig(t, Config{Name: "n", Namespace: "/ns", MasterURI: m.uri(),
		PrivateParams: map[string]any{"rate": 30}, Remaps: map[string]string{"old": "new"}})
	tree, ok, err := n.Param(t.Context(), "~") // at once: private parameters are there before the first answer
	if err != nil || !ok || !reflect.DeepEqual(tree, map[string]any{"rate": 30}) {
		t.Errorf("private parameters %v %v %v", tree, ok, err)
	}
	changes := make(chan any, 20)
	sub, err := n.SubscribeParam("new", func(v any) { changes <- v })
	need.Must(t, err)
	if v := <-changes; v != nil {
		t.Errorf("first value %v", v)
	}
	for _, v := range []any{1, 2.5, "s", true, []any{1, "a"}, map[string]any{"k": 1}} {
		need.Must(t, n.SetParam(t.Context(), "old", v))
		if got, ok, err := n.Param(t.Context(), "/ns/new"); err != nil || !ok || !reflect.DeepEqual(got, v) {
			t.Errorf("%v: %v %v %v", v, got, ok, err)
		}
		if got := <-changes; !reflect.DeepEqual(got, v) {
			t.Errorf("change to %v, want %v", got, v)
		}
	}
	need.Must(t, n.SetParam(t.Context(), "new/k2", 7))
	if got := <-changes; !reflect.DeepEqual(got, map[string]any{"k": 1, "k2": 7}) {
		t.Errorf("change below gave %v", got)
	}
	need.Must(t, n.DeleteParam(t.Context(), "new"))
	if got := <-changes; got != nil {
		t.Errorf("deletion gave %v", got)
	}
	if _, ok, err := n.Param(t.Context(), "new"); ok || err != nil {
		t.Errorf("deleted: %v %v", ok, err)
	}
	if err := n.SetParam(t.Context(), "new", struct{}{}); err == nil {
		t.Error("a struct was set")
	}
	if err := n.SetParam(t.Context(), "a b", 1); err == nil {
		t.Error("a bad name was set")
	}
	sub.Close()
	sub.Close()
}

func TestSimTime(t *testing.T) {
	m := startMaster(t)
	a, b := startNode(t, m, "a"), startNode(t, m, "b")
	if err := b.WaitForTime(t.Context()); err != nil || time.Since(b.Now()) > time.Hour {
		t.Errorf("wall time %v, %v", b.Now(), err)
	}
	need.Must(t, a.SetParam(t.Context(), "/use_sim_time", true))
	peer.Await(t, "simulated time", func() bool { return b.Now().Unix() == 0 })
	clock := msgs.MustType("rosgraph_msgs/Clock")
	p := advertise(t, a, PublisherOptions{Topic: "/clock", Type: clock, Latch: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := b.WaitForTime(ctx); err != context.DeadlineExceeded {
		t.Errorf("waiting for /clock: %v", err)
	}
	want := time.Unix(1234, 567)
	p.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.Clock{Clock: msgs.FromTime(want)})})
	c := startConfig(t, Config{Name: "c", MasterURI: m.uri(), Remaps: map[string]string{"/clock": "/other"}})
	peer.Await(t, "simulated time", func() bool { return c.Now().Unix() == 0 })
	if _, err := c.shutdown("/a", []any{"rosnode kill"}); err != nil {
		t.Fatal(err)
	}
	if err := c.WaitForTime(t.Context()); err != ErrClosed {
		t.Errorf("waiting for /clock after rosnode kill: %v", err)
	}
	if err := b.WaitForTime(t.Context()); err != nil || !b.Now().Equal(want) {
		t.Errorf("simulated time %v, %v", b.Now(), err)
	}
	need.Must(t, a.SetParam(t.Context(), "/use_sim_time", false))
	peer.Await(t, "wall time again", func() bool { return time.Since(b.Now()) < time.Hour })
}

func TestRosout(t *testing.T) {
	m := startMaster(t)
	out := NewLogWriter(zerolog.InfoLevel)
	log := zerolog.New(out).Hook(out)
	log.Warn().Int("frames", 7).Str("caller", "main.go:42").Msg("before the node")
	taken := make(chan string, 1)
	n, err := NewNode(t.Context(), Config{Name: "n", Host: "127.0.0.1", MasterURI: m.uri(), Log: log, Rosout: out,
		OnLog: func(m *msgs.Log) {
			select {
			case taken <- m.Msg:
			default: // only the first is examined
			}
		}})
	need.Must(t, err)
	defer n.Close()
	listener := startNode(t, m, "listener")
	got := make(chan msgs.Log, 300)
	subscribe(t, listener, SubscriberOptions{Topic: "/rosout"}, func(r Received) {
		var m msgs.Log
		if err := msgs.Unmarshal(r.Data, &m); err != nil {
			t.Error(err)
		}
		if m.Name == "/n" {
			got <- m
		}
	})
	next := func(text string) msgs.Log {
		for m := range got {
			if strings.Contains(m.Msg, text) {
				return m
			}
		}
		return msgs.Log{}
	}
	// Published before there were subscribers: only the last line is latched.
	first := next("before the node")
	if first.Level != msgs.LogWarn || first.Msg != "before the node frames=7" || first.File != "main.go" || first.Line != 42 || first.Topics[0] != "/rosout" {
		t.Errorf("%+v", first)
	}
	if text := <-taken; text != first.Msg {
		t.Errorf("OnLog got %q", text)
	}
	nodeLog := n.Log()
	nodeLog.Debug().Msg("not said")
	nodeLog.Error().Err(fmt.Errorf("disk full")).Msg("cannot write")
	if m := next("cannot"); m.Level != msgs.LogError || m.Msg != `cannot write error="disk full"` {
		t.Errorf("%+v", m)
	}
	synced(t, n) // else the service may not be registered yet
	request := msgs.Marshal(&msgs.Logger{Name: "ros", Level: "DEBUG"})
	if _, err := listener.CallService(t.Context(), "/n/set_logger_level", msgs.MustService("roscpp/SetLoggerLevel"), request); err != nil {
		t.Fatal(err)
	}
	nodeLog.Debug().Msg("said now")
	if m := next("now"); m.Level != msgs.LogDebug {
		t.Errorf("%+v", m)
	}
	bad := msgs.Marshal(&msgs.Logger{Name: "ros", Level: "loud"})
	if _, err := listener.CallService(t.Context(), "/n/set_logger_level", msgs.MustService("roscpp/SetLoggerLevel"), bad); err == nil {
		t.Error("a bad level was accepted")
	}
	for range 1000 { // exceeds the queue: must not block
		nodeLog.Info().Msg("flood")
	}
	peer.Await(t, "room", func() bool { return len(out.Lines()) == 0 })
	nodeLog.Info().Msg("last words")
	n.Close()
	next("last words")
}

// goroslib's Node is an independent peer: topics and services in both directions.
func TestGoroslib(t *testing.T) {
	need.UDP(t) // goroslib opens one
	m := startMaster(t)
	n := startNode(t, m, "ours")
	other, err := goroslib.NewNode(goroslib.NodeConf{Name: "peer", Host: "127.0.0.1", MasterAddress: m.addr})
	need.Must(t, err)
	defer other.Close()
	o := stringType
	o.Topic, o.Latch = "to_peer", true
	p := advertise(t, n, o)
	p.Publish(stringMessage("latched"))
	heard := make(chan string, 10)
	sub, err := goroslib.NewSubscriber(goroslib.SubscriberConf{Node: other, Topic: "to_peer", Callback: func(m *std_msgs.String) { heard <- m.Data }})
	need.Must(t, err)
	defer sub.Close()
	if got := <-heard; got != "latched" {
		t.Errorf("got %q", got)
	}
	pub, err := goroslib.NewPublisher(goroslib.PublisherConf{Node: other, Topic: "from_peer", Msg: &std_msgs.String{}, Latch: true})
	need.Must(t, err)
	defer pub.Close()
	pub.Write(&std_msgs.String{Data: "back"})
	var c collector
	subscribe(t, n, SubscriberOptions{Topic: "from_peer", Type: o.Type}, c.add)
	peer.Await(t, "goroslib's message", func() bool { return c.len() == 1 })
	if got := c.all()[0]; got != "\x04\x00\x00\x00back" {
		t.Errorf("got %q", got)
	}
	setBool := msgs.MustService("std_srvs/SetBool")
	offer(t, n, "ours_srv", setBool, func(_ context.Context, req []byte) ([]byte, error) {
		return append(req[:1:1], 2, 0, 0, 0, 'o', 'k'), nil
	})
	synced(t, n)
	client, err := goroslib.NewServiceClient(goroslib.ServiceClientConf{Node: other, Name: "ours_srv", Srv: &std_srvs.SetBool{}})
	need.Must(t, err)
	defer client.Close()
	res := std_srvs.SetBoolRes{}
	if err := client.Call(&std_srvs.SetBoolReq{Data: true}, &res); err != nil || !res.Success || res.Message != "ok" {
		t.Errorf("%+v, %v", res, err)
	}
	provider, err := goroslib.NewServiceProvider(goroslib.ServiceProviderConf{Node: other, Name: "peer_srv", Srv: &std_srvs.SetBool{},
		Callback: func(req *std_srvs.SetBoolReq) (*std_srvs.SetBoolRes, bool) {
			return &std_srvs.SetBoolRes{Success: req.Data, Message: "hi"}, true
		}})
	need.Must(t, err)
	defer provider.Close()
	got, err := n.CallService(t.Context(), "peer_srv", setBool, []byte{1})
	if err != nil || string(got) != "\x01\x02\x00\x00\x00hi" {
		t.Errorf("%q, %v", got, err)
	}
}
