package view

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/visitor"
	"rsros/viewer/foxglove"
)

func join(t *testing.T, masterURI, name string) *graph.Node {
	t.Helper()
	n, err := graph.Join(t.Context(), graph.JoinOptions{ROS: graph.Config{Name: name, MasterURI: masterURI, Host: "127.0.0.1"}, Log: zerolog.Nop()})
	need.Must(t, err)
	t.Cleanup(func() { n.Close() })
	return n
}

func advertise(t *testing.T, n *graph.Node, o ros.PublisherOptions) *ros.Publisher {
	t.Helper()
	p, err := n.Advertise(o)
	need.Must(t, err)
	return p
}

// TestFoxglove shows a client two nodes: the one that serves it, and another.
func TestFoxglove(t *testing.T) {
	m := rig.Master(t)
	own, other := join(t, m.URI(), "own"), join(t, m.URI(), "other")
	text := msgs.MustType("std_msgs/String")
	odd := msgs.Type{Name: "my_msgs/Odd", MD5: "0cc175b9c0f1b6a831c399e269772661", Definition: "int8 odd"}
	near := advertise(t, own, ros.PublisherOptions{Topic: "/near", Type: text})
	far := advertise(t, other, ros.PublisherOptions{Topic: "/far", Type: odd})
	for _, n := range []*graph.Node{own, other} {
		p := advertise(t, n, ros.PublisherOptions{Topic: n.Name() + "_kept", Type: text, LatchAll: true})
		p.Publish(msgs.Raw{Head: []byte("one")})
		p.Publish(msgs.Raw{Head: []byte("two")})
	}
	services, err := graph.Offer(other.Node, graph.SetBool("/switch", func(_ context.Context, on bool) (string, error) { return map[bool]string{true: "is on"}[on], nil }))
	need.Must(t, err)
	defer services.Close()
	heard := make(chan string, 1)
	sub, err := other.Subscribe(ros.SubscriberOptions{Topic: "/said"}, func(r ros.Received) { heard <- string(r.Data) })
	need.Must(t, err)
	defer sub.Close()
	need.Must(t, other.SetParam(t.Context(), "/speed", 1.0))
	for _, n := range []*graph.Node{own, other} {
		need.Must(t, n.Sync(t.Context()))
	}

	o := Foxglove(own)
	o.Control = true
	s := foxglove.New(o)
	h := httptest.NewServer(s)
	defer h.Close()
	defer s.Close()
	c := visitor.DialFoxglove(t, "ws"+strings.TrimPrefix(h.URL, "http"))

	if ch := c.AwaitChannel("/far"); ch.SchemaName != odd.Name || ch.Schema != odd.Definition {
		t.Errorf("/far is advertised as %+v", ch)
	}
	c.Subscribe(1, "/near")
	c.Subscribe(2, "/far")
	c.Subscribe(3, "/own_kept")
	c.Subscribe(4, "/other_kept")
	var kept [5][]string
	c.Await("what is latched", func(e visitor.Event) bool {
		if e.Opcode == 1 {
			kept[e.ID] = append(kept[e.ID], string(e.Data))
		}
		return len(kept[3])+len(kept[4]) == 4
	})
	for _, id := range []int{3, 4} {
		if !slices.Equal(kept[id], []string{"one", "two"}) {
			t.Errorf("latched by topic %d: %q", id, kept[id])
		}
	}
	peer.Await(t, "subscribers", func() bool { return near.Subscribers() > 0 && far.Subscribers() > 0 })
	body := []byte("a body")
	near.Publish(msgs.Raw{Head: []byte("head and "), Body: body, Time: 42})
	if e := c.Await("a message of /near", func(e visitor.Event) bool { return e.Opcode == 1 && e.ID == 1 }); string(e.Data) != "head and a body" || e.Time != 42 {
		t.Errorf("of /near came %q at %d", e.Data, e.Time)
	}
	before := time.Now().UnixNano()
	far.Publish(msgs.Raw{Head: []byte("x")})
	if e := c.Await("a message of /far", func(e visitor.Event) bool { return e.Opcode == 1 && e.ID == 2 }); string(e.Data) != "x" || e.Time < before {
		t.Errorf("of /far came %q at %d", e.Data, e.Time)
	}

	c.SendBinary(2, c.AwaitService("/switch"), uint32(1), "ros1", []byte{1})
	if e := c.Await("the service's answer", func(e visitor.Event) bool { return e.Opcode == 3 }); string(e.Data) != "\x01\x05\x00\x00\x00is on" {
		t.Errorf("the service answered %q", e.Data)
	}
	c.Send(map[string]any{"op": "subscribeConnectionGraph"})
	c.Await("the connection graph", func(e visitor.Event) bool {
		return e.Op == "connectionGraphUpdate" && strings.Contains(string(e.Text), `{"name":"/far","publisherIds":["/other"]}`) &&
			strings.Contains(string(e.Text), `{"name":"/switch","providerIds":["/other"]}`)
	})
	parameters(t, c, other)

	c.Send(map[string]any{"op": "advertise", "channels": []map[string]any{{"id": 1, "topic": "/said", "encoding": "ros1", "schemaName": "std_msgs/String"}}})
	for said := ""; said == ""; { // the subscriber connects asynchronously
		c.SendBinary(1, uint32(1), []byte("\x02\x00\x00\x00hi"))
		select {
		case said = <-heard:
			if said != "\x02\x00\x00\x00hi" {
				t.Errorf("the graph heard %q", said)
			}
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// parameters reads, subscribes to and sets a parameter, and receives another node's change.
func parameters(t *testing.T, c *visitor.Foxglove, other *graph.Node) {
	t.Helper()
	await := func(text string) {
		t.Helper()
		c.Await("the parameter "+text, func(e visitor.Event) bool { return e.Op == "parameterValues" && strings.Contains(string(e.Text), text) })
	}
	c.Send(map[string]any{"op": "subscribeParameterUpdates", "parameterNames": []string{"/speed"}})
	c.Send(map[string]any{"op": "setParameters", "id": "set", "parameters": []map[string]any{{"name": "/speed", "value": 2, "type": "float64"}}})
	await(`"id":"set"`)
	if v, _, err := other.Param(t.Context(), "/speed"); err != nil || v != 2.0 {
		t.Errorf("the parameter is %v, %v", v, err)
	}
	need.Must(t, other.SetParam(t.Context(), "/speed", 3))
	await(`{"name":"/speed","value":3}`)
}
