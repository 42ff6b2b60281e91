package listing

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros2"
	"rsros/test/need"
)

// TestFind lists a topic whose subscriber wants more than the publisher offers, and a service.
func TestFind(t *testing.T) {
	domain := 102 + os.Getpid()%100
	t.Setenv("ROS_DOMAIN_ID", strconv.Itoa(domain))
	t.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	config := ros2.Config{Name: "talker", Domain: domain, Range: ros2.Localhost, Log: zerolog.Nop()}
	talker, err := ros2.Join(t.Context(), config)
	need.Must(t, err)
	defer talker.Close()
	config.Name = "listener"
	listener, err := ros2.Join(t.Context(), config)
	need.Must(t, err)
	defer listener.Close()
	_, err = talker.Advertise(ros2.PublisherOptions{Topic: "/a", Type: "std_msgs/msg/String"})
	need.Must(t, err)
	_, err = listener.Subscribe(ros2.SubscriberOptions{Topic: "/a", Type: "std_msgs/msg/String",
		QoS: ros2.QoS{Reliable: true}, Callback: func(ros2.Received) {}})
	need.Must(t, err)
	_, err = listener.Serve("/ask", "std_srvs/srv/Trigger",
		func(context.Context, []byte) ([]byte, error) { return nil, nil })
	need.Must(t, err)
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "2 nodes, 1 topic\n  /listener  rs-ros-node  @\n  /talker    rs-ros-node  @\n\n/a  std_msgs/msg/String\n" +
			"  publisher   /talker    best effort, volatile\n  subscriber  /listener  reliable, volatile\n" +
			"    gets nothing from /talker: the subscriber wants reliable, the publisher offers best effort\n\n" +
			"/ask  std_srvs/srv/Trigger  served by /listener\n"},
		{[]string{"/ask"}, "2 nodes, 0 topics\n  /listener  rs-ros-node  @\n  /talker    rs-ros-node  @\n\n/ask  std_srvs/srv/Trigger  served by /listener\n"},
	} {
		g, err := Find(t.Context(), ros2.Config{Log: zerolog.Nop()}, c.names)
		need.Must(t, err)
		for i := range g.Nodes {
			g.Nodes[i].Address = "@"
		}
		var got bytes.Buffer
		need.Must(t, g.Text(&got))
		if got.String() != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.names, got.String(), c.want)
		}
		var asJSON strings.Builder
		need.Must(t, g.JSON(&asJSON))
		if len(c.names) == 0 && !strings.Contains(asJSON.String(), `"mismatches": [`) {
			t.Error(asJSON.String())
		}
	}
}
