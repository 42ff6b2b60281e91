package node

import (
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/export"
	"rsros/bagstore/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/msgs"
	"rsros/node/ros"
)

// mapBag is a recording of a depth stream and of a map that grows.
func mapBag(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "map.bag")
	depth := camdriver.Profile{Stream: camdriver.StreamID{Kind: camdriver.Depth}, Format: camdriver.Z16, Width: 2, Height: 1, FPS: 10}
	maps := camdriver.Profile{Stream: camdriver.StreamID{Kind: camdriver.Occupancy}, Format: camdriver.Y8, FPS: 10}
	r, err := rsbag.NewRecorder(path, camdriver.DeviceSnapshot{
		Info:    []camdriver.Info{{Key: camdriver.InfoName, Value: "Mapper"}},
		Sensors: []camdriver.SensorSnapshot{{Name: "Stereo Module"}}, Reference: depth.Stream,
		Streams: []camdriver.StreamSnapshot{{Profile: depth}, {Profile: maps}},
	}, rsbag.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		at := time.Unix(1000, int64(n)*1e8)
		f := depthFrame(0.001, uint16(n), 7)
		m := camdriver.NewFrame(nil)
		m.Profile, m.Width, m.Height, m.Stride = maps, 1+n, 1, 1+n
		m.Data = slices.Repeat([]byte{100}, 1+n)
		m.Map = camdriver.MapInfo{Resolution: 0.5, Rotation: [4]float64{3: 1}}
		for _, f := range []*camdriver.Frame{f, m} {
			f.Number, f.Timestamp, f.Arrival = uint64(n), float64(at.UnixMilli()), at
			if err := r.Frame(0, f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// A recording plays as a live node's device: under both namings, with the
// services of play, its maps included.
func TestLiveBag(t *testing.T) {
	m := testMaster(t)
	live, err := StartLive(t.Context(), LiveOptions{
		ROS:    ros.Config{Name: "walk", MasterURI: m.URI(), Host: "127.0.0.1", PrivateParams: map[string]any{"loop": true, "pause": true, "speed": 4.0}},
		Source: SourceOptions{Device: mapBag(t)}, Log: zerolog.New(zerolog.NewTestWriter(t)),
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

// seekFrame goes to a frame by its number.
func seekFrame(t *testing.T, live *LiveNode, n *ros.Node) {
	t.Helper()
	for _, bad := range []string{"", "Depth_0", "Depth_0 x", "Depth 5", "Color_0 1", "Depth_0 1000000"} {
		b := &bagDevice{dev: live.device.(*playback.Device)}
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
		return live.device.(*playback.Device).Position().Round(time.Millisecond) == 600*time.Millisecond
	})
}

// A map is exported as a picture; the manifest says where its cells lie.
func TestExportMaps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := export.Run(t.Context(), export.Options{Bag: mapBag(t), Dir: dir, Log: zerolog.Nop()}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "Occupancy_0", "000003.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	picture, err := png.Decode(f)
	if err != nil || picture.Bounds().Dx() != 4 || picture.At(3, 0) != (color.Gray{Y: 100}) {
		t.Errorf("picture %v, %v", picture, err)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if want := `"map":{"resolution_m":0.5,"origin_m":[0,0,0],"orientation_xyzw":[0,0,0,1]}`; err != nil || !strings.Contains(string(manifest), want) {
		t.Errorf("%v, no %s in %s", err, want, manifest)
	}
}
