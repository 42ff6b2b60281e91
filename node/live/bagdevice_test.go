package live

import (
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/program"
	"rsros/replay/recorded"
	"rsros/ros"
	"rsros/test/rig"
)

// A recording plays as a live node's device: under both namings, with play's services, maps included.
func TestLiveBag(t *testing.T) {
	m := rig.Master(t)
	live, err := Start(t.Context(), Options{
		ROS:    ros.Config{Name: "walk", MasterURI: m.URI(), Host: "127.0.0.1", PrivateParams: map[string]any{"loop": true, "pause": true, "rate": 4.0}},
		Source: SourceOptions{Device: rig.MapBag(t)}, Log: zerolog.New(zerolog.NewTestWriter(t)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := live.Close(); err != nil {
			t.Error(err)
		}
	}()
	n, err := ros.NewNode(t.Context(), ros.Config{Name: "onlooker", MasterURI: m.URI(), Host: "127.0.0.1", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close() //nolint:errcheck // at the end
	var answer msgs.Result
	ask(t, n, "/walk/pause_playback", "std_srvs/SetBool", &msgs.Bool{Data: false}, &answer)
	if !answer.Success {
		t.Errorf("it began %+v, not paused", answer)
	}
	var grid msgs.OccupancyGridHead
	next(t, n, "/device_0/sensor_0/Occupancy_0/occupancy_map/data", &grid, func() bool {
		return grid.Width == 10 && grid.DataLen == 10 && grid.Resolution == 0.5 && grid.Origin.Rotation.W == 1
	})
	var value msgs.KeyValue
	next(t, n, "/device_0/sensor_0/Occupancy_0/occupancy_map/metadata", &value, func() bool { return value.Key == "timestamp_domain" })
	var image msgs.ImageHead
	next(t, n, "/camera/depth/image_rect_raw", &image, func() bool { return image.Width == 2 && image.Encoding == "16UC1" })
	var clock msgs.Clock
	next(t, n, "/clock", &clock, func() bool { return clock.Clock > 0 })
	ask(t, n, "/walk/pause_playback", "std_srvs/SetBool", &msgs.Bool{Data: true}, &answer)
	if !answer.Success {
		t.Errorf("pause: %+v", answer)
	}
	ask(t, n, "/walk/step", "std_srvs/Trigger", nil, &answer)
	if !answer.Success {
		t.Errorf("step: %+v", answer)
	}
	seekFrame(t, live, n)
}

// A recording without a readable frame is an error, not silence.
func TestLiveRuinedBag(t *testing.T) {
	m := rig.Master(t)
	err := Run(t.Context(), Options{
		ROS:    ros.Config{MasterURI: m.URI(), Host: "127.0.0.1"},
		Source: SourceOptions{Device: rig.CorruptChunks(t, "../../test/data/librealsense/sw_small_lz4.bag")}, Log: zerolog.New(zerolog.NewTestWriter(t)),
	})
	if !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("it ended with %v, want %v", err, program.ErrIncomplete)
	}
}

// seekFrame seeks to a frame by its number.
func seekFrame(t *testing.T, live *Node, n *ros.Node) {
	t.Helper()
	for _, bad := range []string{"", "Depth_0", "Depth_0 x", "Depth 5", "Color_0 1", "Depth_0 1000000"} {
		b := &bagDevice{Device: live.cameras[0].device.(*recorded.Device)}
		if err := b.seekFrame(msgs.Marshal(&msgs.String{Data: bad})); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	typ := msgs.MustType("std_msgs/String")
	p, err := n.Advertise(ros.PublisherOptions{Topic: "/walk/seek_frame", Type: typ, Latch: true})
	if err != nil {
		t.Fatal(err)
	}
	p.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: "Depth_0 6"})})
	next(t, n, "/walk/status", &msgs.DiagnosticStatus{}, func() bool {
		return live.cameras[0].device.(*recorded.Device).Status().Position.Round(time.Millisecond) == 600*time.Millisecond
	})
}
