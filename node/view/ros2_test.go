package view

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/bridge"
	"rsros/ros/graph"
	"rsros/ros2"
	"rsros/test/need"
	"rsros/test/visitor"
	"rsros/viewer"
	"rsros/viewer/api"
)

// TestGraphOfROS2 watches a topic of ROS 2.
func TestGraphOfROS2(t *testing.T) {
	domain := 102 + os.Getpid()%100
	t.Setenv("ROS_DOMAIN_ID", strconv.Itoa(domain))
	t.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	n, err := ros2.Join(t.Context(), ros2.Config{Name: "talker", Domain: domain, Range: ros2.Localhost, Log: zerolog.Nop()})
	need.Must(t, err)
	defer n.Close()
	p, err := n.Advertise(ros2.PublisherOptions{
		Topic: "/map", Type: "std_msgs/msg/String", QoS: ros2.QoS{Reliable: true, TransientLocal: true, Depth: 1},
	})
	need.Must(t, err)
	var e msgs.Encoder
	e.BeginCDR()
	e.String("here be dragons")
	p.Publish(msgs.Raw{Head: e.B})
	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		join := graph.JoinOptions{Name: "view", Unique: true, Log: zerolog.Nop()}
		ended <- Run(ctx, join, bridge.ROS2, viewer.RunOptions{Ready: func(url string) { address <- url }})
	}()
	defer func() {
		stop()
		need.Must(t, <-ended)
	}()
	v := visitor.DialViewer(t, <-address)
	ids := v.Source(func(s *api.Source) bool { return has(s, "/map") && s.Name == "ROS 2" })
	v.Subscribe(ids["/map"])
	v.Await(contains("here be dragons"))
}
