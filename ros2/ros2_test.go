package ros2

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rsros/msgs"
	mapping "rsros/msgs/ros2"
	"rsros/program/work"
	"rsros/ros2/internal/rtps"
	"rsros/test/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var domains atomic.Int32

// two returns nodes in a domain of their own, /a/talker and /listener.
func two(t *testing.T) (talker, listener *Node) {
	t.Helper()
	c := Config{Domain: 1 + (os.Getpid()*11+int(domains.Add(1)))%100, Range: Localhost}
	c.Name, c.Namespace = "talker", "/a"
	talker, err := Join(t.Context(), c)
	need.Must(t, err)
	t.Cleanup(talker.Close)
	c.Name, c.Namespace = "listener", ""
	listener, err = Join(t.Context(), c)
	need.Must(t, err)
	t.Cleanup(listener.Close)
	return talker, listener
}

// change waits until something is true of a node's graph.
func change(t *testing.T, n *Node, what string, is func(*Graph) bool) {
	t.Helper()
	changed := work.NewSignal()
	defer n.OnChange(changed.Set)()
	for limit := time.After(20 * time.Second); !is(n.Graph()); {
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("not within 20 s: %s; %+v", what, n.Graph())
		}
	}
}

func text(s string) msgs.Raw {
	var e msgs.Encoder
	e.BeginCDR()
	e.String(s)
	return msgs.Raw{Head: e.B}
}

const stringType = "std_msgs/msg/String"

func TestTopic(t *testing.T) {
	talker, listener := two(t)
	definition, hash, _ := mapping.Describe(stringType)
	p, err := talker.Advertise(PublisherOptions{Topic: "~/words", Type: stringType, Hash: hash, Definition: definition, QoS: QoS{Reliable: true, TransientLocal: true, Depth: 2}})
	need.Must(t, err)
	for _, s := range []string{"one", "two", "three"} {
		p.Publish(text(s))
	}
	const topic = "/a/talker/words"
	change(t, listener, "the publisher and its node", func(g *Graph) bool {
		list := g.Publishers(topic)
		return len(list) == 1 && list[0].Node == "/a/talker"
	})
	g := listener.Graph()
	if e := g.Publishers(topic)[0]; e.Type != stringType || e.Hash != hash || e.GUID != p.w.GUID() || !e.QoS.Reliable {
		t.Errorf("%+v", e)
	}
	if _, ok := g.Topics()[topic]; !ok || !slices.Contains(g.Services()["/a/talker/get_type_description"], describeType) {
		t.Errorf("topics %v, services %v", g.Topics(), g.Services())
	}
	qos := Offered(g.Publishers(topic), 5)
	if qos != (QoS{Reliable: true, TransientLocal: true, Depth: 5}) {
		t.Fatalf("offered %+v", qos)
	}
	heard := make(chan string, 10)
	var kept *Buffer
	var data []byte
	s, err := listener.Subscribe(SubscriberOptions{Topic: topic, Type: stringType, QoS: qos, Callback: func(r Received) {
		if kept == nil {
			kept, data = r.Retain(), r.Data
		}
		if r.Publisher != p.w.GUID() || time.Since(time.Unix(0, r.Time)).Abs() > time.Minute {
			t.Errorf("from %s at %d", r.Publisher, r.Time)
		}
		heard <- msgs.NewCDRDecoder(r.Data).String()
	}})
	need.Must(t, err)
	for _, want := range []string{"two", "three"} {
		if got := <-heard; got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
	if got := msgs.NewCDRDecoder(data).String(); got != "two" {
		t.Errorf("a retained message is %q", got)
	}
	kept.Release()
	if c := s.Counts()[p.w.GUID()]; c.Received != 2 || c.Lost != 0 {
		t.Errorf("counts %+v", c)
	}
	want, err := listener.Subscribe(SubscriberOptions{Topic: topic, Type: "std_msgs/msg/Empty", Callback: func(Received) {}})
	need.Must(t, err)
	change(t, talker, "both subscribers", func(g *Graph) bool { return len(g.Subscribers(topic)) == 2 })
	for _, e := range talker.Graph().Subscribers(topic) {
		if why := Mismatch(&g.Publishers(topic)[0], &e); (why == "") != (e.GUID == s.r.GUID()) {
			t.Errorf("%s: %q", e.GUID, why)
		}
	}
	want.Close()
	p.Close()
	change(t, listener, "the publisher has ended", func(g *Graph) bool { return len(g.Publishers(topic)) == 0 })
	talker.Close()
	change(t, listener, "the node has left", func(g *Graph) bool { return len(g.Participants) == 1 })
	if _, err := talker.Advertise(PublisherOptions{Topic: "a", Type: stringType}); err == nil {
		t.Error("a closed node publishes")
	}
}

func TestService(t *testing.T) {
	talker, listener := two(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := talker.Serve("echo", "a_msgs/srv/Echo", func(_ context.Context, b []byte) ([]byte, error) {
		return text("you said " + msgs.NewCDRDecoder(b).String()).Head, nil
	})
	need.Must(t, err)
	c, err := listener.NewClient("/a/echo", "a_msgs/srv/Echo")
	need.Must(t, err)
	for _, word := range []string{"one", "two"} {
		b, err := c.Call(ctx, text(word).Head)
		need.Must(t, err)
		if got := msgs.NewCDRDecoder(b).String(); got != "you said "+word {
			t.Errorf("answer %q", got)
		}
	}
	s.Close()
	short, end := context.WithTimeout(ctx, 100*time.Millisecond)
	defer end()
	if _, err := listener.Call(short, "/a/echo", "a_msgs/srv/Echo", text("three").Head); err == nil {
		t.Error("a service that has ended answers")
	}
}

func TestDescribeType(t *testing.T) {
	talker, listener := two(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, name := range []string{stringType, "sensor_msgs/msg/CameraInfo"} {
		definition, hash, ok := mapping.Describe(name)
		if !ok {
			t.Fatal(name)
		}
		if _, err := talker.Advertise(PublisherOptions{Topic: "a", Type: name, Hash: hash, Definition: definition}); err != nil {
			t.Fatal(err)
		}
		got, err := listener.DescribeType(ctx, "/a/talker", name, hash)
		if err != nil || got != definition {
			t.Errorf("%s: error %v, definition\n%s\nwant\n%s", name, err, got, definition)
		}
	}
	if _, err := listener.DescribeType(ctx, "/a/talker", stringType, "RIHS01_0"); err == nil || !strings.Contains(err.Error(), "it refuses") {
		t.Errorf("another hash: %v", err)
	}
}

func TestNames(t *testing.T) {
	n := &Node{config: Config{Name: "node", Namespace: "/a"}}
	for name, want := range map[string]string{
		"/b/c": "/b/c", "b": "/a/b", "~/b": "/a/node/b", "~": "/a/node", "": "", "/": "", "/1": "", "/a//b": "", "/a__b": "", "/a-b": "", "/ü": "",
	} {
		if got, err := n.resolve(name); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, error %v", name, got, err)
		}
	}
	for name, want := range map[string]string{"sensor_msgs/msg/Image": "sensor_msgs::msg::dds_::Image_", "Image": "", "a/b/c": "", "a/msg/b/c": ""} {
		got, err := ddsType(name, "")
		if got != want || (err == nil) != (want != "") || want != "" && rosType(got) != name {
			t.Errorf("%q: %q, error %v", name, got, err)
		}
	}
	for topic, want := range map[string]topicKind{"rt/a": rosTopic, "rq/aRequest": requestTopic, "rr/aReply": replyTopic, "rr/a": otherTopic, "a": otherTopic} {
		if name, got := rosName(topic); got != want || want != otherTopic && name != "/a" {
			t.Errorf("%s: %s, %v", topic, name, got)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		env         map[string]string
		domain      int
		within      Range
		peers       int
		unsupported string
		fails       string
	}{
		{env: nil},
		{env: map[string]string{"ROS_DOMAIN_ID": "42"}, domain: 42},
		{env: map[string]string{"ROS_DOMAIN_ID": "233"}, fails: "ROS_DOMAIN_ID"},
		{env: map[string]string{"ROS_DOMAIN_ID": "x"}, fails: "ROS_DOMAIN_ID"},
		{env: map[string]string{"ROS_LOCALHOST_ONLY": "1"}, within: Localhost},
		{env: map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_STATIC_PEERS": "192.0.2.1;192.0.2.2"}, within: Localhost, peers: 2},
		{env: map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}, within: Off},
		{env: map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "FAR"}, fails: "FAR"},
		{env: map[string]string{"ROS_DISCOVERY_SERVER": "a:1"}, unsupported: "ROS_DISCOVERY_SERVER"},
		{env: map[string]string{"ROS_SECURITY_ENABLE": "true"}, unsupported: "SROS2"},
		{env: map[string]string{"RMW_IMPLEMENTATION": "rmw_zenoh_cpp"}, unsupported: "rmw_zenoh_cpp"},
	} {
		got, unsupported, err := FromEnvironment(t.Context(), func(name string) string { return c.env[name] })
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%v: error %v", c.env, err)
			}
			continue
		}
		if err != nil || got.Domain != c.domain || got.Range != c.within || len(got.Peers) != c.peers || !strings.Contains(strings.Join(unsupported, "\n"), c.unsupported) || (len(unsupported) > 0) != (c.unsupported != "") {
			t.Errorf("%v: %+v, %q, %v", c.env, got, unsupported, err)
		}
	}
}

// FuzzDecode reads what other nodes send to this one itself.
func FuzzDecode(f *testing.F) {
	prefix := rtps.Prefix{1}
	var e msgs.Encoder
	e.BeginCDR()
	e.Raw(make([]byte, 16))
	e.Len(1)
	g := prefix.GUID(rtps.UserEntity(1, rtps.KindReader))
	(&nodeInfo{namespace: "/", name: "a", readers: []GUID{g}, writers: []GUID{g}}).encode(&e)
	f.Add(e.B)
	f.Add(append([]byte{0, 1, 0, 0, 1}, make([]byte, 60)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeInfo(b, prefix)     //nolint:errcheck // most of it is malformed
		decodeDescription(b, "a") //nolint:errcheck // the same
		var e msgs.Encoder
		e.BeginCDR()
		d := msgs.NewCDRDecoder(b)
		if v := decodeValue(d); d.Err() == nil {
			if (v == nil) != (typeOf(v) == typeNotSet) {
				t.Fatalf("%v has the type %d", v, typeOf(v))
			}
			encodeValue(&e, v)
			if again := decodeValue(msgs.NewCDRDecoder(e.B)); typeOf(again) != typeOf(v) {
				t.Fatalf("%v is %v", v, again)
			}
		}
	})
}
