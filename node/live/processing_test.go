package live

import (
	"context"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/node/naming"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
)

// united is one topic that replaces two, with increasing stamps.
func TestUnitedIMU(t *testing.T) {
	for _, method := range []process.UniteMethod{process.UniteCopy, process.UniteLinear} {
		t.Run(string(method), func(t *testing.T) {
			_, n := startTestLive(t, Options{Naming: naming.Wrapper, Wrapper: naming.WrapperOptions{UniteIMU: method}})
			var m msgs.Imu
			var last msgs.Time
			count := 0
			next(t, n, "/camera/imu", &m, func() bool {
				if m.Header.Stamp <= last {
					t.Errorf("stamp %d after %d", m.Header.Stamp, last)
				}
				last = m.Header.Stamp
				if m.Header.FrameID != "camera_imu_optical_frame" || m.LinearAcceleration == (msgs.Vector3{}) || m.OrientationCovariance[0] != -1 {
					t.Errorf("%+v", m)
				}
				count++
				return count > 50
			})
		})
	}
}

// onlookers subscribe to topics and pass on their messages.
func onlooker(t *testing.T, n *ros.Node, topic string) <-chan []byte {
	t.Helper()
	got := make(chan []byte, 100)
	s, err := n.Subscribe(ros.SubscriberOptions{Topic: topic}, func(r ros.Received) {
		select {
		case got <- append([]byte(nil), r.Data...):
		default:
		}
	})
	need.Must(t, err)
	t.Cleanup(s.Close)
	return got
}

func receive(t *testing.T, from <-chan []byte, what string) []byte {
	t.Helper()
	select {
	case b := <-from:
		return b
	case <-time.After(peer.Patience):
		t.Fatalf("%s never came", what)
		return nil
	}
}

// cloudMessage is a parsed PointCloud2.
type cloudMessage struct {
	head  msgs.PointCloudHead
	data  []byte
	dense bool
}

func decodeCloud(t *testing.T, b []byte) (m cloudMessage) {
	t.Helper()
	d := msgs.NewDecoder(b)
	d.Message(&m.head)
	m.data = d.Raw(int(m.head.DataLen))
	m.dense = d.Bool()
	if err := d.Err(); err != nil || d.Remaining() != 0 {
		t.Fatalf("%v, %d bytes left", err, d.Remaining())
	}
	return m
}

func (m *cloudMessage) point(i int) (x, y, z float32, colour uint32) {
	b := m.data[i*int(m.head.PointStep):]
	f := func(at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[at:])) }
	return f(0), f(4), f(8), binary.LittleEndian.Uint32(b[16:])
}

// Aligned depth has colour's size and frame, and each point of its cloud has that pixel's depth and
// colour.
func TestAlignedDepthAndCloud(t *testing.T) {
	_, n := startTestLive(t, Options{Naming: naming.Wrapper, Wrapper: naming.WrapperOptions{
		AlignDepth: true, PointCloud: true, OrderedCloud: true, Texture: camdriver.ColorStream,
	}})
	aligned := onlooker(t, n, "/camera/aligned_depth_to_color/image_raw")
	colour := onlooker(t, n, "/camera/color/image_raw")
	points := onlooker(t, n, "/camera/depth/color/points")
	images := func(b []byte) (msgs.ImageHead, []byte) {
		var h msgs.ImageHead
		d := msgs.NewDecoder(b)
		h.Decode(d)
		return h, d.Rest()
	}
	depths, colours := map[msgs.Time][]byte{}, map[msgs.Time][]byte{}
	for range 100 {
		select {
		case b := <-aligned:
			h, pixels := images(b)
			if h.Encoding != "16UC1" || h.Width != 424 || h.Height != 240 || h.Header.FrameID != "camera_color_optical_frame" {
				t.Fatalf("aligned depth %+v", h)
			}
			depths[h.Header.Stamp] = pixels
		case b := <-colour:
			h, pixels := images(b)
			colours[h.Header.Stamp] = pixels
		case b := <-points:
			m := decodeCloud(t, b)
			depth, colour := depths[m.head.Header.Stamp], colours[m.head.Header.Stamp]
			if depth == nil || colour == nil {
				continue
			}
			wantCloud(t, &m, depth, colour)
			return
		case <-time.After(peer.Patience):
			t.Fatal("nothing comes")
		}
	}
	t.Error("no cloud has the stamp of an aligned depth and a colour image")
}

func wantCloud(t *testing.T, m *cloudMessage, depth, colours []byte) {
	t.Helper()
	if m.head.Header.FrameID != "camera_color_optical_frame" || m.head.Width != 424 || m.head.Height != 240 || m.dense {
		t.Errorf("cloud %+v", m.head)
	}
	seen := 0
	for i := range 424 * 240 {
		_, _, z, rgb := m.point(i)
		mm := binary.LittleEndian.Uint16(depth[2*i:])
		if mm == 0 {
			if z == z {
				t.Fatalf("point %d is %v m away, its depth isn't known", i, z)
			}
			continue
		}
		seen++
		if want := float32(mm) / 1000; math.Abs(float64(z-want)) > 1e-3 {
			t.Fatalf("point %d is %v m away, want %v", i, z, want)
		}
		if want := uint32(colours[3*i])<<16 | uint32(colours[3*i+1])<<8 | uint32(colours[3*i+2]); rgb != want {
			t.Fatalf("point %d has colour %06x, want %06x", i, rgb, want)
		}
	}
	if seen < 424*240/4 {
		t.Errorf("only %d points", seen)
	}
}

// Without align, the depth topic has filtered depth, and follows the filters' options.
func TestFilteredDepth(t *testing.T) {
	_, n := startTestLive(t, Options{Naming: naming.Wrapper, Wrapper: naming.WrapperOptions{
		Filters: []string{"decimation", "disparity", "spatial", "temporal", "hole_filling"}, Clip: 3,
	}})
	var head msgs.ImageHead
	next(t, n, "/camera/depth/image_rect_raw", &head, func() bool { return head.Width == 212 && head.Encoding == "16UC1" })
	var info msgs.CameraInfo
	next(t, n, "/camera/depth/camera_info", &info, func() bool { return info.Width == 212 && info.K[2] > 90 && info.K[2] < 120 })
	var now msgs.Config
	ask(t, n, "/camera/decimation/set_parameters", "dynamic_reconfigure/Reconfigure",
		&msgs.Config{Ints: []msgs.Param[int32]{{Name: "filter_magnitude", Value: 4}}}, &now)
	next(t, n, "/camera/depth/image_rect_raw", &head, func() bool { return head.Width == 108 || head.Width == 106 })
}

// With clip_distance alone, farther depth is 0, and the rest is unchanged.
func TestClipDistance(t *testing.T) {
	_, n := startTestLive(t, Options{Wrapper: naming.WrapperOptions{Clip: 2}})
	depth := onlooker(t, n, "/camera/depth/image_rect_raw")
	d := msgs.NewDecoder(receive(t, depth, "depth"))
	var h msgs.ImageHead
	h.Decode(d)
	near := 0
	for b := d.Rest(); len(b) > 1; b = b[2:] {
		switch mm := binary.LittleEndian.Uint16(b); {
		case mm > 2000:
			t.Fatalf("a depth of %d mm", mm)
		case mm > 0:
			near++
		}
	}
	if near == 0 {
		t.Error("nothing is left")
	}
}

func TestColorizedDepth(t *testing.T) {
	_, n := startTestLive(t, Options{Naming: naming.Wrapper, Wrapper: naming.WrapperOptions{Filters: []string{"colorizer"}, AlignDepth: true}})
	var head msgs.ImageHead
	for topic, frame := range map[string]string{
		"/camera/depth/image_rect_raw":             "camera_depth_optical_frame",
		"/camera/aligned_depth_to_color/image_raw": "camera_color_optical_frame",
	} {
		next(t, n, topic, &head, func() bool {
			return head.Encoding == "rgb8" && head.Step == 3*head.Width && head.Header.FrameID == frame
		})
	}
}

func TestRGBDNames(t *testing.T) {
	_, n := startTestLive(t, Options{Naming: naming.Wrapper, Wrapper: naming.WrapperOptions{RGBD: true, Texture: camdriver.ColorStream}})
	m := decodeCloud(t, receive(t, onlooker(t, n, "/camera/depth_registered/points"), "points"))
	if m.head.Width != 424 || m.head.Height != 240 || m.head.Header.FrameID != "camera_color_optical_frame" {
		t.Errorf("cloud %+v", m.head)
	}
	var head msgs.ImageHead
	next(t, n, "/camera/color/image_rect_color", &head, func() bool { return head.Encoding == "rgb8" && head.Width == 424 })
}

func TestUnknownFilterIsNamed(t *testing.T) {
	o := Options{ROS: ros.Config{PrivateParams: map[string]any{"filters": "spatial,sharpen"}}}
	if _, err := Start(context.Background(), o); err == nil {
		t.Error("a filter of no name was taken")
	}
}
