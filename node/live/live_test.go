package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/node/naming"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// startTestLive runs a live node of the simulated camera with its own master, and a second node to
// observe it.
func startTestLive(t *testing.T, o Options) (*Session, *ros.Node) {
	t.Helper()
	master := rig.Master(t).URI()
	o.Streams = StreamSettings{
		{Kind: camdriver.Depth}: {Width: 424, Height: 240, FPS: 6},
		{Kind: camdriver.Color}: {Width: 424, Height: 240, FPS: 6},
	}
	return startAt(t, master, o), rig.NodeAt(t, master, "onlooker")
}

// small are streams that are drawn quickly.
var small = StreamSettings{
	{Kind: camdriver.Depth}: {Width: 424, Height: 240, FPS: 6}, {Kind: camdriver.Color}: {Off: true},
	{Kind: camdriver.Infrared, Index: 1}: {Off: true}, {Kind: camdriver.Infrared, Index: 2}: {Off: true},
}

// at completes the options of a node at a master.
func (o Options) at(master string) Options {
	o.ROS.Name, o.ROS.MasterURI, o.ROS.Host = cmp.Or(o.ROS.Name, "camera_node"), master, "127.0.0.1"
	if o.Devices == nil {
		o.Source.Device = cmp.Or(o.Source.Device, "sim")
	}
	return o
}

// startAt runs a live node at a master until the test ends.
func startAt(t *testing.T, master string, o Options) *Session {
	t.Helper()
	o.Log = zerolog.New(zerolog.NewTestWriter(t))
	live, err := Start(t.Context(), o.at(master))
	need.Must(t, err)
	t.Cleanup(func() {
		need.Must(t, live.Close())
	})
	return live
}

// ask calls a service of the live node.
func ask(t *testing.T, n *ros.Node, name, typ string, req, resp msgs.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), peer.Patience)
	defer cancel()
	peer.AwaitService(t, n, name)
	var body []byte
	if req != nil {
		body = msgs.Marshal(req)
	}
	b, err := n.CallService(ctx, name, msgs.MustService(typ), body)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := msgs.Unmarshal(b, resp); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// next waits for a message of a topic that check accepts.
func next(t *testing.T, n *ros.Node, topic string, m msgs.Message, check func() bool) {
	t.Helper()
	found := make(chan struct{}, 1)
	s, err := n.Subscribe(ros.SubscriberOptions{Topic: topic}, func(r ros.Received) {
		if err := msgs.Unmarshal(r.Data, m); err != nil {
			t.Errorf("%s: %v", topic, err)
		} else if check() {
			select {
			case found <- struct{}{}:
			default:
			}
		}
	})
	need.Must(t, err)
	select {
	case <-found:
	case <-time.After(peer.Patience):
		t.Errorf("%s: what was expected never came; last %+v", topic, m)
	}
	s.Close()
}

// A simulated camera that is unplugged and plugged in again returns under its topics.
func TestReplugged(t *testing.T) {
	live, n := startTestLive(t, Options{})
	var image msgs.ImageHead
	depth := "/device_0/sensor_0/Depth_0/image/data"
	next(t, n, depth, &image, func() bool { return image.Width == 424 })
	rig.SetBool(t, n, "/camera_node/plug", false)
	if err := live.Device().(*sim.Device).Unplug(); !errors.Is(err, camdriver.ErrUnplugged) {
		t.Errorf("it isn't unplugged: %v", err)
	}
	rig.SetBool(t, n, "/camera_node/plug", true)
	stamp := image.Header.Stamp
	next(t, n, depth, &image, func() bool { return image.Header.Stamp > stamp && image.Width == 424 })
}

func TestLiveNodeAnswers(t *testing.T) {
	prefix := t.TempDir() + "/"
	_, n := startTestLive(t, Options{RecordPath: prefix})
	var info msgs.DeviceInfo
	ask(t, n, "/camera_node/device_info", "realsense2_camera/DeviceInfo", nil, &info)
	if !strings.HasPrefix(info.DeviceName, "intel_realsense_d435i") || info.Sensors != "stereo_module,rgb_camera,motion_module" {
		t.Errorf("device info %+v", info)
	}
	var answer msgs.Result
	ask(t, n, "/camera_node/stop_recording", "std_srvs/Trigger", nil, &answer)
	if answer.Success {
		t.Error("a recording that never began was stopped")
	}
	text := rig.Trigger(t, n, "/camera_node/start_recording")
	path, ok := strings.CutPrefix(text, "recording into ")
	if !ok {
		t.Fatalf("start_recording answered %s", text)
	}
	var image msgs.ImageHead
	next(t, n, "/device_0/sensor_0/Depth_0/image/data", &image, func() bool { return image.Width == 424 && image.Encoding == "mono16" })
	next(t, n, "/camera/depth/image_rect_raw", &image, func() bool { return image.Width == 424 && image.Encoding == "16UC1" })
	rig.Trigger(t, n, "/camera_node/stop_recording")
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	defer f.Close()
	if n := f.Frames(camdriver.DepthStream); n == 0 {
		t.Error("the recording holds no depth frame")
	}
}

// gain is a consumer that keeps the newest value of that option.
type gain struct {
	camdriver.NopHandler
	value atomic.Int64
}

func (g *gain) OptionChanged(_ int, id camdriver.OptionID, v float32) {
	if id == camdriver.OptionGain {
		g.value.Store(int64(v))
	}
}

func TestEnableStopsAndStartsStreams(t *testing.T) {
	live, n := startTestLive(t, Options{Naming: naming.Wrapper})
	rig.SetBool(t, n, "/camera_node/enable", false)
	before, _ := live.cameras[0].hub.Counts(camdriver.GyroStream)
	var seen gain
	defer live.cameras[0].hub.Attach(&seen)()
	need.Must(t, live.cameras[0].device.Sensors()[0].SetOption(camdriver.OptionGain, 70))
	if after, _ := live.cameras[0].hub.Counts(camdriver.GyroStream); after != before {
		t.Errorf("frames went on from %d to %d", before, after)
	}
	rig.SetBool(t, n, "/camera_node/enable", true)
	if before := seen.value.Load(); before != 70 {
		t.Errorf("the hub's consumers know a gain of %d, not what was set while nothing streamed", before)
	}
	if text := rig.SetBool(t, n, "/camera/enable", true); text != "streams are running already" {
		t.Errorf("asked to start what runs: %s", text)
	}
	var sample msgs.Imu
	next(t, n, "/camera/gyro/sample", &sample, func() bool { return sample.OrientationCovariance[0] == -1 })
}

// Options set through dynamic_reconfigure reach the camera, and changes are shown.
func TestCameraOptions(t *testing.T) {
	_, n := startTestLive(t, Options{})
	req := msgs.Config{Ints: []msgs.Param[int32]{{Name: "laser_power", Value: 90}, {Name: "gain", Value: 1 << 30}, {Name: "no_such_option"}}}
	var resp msgs.Config
	ask(t, n, "/camera/stereo_module/set_parameters", "dynamic_reconfigure/Reconfigure", &req, &resp)
	got := map[string]int32{}
	for _, p := range resp.Ints {
		got[p.Name] = p.Value
	}
	if got["laser_power"] != 90 || got["gain"] != 248 {
		t.Errorf("laser power and gain are %d and %d, want 90 and its largest, 248", got["laser_power"], got["gain"])
	}
	var value msgs.Float32
	next(t, n, "/device_0/sensor_0/option/Laser_Power/value", &value, func() bool { return value.Data == 90 })
}

// images collects a topic's images by stamp.
type images struct {
	mu sync.Mutex
	by map[msgs.Time][]byte
}

func (p *images) take(stamp msgs.Time, pixels []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.by[stamp] = bytes.Clone(pixels)
}

// same reports whether both have an image of the same stamp, and fails if the two differ.
func (p *images) same(t *testing.T, other *images) bool {
	for _, x := range []*images{p, other} {
		x.mu.Lock()
		defer x.mu.Unlock()
	}
	for stamp, pixels := range p.by {
		if there, ok := other.by[stamp]; ok {
			if !bytes.Equal(pixels, there) {
				t.Errorf("the images of %d differ", stamp)
			}
			return true
		}
	}
	return false
}

// Compressed depth equals raw depth, under both namings.
func TestCompressedDepthIsTheSame(t *testing.T) {
	_, n := startTestLive(t, Options{})
	for _, topic := range []string{"/camera/depth/image_rect_raw", "/device_0/sensor_0/Depth_0/image/data"} {
		raw, packed := &images{by: map[msgs.Time][]byte{}}, &images{by: map[msgs.Time][]byte{}}
		listen := func(topic string, take func(*msgs.Decoder)) {
			s, err := n.Subscribe(ros.SubscriberOptions{Topic: topic}, func(r ros.Received) { take(msgs.NewDecoder(r.Data)) })
			need.Must(t, err)
			t.Cleanup(s.Close)
		}
		listen(topic, func(d *msgs.Decoder) {
			var head msgs.ImageHead
			head.Decode(d)
			raw.take(head.Header.Stamp, d.Rest())
		})
		listen(topic+"/compressedDepth", func(d *msgs.Decoder) {
			var head msgs.Header
			head.Decode(d)
			p, err := imagetransport.DecompressDepth(d.String(), d.Bytes())
			if err != nil {
				t.Error(err)
			}
			packed.take(head.Stamp, p.Data)
		})
		peer.Await(t, topic+" raw and compressed", func() bool { return raw.same(t, packed) })
	}
}

// Poses become odometry and, below the odometry's frame, the camera's pose in tf.
func TestPoseInTF(t *testing.T) {
	_, n := startTestLive(t, Options{Source: SourceOptions{Pose: true}})
	var tf msgs.TFMessage
	next(t, n, "/tf", &tf, func() bool {
		return len(tf.Transforms) == 1 && tf.Transforms[0].Header.FrameID == "camera_odom_frame" && tf.Transforms[0].ChildFrameID == "camera_pose_frame"
	})
	next(t, n, "/tf_static", &tf, func() bool {
		return slices.ContainsFunc(tf.Transforms, func(x msgs.TransformStamped) bool {
			return x.Header.FrameID == "camera_pose_frame" && x.ChildFrameID == "camera_link"
		})
	})
}
