package view

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/ros/rosapi"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/viewer/foxglove"
)

// follow returns the states of a graph.
func follow(t *testing.T, n *graph.Node) <-chan *foxglove.State {
	states := make(chan *foxglove.State, 100)
	t.Cleanup(nodeGraph{n}.Follow(func(s *foxglove.State) { states <- s }))
	return states
}

// typeOf returns the name of a topic's type, "" if it isn't shown.
func typeOf(s *foxglove.State, topic string) string {
	i := slices.IndexFunc(s.Topics, func(t foxglove.Topic) bool { return t.Name == topic })
	if i < 0 {
		return ""
	}
	return s.Topics[i].Type.Name
}

// TestHungNode checks that a node that accepts connections and never answers delays nothing but its own topics, and is
// asked once.
func TestHungNode(t *testing.T) {
	m := rig.Master(t)
	n := join(t, m.URI(), "own")
	advertise(t, n, ros.PublisherOptions{Topic: "/mine", Type: msgs.MustType("std_msgs/String")})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer l.Close()
	hung := rosapi.NewCaller("/hung")
	for i := range 5 {
		_, err := hung.Call(t.Context(), m.URI(), "registerPublisher", fmt.Sprintf("/a%d", i), "std_msgs/String", "http://"+l.Addr().String()+"/")
		need.Must(t, err)
	}
	other := join(t, m.URI(), "other")
	advertise(t, other, ros.PublisherOptions{Topic: "/good", Type: msgs.MustType("std_msgs/Int32")})
	for _, n := range []*graph.Node{n, other} {
		need.Must(t, n.Sync(t.Context()))
	}
	states := follow(t, n)
	if s := <-states; typeOf(s, "/mine") == "" || len(s.Problems) > 0 {
		t.Errorf("the first state has topics %v, problems %q", s.Topics, s.Problems)
	}
	var s *foxglove.State
	for s = range states {
		if typeOf(s, "/good") != "" {
			break
		}
	}
	if len(s.Problems) > 0 {
		t.Errorf("a node's topic comes after another one's silence: %q", s.Problems)
	}
	for len(s.Problems) < 5 {
		s = <-states
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(50 * time.Millisecond)) //nolint:errcheck // what it was asked has arrived
	asked := 0
	for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
		conn.Close() //nolint:errcheck // it was never served
		asked++
	}
	if asked != 1 {
		t.Errorf("the silent node was asked %d times, want once for all topics", asked)
	}
}

// TestRestartedNode checks that a node that comes back under its name with another type of a topic is asked again.
func TestRestartedNode(t *testing.T) {
	m := rig.Master(t)
	n := join(t, m.URI(), "own")
	states := follow(t, n)
	for _, typ := range []string{"std_msgs/String", "std_msgs/Int32"} { // the second replaces the first
		talker, err := graph.Join(t.Context(), graph.JoinOptions{ROS: graph.Config{Name: "talker", MasterURI: m.URI(), Host: "127.0.0.1"}, Log: zerolog.Nop()})
		need.Must(t, err)
		defer talker.Close() //nolint:errcheck // at the end
		advertise(t, talker, ros.PublisherOptions{Topic: "/t", Type: msgs.MustType(typ)})
		for s := range states {
			if typeOf(s, "/t") == typ {
				break
			}
		}
	}
}
