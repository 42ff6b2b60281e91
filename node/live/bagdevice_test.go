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
	"rsros/test/need"
	"rsros/test/rig"
)

// A recording plays as a live node's device: under both namings, with play's services, maps included.
func TestLiveBag(t *testing.T) {
	master := rig.Master(t).URI()
	live := startAt(t, master, Options{
		ROS:    ros.Config{Name: "walk", PrivateParams: map[string]any{"loop": true, "pause": true, "rate": 4.0}},
		Source: SourceOptions{Device: rig.MapBag(t)},
	})
	n := rig.NodeAt(t, master, "onlooker")
	rig.SetBool(t, n, "/walk/pause_playback", false) // it began paused
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
	rig.SetBool(t, n, "/walk/pause_playback", true)
	rig.Trigger(t, n, "/walk/step")
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
func seekFrame(t *testing.T, live *Session, n *ros.Node) {
	t.Helper()
	for _, bad := range []string{"", "Depth_0", "Depth_0 x", "Depth 5", "Color_0 1", "Depth_0 1000000"} {
		b := &bagDevice{Device: live.cameras[0].device.(*recorded.Device)}
		if err := b.seekFrame(msgs.Marshal(&msgs.String{Data: bad})); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	typ := msgs.MustType("std_msgs/String")
	p, err := n.Advertise(ros.PublisherOptions{Topic: "/walk/seek_frame", Type: typ, Latch: true})
	need.Must(t, err)
	p.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: "Depth_0 6"})})
	next(t, n, "/walk/status", &msgs.DiagnosticStatus{}, func() bool {
		return live.cameras[0].device.(*recorded.Device).Status().Position.Round(time.Millisecond) == 600*time.Millisecond
	})
}
