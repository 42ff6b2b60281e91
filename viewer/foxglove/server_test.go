package foxglove

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/visitor"
)

func TestBeginning(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		want    []string
		ranged  bool
	}{
		"looking on":          {Options{}, []string{"connectionGraph", "parameters", "parametersSubscribe"}, false},
		"control":             {Options{Control: true}, []string{"connectionGraph", "parameters", "parametersSubscribe", "clientPublish", "services"}, false},
		"looking on playback": {Options{Playback: newPlayer()}, []string{"connectionGraph", "parameters", "parametersSubscribe", "time"}, false},
		"playback": {Options{Playback: newPlayer(), Control: true}, []string{"connectionGraph", "parameters", "parametersSubscribe",
			"clientPublish", "services", "time", "playbackControl"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Source = newFake()
			_, url := start(t, test.options)
			c := visitor.DialFoxglove(t, url)
			var info serverInfo
			first, err := c.Next()
			need.Must(t, err)
			first.Decode(t, &info)
			if first.Op != "serverInfo" || info.Name != "test" || info.SessionID == "" || info.Metadata["ROS_DISTRO"] != "noetic" || !slices.Equal(info.SupportedEncodings, []string{"ros1"}) {
				t.Errorf("the first message is %s", first.Text)
			}
			if !slices.Equal(info.Capabilities, test.want) {
				t.Errorf("capabilities %q, expected %q", info.Capabilities, test.want)
			}
			if (info.DataStartTime != nil) != test.ranged || test.ranged && (*info.DataStartTime != stamp{10, 0} || *info.DataEndTime != stamp{20, 5}) {
				t.Errorf("data from %v to %v", info.DataStartTime, info.DataEndTime)
			}
			if second, err := c.Next(); err != nil || string(second.Text) != `{"op":"advertise","channels":[]}` {
				t.Errorf("the second message is %s, %v", second.Text, err)
			}
		})
	}
}

// TestSubprotocols checks which subprotocols are accepted and which is preferred.
func TestSubprotocols(t *testing.T) {
	_, url := start(t, Options{Source: newFake()})
	for offered, chosen := range map[string]string{
		"foxglove.websocket.v1":                 "foxglove.websocket.v1",
		"foxglove.websocket.v1 foxglove.sdk.v1": "foxglove.sdk.v1",
		"foxglove.sdk.v2 foxglove.sdk.v1 x":     "foxglove.sdk.v1",
		"foxglove.sdk.v2":                       "",
		"":                                      "",
	} {
		c, answer, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: strings.Fields(offered)})
		if err != nil {
			if chosen != "" || answer.StatusCode != http.StatusBadRequest {
				t.Errorf("%q: %v", offered, err)
			}
			continue
		}
		if c.Subprotocol() != chosen {
			t.Errorf("of %q, %q was chosen", offered, c.Subprotocol())
		}
		c.CloseNow() //nolint:errcheck // it served its purpose
	}
	for header, want := range map[string]bool{"foxglove.sdk.v9": true, "a, foxglove.websocket.v1": true, "rs-ros.view.v1": false, "": false} {
		r := &http.Request{Header: http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Protocol": {header}}}
		if new(Server).Offered(r) != want {
			t.Errorf("Offered(%q) is %t", header, !want)
		}
	}
}

func TestChannels(t *testing.T) {
	f := newFake("/a")
	for i := range 250 {
		f.state.Topics = append(f.state.Topics, Topic{Name: fmt.Sprintf("/more/%03d", i), Type: stringType})
	}
	_, c := begin(t, f)
	a := c.AwaitChannel("/a")
	if a.Encoding != "ros1" || a.SchemaEncoding != "ros1msg" || a.SchemaName != "std_msgs/String" || a.Schema != stringType.Definition {
		t.Errorf("/a is advertised as %+v", a)
	}
	c.AwaitChannel("/more/249")
	if len(c.Channels) != 251 {
		t.Errorf("%d channels", len(c.Channels))
	}
	old := f.state.Topics
	f.change(func(s *State) { s.Topics = old[1:] })
	c.Await("/a to go", func(e visitor.Event) bool { return e.Op == "unadvertise" })
	if len(c.Channels) != 250 {
		t.Errorf("%d channels without /a", len(c.Channels))
	}
	other := Topic{Name: "/a", Type: msgs.MustType("std_msgs/Empty")}
	f.change(func(s *State) { s.Topics = append(slices.Clone(old[1:]), other) })
	if changed := c.AwaitChannel("/a"); changed.ID == a.ID {
		t.Error("a topic of another type has the old one's number")
	}
	f.change(func(s *State) { s.Topics = old })
	c.Await("the first /a", func(visitor.Event) bool { return c.Channels["/a"].SchemaName == "std_msgs/String" })
	if c.Channels["/a"].ID != a.ID {
		t.Errorf("the number of /a was %d and is %d", a.ID, c.Channels["/a"].ID)
	}
	// A subscription ends with the topic. The next one is a new one, whatever the client does with the first.
	c.Subscribe(1, "/a")
	peer.Await(t, "the subscription", func() bool { return f.subscribers("/a") == 1 })
	f.change(func(s *State) { s.Topics = old[1:] })
	c.Await("/a to go", func(e visitor.Event) bool { return e.Op == "unadvertise" })
	f.change(func(s *State) { s.Topics = old })
	c.Subscribe(2, "/a")
	c.Send(map[string]any{"op": "unsubscribe", "subscriptionIds": []int{1}})
	peer.Await(t, "the next subscription", func() bool { return f.subscribers("/a") == 1 })
	f.publish("/a", 42, "again")
	c.Await("a message", func(e visitor.Event) bool {
		if e.Op == "status" {
			t.Errorf("the server says %s", e.Text)
		}
		return isMessage(e) && e.ID == 2
	})
}

// TestOneSubscriptionForAll checks that two clients of a topic share one subscription, but each have
// their own of a latched topic.
func TestOneSubscriptionForAll(t *testing.T) {
	f := newFake("/a")
	f.state.Topics = append(f.state.Topics, Topic{Name: "/latched", Type: stringType, Latched: true})
	s, url := start(t, Options{Source: f})
	one, two := visitor.DialFoxglove(t, url), visitor.DialFoxglove(t, url)
	for _, c := range []*visitor.Foxglove{one, two} {
		c.Subscribe(5, "/a")
		c.Subscribe(6, "/latched")
	}
	peer.Await(t, "the subscriptions", func() bool { return f.subscribers("/latched") == 2 && len(subscriptions(s, "/a")) == 2 })
	if n := f.subscribers("/a"); n != 1 {
		t.Errorf("%d subscriptions of /a, expected one for both clients", n)
	}
	m := f.publish("/a", 42, "head", "bo", "dy")
	for _, c := range []*visitor.Foxglove{one, two} {
		if e := c.Await("a message", isMessage); e.ID != 5 || e.Time != 42 || string(e.Data) != "headbody" {
			t.Errorf("received %+v", e)
		}
	}
	peer.Await(t, "the memory to be released", func() bool { return m.refs.Load() == 0 })
	one.Send(map[string]any{"op": "unsubscribe", "subscriptionIds": []int{5}})
	peer.Await(t, "one to have unsubscribed", func() bool { return len(subscriptions(s, "/a")) == 1 })
	two.Close()
	peer.Await(t, "two to have left", func() bool { return f.subscribers("/a") == 0 && f.subscribers("/latched") == 1 })
	one.Close()
	peer.Await(t, "everything to be quiet", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.changed == nil
	})
}

func isMessage(e visitor.Event) bool { return e.Opcode == opMessage }

// subscriptions returns the clients' subscriptions of a topic.
func subscriptions(s *Server, topic string) (list []*subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients.All() {
		for _, sub := range c.subs {
			if sub != nil && sub.channel.Name == topic {
				list = append(list, sub)
			}
		}
	}
	return list
}

// TestErrors checks the responses to invalid requests.
func TestErrors(t *testing.T) {
	type m = map[string]any
	subscribe := func(id int, channel uint32) m {
		return m{"op": "subscribe", "subscriptions": []m{{"id": id, "channelId": channel}}}
	}
	publish := func(id int, more m) m {
		ch := m{"id": id, "topic": "/t", "encoding": "ros1", "schemaName": "std_msgs/String"}
		for k, v := range more {
			ch[k] = v
		}
		return m{"op": "advertise", "channels": []m{ch}}
	}
	for name, test := range map[string]struct {
		send  []any // text messages, or bytes of a binary one
		level level
		text  string
	}{
		"not an object":        {[]any{7}, levelError, "Invalid message: JSON"},
		"no op":                {[]any{m{}}, levelError, "Invalid message: JSON: there is no op"},
		"unknown op":           {[]any{m{"op": "dance"}}, levelError, `Invalid message: unknown op "dance"`},
		"unknown opcode":       {[]any{[]byte{77}}, levelError, "Invalid message: unknown opcode 77"},
		"unknown channel":      {[]any{subscribe(1, 99)}, levelError, "Unknown channel 99"},
		"channel twice":        {[]any{subscribe(1, 1), subscribe(2, 1)}, levelWarning, "Channel 1 is subscribed already"},
		"id in use":            {[]any{subscribe(1, 1), subscribe(1, 2)}, levelError, "Subscription id 1 is in use"},
		"unknown subscription": {[]any{m{"op": "unsubscribe", "subscriptionIds": []int{3}}}, levelWarning, "Unknown subscription id 3"},
		"assets":               {[]any{m{"op": "fetchAsset", "uri": "package://x", "requestId": 1}}, levelError, "the capability assets isn't declared"},
		"playback":             {[]any{append([]byte{3, 0}, make([]byte, 17)...)}, levelError, "the capability playbackControl isn't declared"},
		"client channel twice": {[]any{publish(1, nil), publish(1, nil)}, levelWarning, "the id is in use"},
		"unknown type":         {[]any{publish(1, m{"schemaName": "my_msgs/Own"})}, levelError, `the type "my_msgs/Own" isn't known here`},
		"bad schema":           {[]any{publish(1, m{"schemaName": "my_msgs/Own", "schema": "float 1 2 3"})}, levelError, "its schema"},
		"client encoding":      {[]any{publish(1, m{"encoding": "cdr"})}, levelError, `the encoding is "cdr", expected ros1`},
		"bad topic":            {[]any{publish(1, m{"topic": "t"})}, levelError, "not a topic"},
		"no client channel":    {[]any{m{"op": "unadvertise", "channelIds": []int{4}}}, levelWarning, "Unknown client channel 4"},
		"publish to none":      {[]any{[]byte{1, 4, 0, 0, 0}}, levelError, "Unknown client channel 4"},
		"refused parameter":    {[]any{m{"op": "setParameters", "parameters": []m{{"name": "/refused", "value": 1}}}}, levelError, "Parameter can't be set: refused"},
		"large parameter":      {[]any{m{"op": "setParameters", "parameters": []m{{"name": "/n", "value": int64(1 << 40)}}}}, levelError, "doesn't fit into 32 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := begin(t, newFake("/a", "/b"))
			c.AwaitChannel("/b")
			for _, message := range test.send {
				if b, ok := message.([]byte); ok {
					c.SendBinary(b[0], b[1:])
				} else {
					c.Send(message)
				}
			}
			var got status
			c.AwaitOp("status").Decode(t, &got)
			if got.Level != test.level || !strings.Contains(got.Message, test.text) {
				t.Errorf("status %d %q, expected %d %q", got.Level, got.Message, test.level, test.text)
			}
		})
	}
}

// TestLookingOn checks what a client without control may not do.
func TestLookingOn(t *testing.T) {
	f := newFake("/a")
	f.state.Services = []Service{{"/s", msgs.MustService("std_srvs/Trigger")}}
	_, url := start(t, Options{Source: f, Playback: newPlayer()})
	for name, send := range map[string]func(*visitor.Foxglove){
		"may not publish": func(c *visitor.Foxglove) {
			c.Send(map[string]any{"op": "advertise", "channels": []map[string]any{{"id": 1, "topic": "/t", "encoding": "ros1", "schemaName": "std_msgs/String"}}})
		},
		"may not set parameters": func(c *visitor.Foxglove) {
			c.Send(map[string]any{"op": "setParameters", "parameters": []map[string]any{{"name": "/p", "value": 1}}})
		},
		"may not call services":          func(c *visitor.Foxglove) { c.SendBinary(2, uint32(1), uint32(1), "ros1") },
		"playbackControl isn't declared": func(c *visitor.Foxglove) { c.SendBinary(3, byte(0), float32(1), byte(0), uint64(0), "") },
	} {
		c := visitor.DialFoxglove(t, url)
		c.AwaitChannel("/a")
		send(c)
		var got status
		c.AwaitOp("status").Decode(t, &got)
		if got.Level != levelError || !strings.Contains(got.Message, name) {
			t.Errorf("status %d %q, expected %q", got.Level, got.Message, name)
		}
		if len(c.Services) > 0 {
			t.Error("services are advertised to a client that may not call them")
		}
	}
	if len(f.published)+len(f.values) > 0 {
		t.Errorf("published %q, set %v", f.published, f.values)
	}
}

func TestTooManyFaults(t *testing.T) {
	_, c := begin(t, newFake())
	for range maxFaults {
		c.Send(map[string]any{"op": "nonsense"})
	}
	for {
		_, err := c.Next()
		var closed websocket.CloseError
		if errors.As(err, &closed) && closed.Code == websocket.StatusPolicyViolation {
			return
		}
		if err != nil {
			t.Fatalf("the connection ended with %v", err)
		}
	}
}

func TestClientPublishes(t *testing.T) {
	f := newFake()
	_, c := begin(t, f)
	c.Send(map[string]any{"op": "advertise", "channels": []map[string]any{
		{"id": 1, "topic": "/known", "encoding": "ros1", "schemaName": "std_msgs/String"},
		{"id": 2, "topic": "/own", "encoding": "ros1", "schemaName": "my_msgs/Own", "schema": "int8 a", "schemaEncoding": "ros1msg"}}})
	c.SendBinary(1, uint32(1), []byte("one"))
	c.SendBinary(1, uint32(2), []byte("two"))
	c.Send(map[string]any{"op": "unadvertise", "channelIds": []int{1}})
	peer.Await(t, "three notes", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.published) == 3 })
	c.Close()
	want := []string{"/known std_msgs/String one", "/own my_msgs/Own two", "/known std_msgs/String closed", "/own my_msgs/Own closed"}
	peer.Await(t, "the client's end", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return slices.Equal(f.published, want) })
}

func TestServices(t *testing.T) {
	f := newFake()
	f.state.Services = []Service{{"/echo", msgs.MustService("std_srvs/SetBool")}}
	waiting := make(chan struct{})
	f.call = func(ctx context.Context, request []byte) ([]byte, error) {
		switch string(request) {
		case "fail":
			return nil, errors.New("it failed")
		case "wait":
			waiting <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return append([]byte("re: "), request...), nil
	}
	_, c := begin(t, f)
	id := c.AwaitService("/echo")
	c.SendBinary(2, id, uint32(7), "ros1", []byte("hello"))
	if e := c.Await("the response", func(e visitor.Event) bool { return e.Opcode == opServiceResponse }); e.ID != id || e.Call != 7 || e.Encoding != "ros1" || string(e.Data) != "re: hello" {
		t.Errorf("the response is %+v", e)
	}
	fails := func(why string) {
		t.Helper()
		var got serviceCallFailure
		c.AwaitOp("serviceCallFailure").Decode(t, &got)
		if got.Call != 8 || !strings.Contains(got.Message, why) {
			t.Errorf("failure %+v, expected %q", got, why)
		}
		var said status
		c.AwaitOp("status").Decode(t, &said)
		if said.Level != levelError || !strings.Contains(said.Message, why) {
			t.Errorf("status %+v, expected %q", said, why)
		}
	}
	c.SendBinary(2, id, uint32(8), "ros1", []byte("fail"))
	fails("it failed")
	c.SendBinary(2, id+1, uint32(8), "ros1")
	fails("there is no such service")
	c.SendBinary(2, id, uint32(8), "cdr")
	fails(`the encoding is "cdr"`)
	for range maxCalls { // the calls before are answered, so none of them counts
		c.SendBinary(2, id, uint32(9), "ros1", []byte("wait"))
		<-waiting
	}
	c.SendBinary(2, id, uint32(8), "ros1", []byte("wait"))
	fails("under way already")
	c.Close() // ends the calls
}

func TestParameterRequests(t *testing.T) {
	f := newFake()
	f.state.Params = Flatten(map[string]any{"a": 1, "b": map[string]any{"c": 2.0, "d": "x"}})
	_, url := start(t, Options{Source: f, Control: true})
	c, other := visitor.DialFoxglove(t, url), visitor.DialFoxglove(t, url)
	values := func(c *visitor.Foxglove, id string) (list map[string]any) {
		t.Helper()
		for {
			var got parameterValues
			c.AwaitOp("parameterValues").Decode(t, &got)
			if got.ID != id {
				continue
			}
			list = make(map[string]any)
			for _, p := range got.Parameters {
				v, err := p.value()
				need.Must(t, err)
				list[p.Name] = v
			}
			return list
		}
	}
	expect := func(got, want map[string]any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("parameters %v, expected %v", got, want)
		}
	}
	c.Send(map[string]any{"op": "getParameters", "parameterNames": []string{}, "id": "all"})
	expect(values(c, "all"), map[string]any{"/a": 1, "/b/c": 2.0, "/b/d": "x"})
	c.Send(map[string]any{"op": "getParameters", "parameterNames": []string{"/b/c", "/none"}, "id": "some"})
	expect(values(c, "some"), map[string]any{"/b/c": 2.0})
	other.Send(map[string]any{"op": "subscribeParameterUpdates", "parameterNames": []string{"/a", "/b/d"}})
	other.Send(map[string]any{"op": "getParameters", "parameterNames": []string{"/a"}, "id": "subscribed"})
	values(other, "subscribed")
	c.Send(map[string]any{"op": "setParameters", "id": "set", "parameters": []map[string]any{
		{"name": "/a", "value": 5, "type": "float64"}, {"name": "/b/c", "value": 7}, {"name": "/b/d"}}})
	expect(values(c, "set"), map[string]any{"/a": 5.0, "/b/c": 7})
	expect(values(other, ""), map[string]any{"/a": 5.0})
	expect(values(other, ""), map[string]any{"/b/d": nil})
	f.mu.Lock()
	expect(f.values, map[string]any{"/a": 5.0, "/b/c": 7, "/b/d": nil})
	f.mu.Unlock()
	other.Send(map[string]any{"op": "unsubscribeParameterUpdates", "parameterNames": []string{"/a"}})
	other.Send(map[string]any{"op": "getParameters", "parameterNames": []string{"/a"}, "id": "unsubscribed"})
	values(other, "unsubscribed")
	f.change(func(s *State) { s.Params = map[string]any{"/a": 9, "/b/d": "new"} })
	expect(values(other, ""), map[string]any{"/b/d": "new"})
}

func TestConnectionGraph(t *testing.T) {
	f := newFake()
	f.state.Publishers = map[string][]string{"/a": {"/n1", "/n2"}, "/b": {"/n1"}}
	f.state.Subscribers = map[string][]string{"/a": {"/n3"}}
	f.state.Providers = map[string][]string{"/s": {"/n1"}}
	_, c := begin(t, f)
	c.Send(map[string]any{"op": "subscribeConnectionGraph"})
	next := func(want string) {
		t.Helper()
		if got := string(c.AwaitOp("connectionGraphUpdate").Text); got != want {
			t.Errorf("the update is\n%s, expected\n%s", got, want)
		}
	}
	next(`{"op":"connectionGraphUpdate","publishedTopics":[{"name":"/a","publisherIds":["/n1","/n2"]},` +
		`{"name":"/b","publisherIds":["/n1"]}],"subscribedTopics":[{"name":"/a","subscriberIds":["/n3"]}],` +
		`"advertisedServices":[{"name":"/s","providerIds":["/n1"]}],"removedTopics":[],"removedServices":[]}`)
	f.change(func(s *State) {
		s.Publishers = map[string][]string{"/a": {"/n1"}}
		s.Providers = nil
	})
	next(`{"op":"connectionGraphUpdate","publishedTopics":[{"name":"/a","publisherIds":["/n1"]},` +
		`{"name":"/b","publisherIds":[]}],"subscribedTopics":[],"advertisedServices":[],` +
		`"removedTopics":["/b"],"removedServices":["/s"]}`)
}

// TestClose closes the server while clients are connected and waiting.
func TestClose(t *testing.T) {
	f := newFake("/a")
	s, url := start(t, Options{Source: f})
	c := visitor.DialFoxglove(t, url)
	c.Subscribe(1, "/a")
	peer.Await(t, "the subscription", func() bool { return len(subscriptions(s, "/a")) == 1 })
	var all []*memory
	for range 20 { // more than the sockets buffer
		all = append(all, f.publish("/a", 1, strings.Repeat("x", 1<<20)))
	}
	s.Close()
	s.Close()
	if n := f.subscribers("/a"); n != 0 {
		t.Errorf("%d subscriptions are left", n)
	}
	for i, m := range all {
		if m.refs.Load() != 0 {
			t.Errorf("message %d is held", i)
		}
	}
}
