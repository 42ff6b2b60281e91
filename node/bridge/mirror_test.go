package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/ros"
	"rsros/ros/graph"
	dds "rsros/ros2"
	"rsros/test/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// worlds returns a node without a ROS 1 graph, its mirror, and another node of ROS 2.
func worlds(t *testing.T, o Options) (*graph.Node, *Mirror, *dds.Node) {
	t.Helper()
	domain := 102 + os.Getpid()%100
	t.Setenv("ROS_DOMAIN_ID", strconv.Itoa(domain))
	t.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	n, m, err := Join(t.Context(), ROS2, graph.JoinOptions{Name: "camera", Log: zerolog.Nop()}, o)
	need.Must(t, err)
	t.Cleanup(func() {
		m.Close()
		need.Must(t, n.Close())
	})
	other, err := dds.Join(t.Context(), dds.Config{Name: "listener", Domain: domain, Range: dds.Localhost, Log: zerolog.Nop()})
	need.Must(t, err)
	t.Cleanup(other.Close)
	return n, m, other
}

// receive returns what arrives on a topic.
func receive(t *testing.T, n *dds.Node, topic, typ string, latched bool) <-chan []byte {
	t.Helper()
	got := make(chan []byte, 10)
	s, err := n.Subscribe(dds.SubscriberOptions{
		Topic: topic, Type: typ, QoS: dds.QoS{Reliable: true, TransientLocal: latched, Depth: 10},
		Callback: func(r dds.Received) { got <- bytes.Clone(r.Data) },
	})
	need.Must(t, err)
	t.Cleanup(s.Close)
	return got
}

func next(t *testing.T, got <-chan []byte) []byte {
	t.Helper()
	select {
	case b := <-got:
		return b
	case <-time.After(20 * time.Second):
		t.Fatal("nothing arrived within 20 s")
		return nil
	}
}

type counted struct{ n atomic.Int32 }

func (c *counted) Release() { c.n.Add(1) }

// TestMirror publishes in ROS 1, in all the ways in which a message may be in memory, and compares what a node
// of ROS 2 receives with what convert writes.
func TestMirror(t *testing.T) {
	rename := func(topic string) string { return "/front" + topic }
	n, m, other := worlds(t, Options{Name: "eye", Namespace: "/front", Rename: rename})
	head := msgs.ImageHead{Header: msgs.Header{Seq: 7, Stamp: 1_600_000_000_123_456_789, FrameID: "lens"}, Height: 3, Width: 50_000, Encoding: "mono8", Step: 50_000, DataLen: 150_000}
	pixels := bytes.Repeat([]byte{1, 2, 3}, 50_000)
	image := append(msgs.Marshal(&head), pixels...)
	text := msgs.Marshal(&msgs.String{Data: "hello"})
	owner := &counted{}
	for _, c := range []struct {
		topic, typ string
		latch      bool
		send       msgs.Raw
		whole      []byte
	}{
		{"/parts", "sensor_msgs/Image", false, msgs.Raw{Head: image[:len(image)-len(pixels)], Body: pixels, Owner: owner}, image},
		{"/recorded", "sensor_msgs/Image", false, msgs.Raw{Body: append(image, 1, 2, 3), Owner: owner}, image},
		{"/kept", "sensor_msgs/Image", true, msgs.Raw{Head: image}, image},
		{"/text", "std_msgs/String", false, msgs.Raw{Head: text[:4], Body: text[4:6], Tail: text[6:]}, text},
		{"/empty", "std_msgs/Empty", false, msgs.Raw{}, nil},
	} {
		typ := msgs.MustType(c.typ)
		e, err := ros2.NewEncoder(typ.Name, typ.Definition)
		need.Must(t, err)
		want, _, err := e.Convert(nil, c.whole)
		need.Must(t, err)
		p, err := n.Advertise(ros.PublisherOptions{Topic: c.topic, Type: typ, Latch: c.latch})
		need.Must(t, err)
		if c.latch {
			p.Publish(c.send)
		}
		got := receive(t, other, rename(c.topic), e.Type, c.latch)
		if !c.latch {
			awaitSubscriber(t, p)
			need.Must(t, p.PublishWait(t.Context(), c.send))
		}
		if b := next(t, got); !bytes.HasPrefix(b, want) || len(b) >= len(want)+4 { // RTPS pads to 4 bytes
			t.Errorf("%s: received %d bytes that differ from the %d of convert", c.topic, len(b), len(want))
		}
		p.Close()
	}
	need.Must(t, m.Drain(t.Context()))
	if got := other.Graph(); len(got.Publishers("/parts")) > 0 {
		t.Errorf("a topic has its name of ROS 1, too: %+v", got.Endpoints)
	}
	if released := owner.n.Load(); released != 2 {
		t.Errorf("%d of 2 bodies were released", released)
	}
}

// awaitSubscriber waits until the publisher has the mirror as its subscriber.
func awaitSubscriber(t *testing.T, p *ros.Publisher) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for tick := time.NewTicker(5 * time.Millisecond); p.Subscribers() == 0; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("no subscriber within 20 s")
		}
	}
}

// TestServices calls a node's services in ROS 2.
func TestServices(t *testing.T) {
	n, _, other := worlds(t, Options{Name: "eye", Namespace: "/front"})
	var paused atomic.Bool
	services, err := graph.Offer(n.Node,
		graph.SetBool("~pause", func(_ context.Context, on bool) (string, error) { paused.Store(on); return "now paused", nil }),
		graph.Trigger("/stop", func(context.Context) (string, error) { return "", errors.New("it runs on") }))
	need.Must(t, err)
	defer services.Close()
	call := func(name, typ string, request ...byte) string {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		answer, err := other.Call(ctx, name, typ, append([]byte{0, 1, 0, 0}, request...))
		need.Must(t, err)
		d := msgs.NewCDRDecoder(answer)
		return fmt.Sprint(d.Bool(), " ", string(d.Text()))
	}
	if got := call("/front/eye/pause", "std_srvs/srv/SetBool", 1); got != "true now paused" || !paused.Load() {
		t.Errorf("pause: %s, paused %v", got, paused.Load())
	}
	if got := call("/stop", "std_srvs/srv/Trigger", 0); got != "false it runs on" {
		t.Errorf("stop: %s", got)
	}
}

// TestEnvironmentIsChecked joins with an environment that is wrong.
func TestEnvironmentIsChecked(t *testing.T) {
	t.Setenv("ROS_DOMAIN_ID", "many")
	if _, _, err := Join(t.Context(), ROS2, graph.JoinOptions{Name: "camera", Log: zerolog.Nop()}, Options{}); err == nil {
		t.Error("joined domain \"many\"")
	}
}
