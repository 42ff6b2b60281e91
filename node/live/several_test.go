package live

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// Options of each camera: names, devices, and parameters of one or all.
func TestOptionsOfEach(t *testing.T) {
	depth := camdriver.DepthStream
	for name, c := range map[string]struct {
		o      Options
		line   graph.Params
		server graph.Params
		want   []string // camera, device, serial, bag, prefix of bags, tf prefix, depth
	}{
		"one":           {o: Options{Devices: []string{"sim"}}, want: []string{"camera sim   .  on"}},
		"one, called":   {o: Options{Devices: []string{"sim"}, Cameras: []string{"a"}, Record: "w.bag"}, want: []string{"a sim  w.bag .  on"}},
		"two":           {o: Options{Devices: []string{"sim:1", "sim:2"}}, want: []string{"camera1 sim:1   camera1  on", "camera2 sim:2   camera2  on"}},
		"two, one file": {o: Options{Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"a", "/b/c"}, Record: "w.bag", RecordPath: "x"}, want: []string{"a sim:1  w_a.bag x_a  on", "/b/c sim:2  w_b_c.bag x_b_c  on"}},
		"parameters": {
			line:   graph.Params{"device": []any{"sim:1", "sim:2"}, "tf_prefix": "r"},
			server: graph.Params{"camera": []any{"a", "b"}, "depth_fps": 6, "b": map[string]any{"depth_fps": 15, "tf_prefix": "own", "record": "own.bag"}},
			want:   []string{"a sim:1   a r_a @6", "b sim:2  own.bag b own @15"},
		},
		"one kind, serial numbers of their own": {
			o:      Options{Devices: []string{"usb"}},
			server: graph.Params{"camera": []any{"a", "b"}, "a": map[string]any{"serial_no": "_1"}, "b": map[string]any{"serial_no": "_2"}},
			want:   []string{"a usb 1  a  on", "b usb 2  b  on"},
		},
	} {
		c.o.AllowRemotePaths = true
		list, err := c.o.each(c.line, c.server)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, o := range list {
			got = append(got, strings.Join([]string{o.Camera, o.Source.Device, o.Source.Serial, o.Record, o.RecordPath, o.Wrapper.Frames, o.Streams[depth].String()}, " "))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", name, got, c.want)
		}
	}
}

func TestSeveralThatCannotBe(t *testing.T) {
	bag := filepath.Join(t.TempDir(), "walk.bag")
	for want, o := range map[string]Options{
		"2 devices (sim:1, sim:2) and 1 names":   {Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"a"}},
		"cameras camera1 and camera2 are both":   {Devices: []string{"sim", "sim"}},
		"two cameras are called a":               {Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"a", "a"}},
		"needs a node of its own":                {Devices: []string{"sim:1", bag}},
		"~record: \"/elsewhere/a.bag\" on the p": {Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"x", "y"}},
	} {
		_, err := o.each(nil, graph.Params{"x": map[string]any{"record": "/elsewhere/a.bag"}})
		if !errors.Is(err, program.ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// restarts counts how often a stream's frame numbers restarted.
type restarts struct {
	camdriver.NopHandler
	last, frames, times atomic.Uint64
}

func (r *restarts) Frame(_ int, f *camdriver.Frame) {
	if f.Stream().Kind != camdriver.Depth {
		return
	}
	if f.Number <= r.last.Swap(f.Number) {
		r.times.Add(1)
	}
	r.frames.Add(1)
}

// Two cameras in one node have their own names, services and recordings. One that is unplugged and
// plugged in again returns under its topics, and the other is undisturbed.
func TestTwoCamerasInOneNode(t *testing.T) {
	folder := t.TempDir() + "/"
	live, n := startTestLive(t, Options{Devices: []string{"sim:11", "sim:22"}, Cameras: []string{"front", "rear"}, RecordPath: folder})
	var info msgs.DeviceInfo
	for name, serial := range map[string]string{"front": "11", "rear": "22"} {
		ask(t, n, "/camera_node/"+name+"/device_info", "realsense2_camera/DeviceInfo", nil, &info)
		if info.SerialNumber != serial {
			t.Errorf("%s has the serial number %s", name, info.SerialNumber)
		}
	}
	var value msgs.KeyValue
	next(t, n, "/device_1/info", &value, func() bool { return value.Value == "22" })
	tf := &msgs.TFMessage{}
	for _, frame := range []string{"front_depth_optical_frame", "rear_depth_optical_frame"} {
		next(t, n, "/tf_static", tf, func() bool {
			return slices.ContainsFunc(tf.Transforms, func(s msgs.TransformStamped) bool { return s.ChildFrameID == frame })
		})
	}
	rig.Trigger(t, n, "/camera_node/start_recording")

	var front, rear restarts
	defer live.cameras[0].hub.Attach(&front)()
	defer live.cameras[1].hub.Attach(&rear)()
	var image msgs.ImageHead
	topic := "/front/depth/image_rect_raw"
	next(t, n, topic, &image, func() bool { return image.Header.FrameID == "front_depth_optical_frame" })
	peer.Await(t, "frames of the first camera", awaitMore(&front.frames, 3)) // whose numbers are then above the first ones
	rig.SetBool(t, n, "/camera_node/front/plug", false)
	peer.Await(t, "frames of the other camera", awaitMore(&rear.frames, 3))
	rig.SetBool(t, n, "/camera_node/front/plug", true)
	stamp := image.Header.Stamp
	next(t, n, topic, &image, func() bool { return image.Header.Stamp > stamp })
	if front.times.Load() != 1 || rear.times.Load() != 0 {
		t.Errorf("the cameras began again %d and %d times, want 1 and 0", front.times.Load(), rear.times.Load())
	}
	if _, gaps := live.cameras[1].hub.Counts(camdriver.DepthStream); gaps > late(live.cameras[1]) {
		t.Errorf("the other camera lost %d frames of depth", gaps)
	}

	if text := rig.Trigger(t, n, "/camera_node/stop_recording"); !strings.HasPrefix(text, "front: ") || !strings.Contains(text, "; rear: ") {
		t.Errorf("stop_recording: %s", text)
	}
	for name, serial := range map[string]string{"front": "11", "rear": "22"} {
		bags, err := filepath.Glob(folder + name + "_*.bag")
		if err != nil || len(bags) != 1 {
			t.Fatalf("recordings of %s: %q, %v", name, bags, err)
		}
		if got := serialOf(t, bags[0]); got != serial {
			t.Errorf("%s is a recording of camera %s", bags[0], got)
		}
	}
}

// A camera that is missing at the start doesn't delay the others, and joins them when it appears.
func TestCameraThatJoins(t *testing.T) {
	folder := t.TempDir() + "/"
	live, n := startTestLive(t, Options{
		Devices: []string{"sim:11", "sim:22"}, Cameras: []string{"front", "rear"}, RecordPath: folder,
		Source: SourceOptions{Wait: -1, Retry: 10 * time.Millisecond},
		ROS:    ros.Config{PrivateParams: graph.Params{"front": map[string]any{"unplugged": true}}},
	})
	var image msgs.ImageHead
	next(t, n, "/rear/depth/image_rect_raw", &image, func() bool { return image.Header.FrameID == "rear_depth_optical_frame" })
	for _, p := range live.node.Publications() {
		if strings.HasPrefix(p.Topic, "/front/") {
			t.Errorf("%s is published without its camera", p.Topic)
		}
	}
	var answer msgs.Result
	ask(t, n, "/camera_node/start_recording", "std_srvs/Trigger", nil, &answer)
	if answer.Success || !strings.HasPrefix(answer.Message, "front: the camera isn't connected yet; rear: recording into") {
		t.Errorf("start_recording: %+v", answer)
	}
	var rear restarts
	defer live.cameras[1].hub.Attach(&rear)()

	rig.SetBool(t, n, "/camera_node/front/plug", true)
	next(t, n, "/front/depth/image_rect_raw", &image, func() bool { return image.Header.FrameID == "front_depth_optical_frame" })
	var info msgs.DeviceInfo
	ask(t, n, "/camera_node/front/device_info", "realsense2_camera/DeviceInfo", nil, &info)
	if info.SerialNumber != "11" {
		t.Errorf("serial number %s", info.SerialNumber)
	}
	rig.Trigger(t, n, "/camera_node/front/start_recording")
	if text := rig.SetBool(t, n, "/camera_node/pause_playback", true); text != "front: Playback is now paused; rear: Playback is now paused" {
		t.Errorf("pause_playback: %s", text)
	}
	if rear.times.Load() != 0 {
		t.Error("the other camera was started again")
	}
}

// A camera that doesn't appear within its wait_for_device_timeout is given up, and the others go on.
// The node reports it at its end.
func TestCameraThatDoesNotCome(t *testing.T) {
	live, n := startTestLive(t, Options{
		Devices: []string{"sim:11", "sim:22"}, Cameras: []string{"front", "rear"},
		ROS: ros.Config{PrivateParams: graph.Params{"wait_for_device_timeout": -1, "rear": map[string]any{"unplugged": true, "wait_for_device_timeout": 0.001}}},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error, 1)
	peer.Await(t, "the end of the wait", func() bool { return len(live.ended) == 1 })
	go func() { result <- live.Wait(ctx) }()
	peer.Await(t, "Wait to take it", func() bool { return len(live.ended) == 0 })
	var image msgs.ImageHead
	next(t, n, "/front/depth/image_rect_raw", &image, func() bool { return true })
	cancel()
	if err := <-result; !errors.Is(err, program.ErrNoDevice) || !strings.Contains(err.Error(), "camera rear: waited 1ms") {
		t.Errorf("%v", err)
	}
}

// A node that ends doesn't wait for missing cameras.
func TestEndWhileWaiting(t *testing.T) {
	live, _ := startTestLive(t, Options{
		Devices: []string{"sim:11", "sim:22"}, Source: SourceOptions{Wait: -1, Unplugged: true},
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	need.Must(t, live.Wait(ctx))
}

// Without a time to wait, a missing camera is an error at once.
func TestMissingCameraOfSeveral(t *testing.T) {
	_, err := Start(t.Context(), Options{
		ROS:     ros.Config{PrivateParams: graph.Params{"camera2": map[string]any{"unplugged": true}}},
		Devices: []string{"sim:11", "sim:22"}, Log: zerolog.Nop(),
	}.at(rig.Master(t).URI()))
	if !errors.Is(err, program.ErrNoDevice) {
		t.Errorf("%v", err)
	}
}

// late returns the number of depth frames that a simulated camera left out because it was late.
func late(c *camera) uint64 {
	for _, o := range c.device.Sensors()[0].Options() {
		if o.ID == camdriver.OptionTotalFrameDrops {
			return uint64(o.Value)
		}
	}
	return 0
}

// serialOf returns the serial number in the recording of one camera.
func serialOf(t *testing.T, bag string) string {
	t.Helper()
	f, err := rsbag.Open(bag, rsbag.Options{})
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // only read
	if f.Camera().Name != "device_0" {
		t.Errorf("%s is of %s: librealsense plays /device_0 only", bag, f.Camera().Name)
	}
	return camdriver.Find(f.Snapshot().Info, camdriver.InfoSerialNumber)
}

func awaitMore(n *atomic.Uint64, more uint64) func() bool {
	enough := n.Load() + more
	return func() bool { return n.Load() >= enough }
}

// Publishing can be paused for one camera or for all.
func TestPauseOneOfTwo(t *testing.T) {
	live, n := startTestLive(t, Options{Devices: []string{"sim:1", "sim:2"}})
	var answer msgs.Result
	pause := func(service string, on, ok bool) {
		t.Helper()
		ask(t, n, service, "std_srvs/SetBool", &msgs.Bool{Data: on}, &answer)
		if answer.Success != ok {
			t.Errorf("%s %v: %+v", service, on, answer)
		}
	}
	frozen := func(first, second bool) {
		t.Helper()
		if got := [2]bool{live.cameras[0].frozen.Load(), live.cameras[1].frozen.Load()}; got != [2]bool{first, second} {
			t.Errorf("paused: %v, want %v and %v", got, first, second)
		}
	}
	pause("/camera_node/camera2/pause_playback", true, true)
	frozen(false, true)
	pause("/pause_playback", true, false) // one was already
	frozen(true, true)
	pause("/camera_node/pause_playback", false, true)
	frozen(false, false)
	var image msgs.ImageHead
	next(t, n, "/camera2/depth/image_rect_raw", &image, func() bool { return image.Width == 424 })
}

// The device named on the command line is the one described on the parameter server, although it was
// opened before the server was asked.
func TestServerSelectsNamedDevice(t *testing.T) {
	master := rig.Master(t).URI()
	need.Must(t, rig.NodeAt(t, master, "stranger").SetParam(t.Context(), "/camera_node/serial_no", "_77"))
	live := startAt(t, master, Options{Streams: small})
	if got := camdriver.Find(live.Device().Info(), camdriver.InfoSerialNumber); got != "77" {
		t.Errorf("serial number %s, want that of the parameter server", got)
	}
}
