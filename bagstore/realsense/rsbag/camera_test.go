package rsbag

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestCameras checks that each camera has its own frames and calibration, in whatever order and form its topics come.
func TestCameras(t *testing.T) {
	for name, topics := range map[string][]string{
		"two":        {"front/color.raw", "front/depth.raw", "robot1/wrist/color.raw", "robot1/wrist/depth.raw"},
		"three":      {"front/color.raw", "front/depth.raw", "robot1/wrist/color.raw", "robot1/wrist/depth.raw", "camera/camera/color.raw", "camera/camera/depth.raw"},
		"one":        {"camera/camera/color.raw", "camera/camera/depth.raw"},
		"compressed": {"front/color.jpeg", "front/depth.png", "robot1/wrist/color.png", "robot1/wrist/depth.rvl"},
		"both forms": {"front/color.raw", "front/color.jpeg", "front/depth.rvl", "front/depth.raw"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, order := range samplebag.Orders(topics) {
				path := samplebag.Cameras(t, order...)
				files, err := OpenAll(path, Options{CameraNodes: true})
				need.Must(t, err)
				seen := make(map[string]int)
				for _, f := range files {
					camera := f.Camera().Name
					v := samplebag.CameraValue(camera)
					if len(f.Omissions()) > 0 {
						t.Errorf("%v: %s leaves out %q", order, camera, f.Omissions())
					}
					for _, id := range []camdriver.StreamID{camdriver.ColorStream, camdriver.DepthStream} {
						want := []byte{v, v, v}
						if id == camdriver.DepthStream {
							want = binary.LittleEndian.AppendUint16(nil, 10*uint16(v))
						}
						want = bytes.Repeat(want, samplebag.CameraWidth*samplebag.CameraHeight)
						list := framesOf(t, f, id)
						for _, one := range list {
							if !bytes.Equal(one.Data, want) {
								t.Fatalf("%v: a frame of %s of %s has the pixels %v…, want %v…", order, id, camera, one.Data[:4], want[:4])
							}
							one.Release()
						}
						seen[camera] += len(list)
					}
					for id, topic := range f.native.topics {
						if _, transport := rslayout.TransportOf(topic); name == "both forms" && transport != "" {
							t.Errorf("%v: %s is read from %s", order, id, topic)
						}
					}
					for _, s := range f.Snapshot().Streams {
						if s.Video == nil || s.Video.Fx != float64(v) {
							t.Errorf("%v: %s of %s has the calibration %v", order, s.Profile.Stream, camera, s.Video)
						}
					}
				}
				for _, topic := range order {
					camera := topic[:strings.LastIndexByte(topic, '/')]
					if seen[camera] != 2*samplebag.CameraFrames {
						t.Errorf("%v: %d frames of %s", order, seen[camera], camera)
					}
				}
				need.Must(t, files[0].Close())
			}
		})
	}
}

// TestMerge checks that events of cameras come in the order of time, on the line of the earliest.
func TestMerge(t *testing.T) {
	files, err := OpenAll(samplebag.Cameras(t, "front/color.raw@3", "robot1/wrist/color.raw", "camera/camera/color.raw@5"), Options{CameraNodes: true})
	need.Must(t, err)
	defer files[0].Close()
	var cursors []*Cursor
	for _, f := range files {
		c := f.Cursor(CursorOptions{SystemTimes: true})
		defer c.Close()
		cursors = append(cursors, c)
	}
	var got []string
	for i, e := range Merge(cursors, bagstore.Filter{}) {
		if arrived := e.Frame.Arrival.UnixNano() - samplebag.NodeStart; time.Duration(arrived) != e.Time-time.Duration(firstFrame) {
			t.Errorf("a frame of %s that arrived at %v is at %v", files[i].Camera().Name, time.Duration(arrived), e.Time)
		}
		got = append(got, fmt.Sprint(files[i].Camera().Name[0:1], e.Time.Round(time.Millisecond).Milliseconds()/100))
	}
	if text := strings.Join(got, " "); text != "r0 r1 r2 f3 r3 f4 r4 c5 f5 r5 c6 f6 r6 c7 f7 r7" {
		t.Errorf("events %s", text)
	}
}

// TestChooseCamera checks which camera a name means, and what is said if none does.
func TestChooseCamera(t *testing.T) {
	two := samplebag.Cameras(t, "front/color.raw", "robot1/wrist/depth.raw")
	one := samplebag.Cameras(t, "front/color.raw")
	for _, c := range []struct {
		path string
		o    Options
		want string
		err  error
	}{
		{two, Options{}, "", ErrSeveral}, {two, Options{First: true}, "front", nil}, {two, Options{Camera: "/robot1/wrist"}, "robot1/wrist", nil},
		{two, Options{Camera: "wrist"}, "", ErrCamera}, {two, Options{Camera: "wrist", Lenient: true}, "", ErrCamera},
		{one, Options{}, "front", nil}, {one, Options{Camera: "x"}, "", ErrCamera}, {one, Options{Camera: "x", Lenient: true}, "front", nil},
	} {
		c.o.CameraNodes = true
		f, err := Open(c.path, c.o)
		if !errors.Is(err, c.err) || errors.Is(err, ErrSeveral) != (c.err == ErrSeveral) || err == nil && f.Camera().Name != c.want {
			t.Errorf("%+v: %v, want %s or %v", c.o, err, c.want, c.err)
		}
		if err == nil {
			need.Must(t, f.Close())
		} else if !strings.Contains(err.Error(), "front") {
			t.Errorf("%v doesn't name the cameras", err)
		}
	}
}

// TestCameraNames checks the cameras of topics by their names alone.
func TestCameraNames(t *testing.T) {
	const image, imu, info = "sensor_msgs/Image", "sensor_msgs/Imu", "sensor_msgs/CameraInfo"
	for name, c := range map[string]struct {
		topics map[string]string
		want   string
	}{
		"a robot's IMU":          {map[string]string{"/cam/color/image_raw": image, "/cam/color/camera_info": info, "/imu/data": imu}, "cam"},
		"an IMU alone":           {map[string]string{"/imu/data": imu}, "/"},
		"a tracking camera":      {map[string]string{"/cam/color/image_raw": image, "/cam/color/camera_info": info, "/t265/gyro/sample": imu}, "cam t265"},
		"no calibration":         {map[string]string{"/cam/color/image_raw": image}, ""},
		"the word in the name":   {map[string]string{"/cam/color/image_color": image, "/cam/color/camera_info": info, "/cam/depth/image_raw": image, "/cam/depth/camera_info": info}, "cam"},
		"a name within another":  {map[string]string{"/cam/color/image": image, "/cam/color/camera_info": info, "/cam/2/color/image": image, "/cam/2/color/camera_info": info}, "cam cam/2"},
		"a device and its topic": {map[string]string{"/device_0/sensor_0/Color_0/image/data": image, "/cam/color/image": image, "/cam/color/camera_info": info}, "device_0"},
	} {
		path := t.TempDir() + "/x.bag"
		w := samplebag.Create(t, path, bagstore.Options{})
		for topic, kind := range c.topics {
			w.Put(samplebag.Topic(topic, kind), nativeAt, nil)
		}
		w.Done()
		if got := strings.Join(Names(Cameras(samplebag.Open(t, path))), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestRobotIMU checks that an IMU outside of the cameras' namespaces is the only camera's, and none's of several.
func TestRobotIMU(t *testing.T) {
	for _, c := range []struct {
		cameras []string
		samples uint64
		left    int
	}{{[]string{"cam"}, 1, 0}, {[]string{"cam", "eye"}, 0, 1}} {
		path := t.TempDir() + "/x.bag"
		w := samplebag.Create(t, path, bagstore.Options{})
		w.Put(samplebag.Topic("/imu/data", "sensor_msgs/Imu"), nativeAt, msgs.Marshal(&msgs.Imu{}))
		for _, name := range c.cameras {
			w.Put(samplebag.Topic("/"+name+"/color/image", "sensor_msgs/Image"), nativeAt, msgs.Marshal(&msgs.Imu{}))
			w.Put(samplebag.Topic("/"+name+"/color/camera_info", "sensor_msgs/CameraInfo"), nativeAt, msgs.Marshal(&msgs.CameraInfo{}))
		}
		w.Done()
		f, err := Open(path, Options{CameraNodes: true, First: true})
		need.Must(t, err)
		left := slices.DeleteFunc(slices.Clone(f.Omissions()), func(text string) bool { return !strings.Contains(text, "/imu/data: it is of none") })
		if n := f.Frames(camdriver.StreamID{Kind: camdriver.Motion}); n != c.samples || len(left) != c.left {
			t.Errorf("%v: %d samples, %q left out", c.cameras, n, f.Omissions())
		}
		need.Must(t, f.Close())
	}
}

// TestManyNamespaces checks that a bag whose topics are in many namespaces has a bounded number of cameras.
func TestManyNamespaces(t *testing.T) {
	path := t.TempDir() + "/x.bag"
	w := samplebag.Create(t, path, bagstore.Options{})
	for i := range 3000 {
		w.Put(samplebag.Topic(fmt.Sprintf("/cam%d/gyro/sample", i), "sensor_msgs/Imu"), nativeAt, msgs.Marshal(&msgs.Imu{}))
		w.Put(samplebag.Topic(fmt.Sprintf("/cam0/gyro/%d", i), "sensor_msgs/Imu"), nativeAt, msgs.Marshal(&msgs.Imu{}))
	}
	w.Done()
	list := Cameras(samplebag.Open(t, path))
	if len(list) != maxCameras || len(list[0].Streams) != 1 {
		t.Errorf("%d cameras, the first with %d streams", len(list), len(list[0].Streams))
	}
	f, err := Open(path, Options{CameraNodes: true, Camera: "cam0"})
	need.Must(t, err)
	defer f.Close()
	if n := f.Frames(camdriver.GyroStream); n != 1 || len(f.Omissions()) == 0 {
		t.Errorf("%d samples, %d notes", n, len(f.Omissions()))
	}
}

// TestUnreadableImages checks that the error says why images of a camera node can't be read.
func TestUnreadableImages(t *testing.T) {
	path := t.TempDir() + "/x.bag"
	w := samplebag.Create(t, path, bagstore.Options{})
	var e msgs.Encoder
	e.Message(&msgs.Header{})
	e.String("16UC1; compressedDepth png")
	e.Bytes(make([]byte, 40))
	for _, topic := range []string{"/cam/depth/image_raw/compressedDepth", "/eye/image_raw/compressed", "/cam/infra1/image_raw/compressed"} {
		w.Put(samplebag.Topic(topic, "sensor_msgs/CompressedImage"), nativeAt, e.B)
	}
	w.Put(samplebag.Topic("/cam/depth/camera_info", "sensor_msgs/CameraInfo"), nativeAt, msgs.Marshal(&msgs.CameraInfo{Width: 4, Height: 3}))
	w.Done()
	f, err := Open(path, Options{CameraNodes: true})
	need.Must(t, err)
	defer f.Close()
	all := strings.Join(f.Omissions(), "\n")
	for _, want := range []string{"/cam/depth/image_raw/compressedDepth: decompress depth", "/eye/image_raw/compressed: its name says no stream", "/cam/infra1/image_raw/compressed: it has no camera_info"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q lacks %q", all, want)
		}
	}
}
