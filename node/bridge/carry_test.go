package bridge

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/ros"
	"rsros/ros/graph"
	dds "rsros/ros2"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// carried returns nodes of both graphs, and starts a bridge with each selection.
func carried(t *testing.T, log *rig.Log, bridges ...CarryOptions) (one *ros.Node, two *dds.Node) {
	t.Helper()
	domain := 102 + os.Getpid()%100
	t.Setenv("ROS_DOMAIN_ID", strconv.Itoa(domain))
	t.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	m := rig.Master(t)
	one = rig.Node(t, m, "one")
	two, err := dds.Join(t.Context(), dds.Config{Name: "two", Domain: domain, Range: dds.Localhost, Log: zerolog.Nop()})
	need.Must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i, o := range bridges {
		// Of one process and one millisecond, they would have the same name.
		o.ROS = graph.Config{Name: fmt.Sprint("bridge", i), MasterURI: m.URI(), Host: "127.0.0.1"}
		o.Log = zerolog.New(log)
		wg.Go(func() {
			if err := Carry(ctx, o); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
		cancel()
		wg.Wait()
		two.Close()
	})
	return one, two
}

// first publishes until something arrives: a bridge that asks for a topic's type counts as a subscriber, too.
func first(t *testing.T, got <-chan []byte, publish func()) []byte {
	t.Helper()
	for range 20 {
		publish()
		select {
		case b := <-got:
			return b
		case <-time.After(time.Second):
		}
	}
	t.Fatal("nothing arrived within 20 s")
	return nil
}

// TestCarry carries messages both ways by two bridges at once: each arrives once, as convert writes it.
func TestCarry(t *testing.T) {
	var log rig.Log
	all := CarryOptions{All: true, Exclude: []string{"/left/.*"}}
	one, two := carried(t, &log, all, all)
	bridge, err := dds.Join(t.Context(), dds.Config{Name: "three", Domain: 102 + os.Getpid()%100, Range: dds.Localhost, UserData: mark + "=~;", Log: zerolog.Nop()})
	need.Must(t, err)
	defer bridge.Close()
	pixels := bytes.Repeat([]byte{1, 2, 3}, 50_000)
	head := msgs.ImageHead{Header: msgs.Header{Stamp: 1_600_000_000_123_456_789, FrameID: "lens"}, Height: 3, Width: 50_000, Encoding: "mono8", Step: 50_000, DataLen: 150_000}
	image := append(msgs.Marshal(&head), pixels...)
	text := msgs.Marshal(&msgs.String{Data: "hello"})
	for _, c := range []struct {
		topic, typ string
		latch      bool
		message    []byte
	}{
		{"/image", "sensor_msgs/Image", false, image},
		{"/kept", "std_msgs/String", true, text},
		{"/1/text", "std_msgs/String", false, text},
		{"/empty", "std_msgs/Empty", false, nil},
		{"/own", "own_msgs/Pair", false, []byte{1, 0, 0, 0, 2}},
	} {
		typ := msgs.Type{Name: "own_msgs/Pair", MD5: "0123456789abcdef0123456789abcdef", Definition: "uint32 a\nuint8 b\n"}
		if c.typ != typ.Name {
			typ = msgs.MustType(c.typ)
		} else if spec, err := msgs.Parse(typ.Name, typ.Definition); err == nil {
			typ.MD5 = spec.MD5()
		}
		e, err := ros2.NewEncoder(typ.Name, typ.Definition)
		need.Must(t, err)
		inCDR, _, err := e.Convert(nil, c.message)
		need.Must(t, err)

		// To ROS 2.
		p, err := one.Advertise(ros.PublisherOptions{Topic: "/from1" + c.topic, Type: typ, Latch: c.latch})
		need.Must(t, err)
		got := receive(t, two, allowed("/from1"+c.topic), e.Type, c.latch)
		if b := first(t, got, func() { p.Publish(msgs.Raw{Head: c.message}) }); !bytes.HasPrefix(b, inCDR) || len(b) >= len(inCDR)+4 {
			t.Errorf("%s to ROS 2: %d bytes that differ from the %d of convert", c.topic, len(b), len(inCDR))
		}

		// To ROS 1. Nothing comes back on the same topic, which both publish.
		both := allowed("/both" + c.topic)
		back, err := one.Advertise(ros.PublisherOptions{Topic: both, Type: typ, Latch: c.latch})
		need.Must(t, err)
		q, err := two.Advertise(dds.PublisherOptions{Topic: both, Type: e.Type, Hash: e.Hash, Definition: e.Definition, QoS: dds.QoS{Reliable: true, TransientLocal: c.latch}})
		need.Must(t, err)
		seen := make(chan []byte, 10)
		listen := func() *ros.Subscriber {
			s, err := one.Subscribe(ros.SubscriberOptions{Topic: both, Others: true}, func(r ros.Received) { seen <- bytes.Clone(r.Data) })
			need.Must(t, err)
			return s
		}
		s := listen()
		brought, err := bridge.Advertise(dds.PublisherOptions{Topic: both, Type: e.Type, Hash: e.Hash, QoS: dds.QoS{Reliable: true, TransientLocal: c.latch}})
		need.Must(t, err)
		echo := receive(t, two, both, e.Type, c.latch)
		first(t, echo, func() { back.Publish(msgs.Raw{Head: c.message}) })
		if !c.latch {
			peer.Await(t, "a subscriber of "+both, func() bool { return q.Subscribers() > 0 })
		}
		brought.Publish(msgs.Raw{Head: inCDR}) // only echo gets it
		next(t, echo)
		q.Publish(msgs.Raw{Head: inCDR})
		if b := next(t, seen); !bytes.Equal(b, c.message) {
			t.Errorf("%s to ROS 1: %d bytes that differ from the %d", c.topic, len(b), len(c.message))
		}
		back.Publish(msgs.Raw{Head: c.message})
		next(t, echo)
		p.Publish(msgs.Raw{Head: c.message})
		next(t, got) // what would go in circles or arrive twice has come by now
		if len(got)+len(seen)+len(echo) > 0 {
			t.Errorf("%s: %d, %d and %d messages more than were published", c.topic, len(got), len(seen), len(echo))
		}
		s.Close()
		if c.latch {
			s = listen()
			if b := next(t, seen); !bytes.Equal(b, c.message) {
				t.Errorf("%s: a late subscriber got %q", c.topic, b)
			}
			s.Close()
		}
		for _, close := range []func(){p.Close, q.Close, back.Close, brought.Close} {
			close()
		}
	}
	if _, err := one.Advertise(ros.PublisherOptions{Topic: "/left/out", Type: msgs.MustType("std_msgs/String")}); err != nil {
		t.Fatal(err)
	}
	peer.Await(t, "the end of a topic", func() bool { return len(two.Graph().Publishers("/from1/own")) == 0 })
	if got := two.Graph(); len(got.Publishers("/left/out"))+len(got.Publishers("/rosout")) > 0 {
		t.Error("what is excluded was carried")
	}
}

// TestCarryServices calls services from the other ROS, and names those that aren't carried.
func TestCarryServices(t *testing.T) {
	var log rig.Log
	both := CarryOptions{Regex: true, Names: []string{"/(front|back)/.*"}}
	one, two := carried(t, &log, both, both)
	var calls atomic.Int32
	services, err := graph.Offer(one,
		graph.Trigger("/front/one", func(context.Context) (string, error) { calls.Add(1); return "from one", nil }),
		graph.Service{Name: "/front/other", Type: "dynamic_reconfigure/Reconfigure"},
		graph.Service{Name: "/front/info", Type: "realsense2_camera/DeviceInfo"})
	need.Must(t, err)
	defer services.Close()
	_, err = two.Serve("/back/two", "std_srvs/srv/SetBool", func(_ context.Context, b []byte) ([]byte, error) {
		var e msgs.Encoder
		e.BeginCDR()
		e.Bool(b[4] == 1)
		e.String("from two")
		return e.B, nil
	})
	need.Must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	answer, err := two.Call(ctx, "/front/one", "std_srvs/srv/Trigger", []byte{0, 1, 0, 0, 0})
	need.Must(t, err)
	if d := msgs.NewCDRDecoder(answer); !d.Bool() || d.String() != "from one" || calls.Load() != 1 {
		t.Errorf("%q after %d calls", answer, calls.Load())
	}
	peer.AwaitService(t, one, "/back/two")
	answer, err = one.CallService(ctx, "/back/two", msgs.MustService("std_srvs/SetBool"), []byte{1})
	need.Must(t, err)
	if d := msgs.NewDecoder(answer); !d.Bool() || d.String() != "from two" {
		t.Errorf("%q", answer)
	}
	peer.Await(t, "a refusal", func() bool { return log.Count("its type is realsense2_camera/DeviceInfo") > 0 })
	if log.Count("/front/other") > 0 {
		t.Error("a service of ROS 1's own is named")
	}
	services.Close()
	peer.Await(t, "the end of a service", func() bool { return len(two.Graph().Services()["/front/one"]) == 0 })
}

// TestCarryChecks refuses what can't be.
func TestCarryChecks(t *testing.T) {
	m := rig.Master(t)
	for want, o := range map[string]CarryOptions{
		"missing": {Regex: true, Names: []string{"("}}, "not a": {Names: []string{"/1 2"}},
	} {
		o.ROS, o.Log = graph.Config{MasterURI: m.URI(), Host: "127.0.0.1"}, zerolog.Nop()
		if err := Carry(t.Context(), o); err == nil {
			t.Errorf("%s: no error", want)
		}
	}
}
