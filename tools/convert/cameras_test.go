package convert

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestCameras checks that a recording of several cameras becomes one of several devices, with their frames in the order of
// time, and that a format for one device asks for its name.
func TestCameras(t *testing.T) {
	in := samplebag.Cameras(t, "robot1/wrist/color.png", "front/depth.raw", "front/color.raw", "robot1/wrist/depth.rvl")
	out := filepath.Join(t.TempDir(), "x.bag")
	r, err := Run(t.Context(), Options{In: in, Out: out, Device: true, Bag: bagstore.Options{ChunkSize: 1 << 10}})
	if err != nil || len(r.Lost) > 0 || r.Frames != 4*samplebag.CameraFrames {
		t.Fatalf("%+v, %v", r, err)
	}
	files, err := rsbag.OpenAll(out, rsbag.Options{})
	need.Must(t, err)
	defer files[0].Close()
	for i, name := range []string{"front", "robot1/wrist"} {
		checkCamera(t, files[i], name)
	}
	last := samplebag.Open(t, out).Start()
	for _, b := range samplebag.Open(t, out).Blocks() {
		if b.Start == bagstore.MinTime { // with a part of the description
			continue
		}
		if b.Start < last {
			t.Errorf("a chunk begins at %v, after one at %v", b.Start, last)
		}
		last = b.Start
	}
	for _, in := range []string{in, out} {
		db := filepath.Join(t.TempDir(), "x.db3")
		if _, err := Run(t.Context(), Options{In: in, Out: db, Device: true}); !errors.Is(err, rsbag.ErrSeveral) {
			t.Errorf("a .db3 of two cameras: %v", err)
		}
	}
	for _, o := range []Options{{In: in, Camera: "robot1/wrist", Out: filepath.Join(t.TempDir(), "x.db3"), Device: true}, {In: out, Camera: "device_1", Out: filepath.Join(t.TempDir(), "y.bag")}} {
		if r, err := Run(t.Context(), o); err != nil || len(r.Lost) > 0 || r.Frames != 2*samplebag.CameraFrames {
			t.Errorf("%+v: %+v, %v", o, r, err)
			continue
		}
		checkCamera(t, open(t, o.Out), "robot1/wrist")
	}
}

// checkCamera checks the frames and the calibration of one of samplebag.Cameras.
func checkCamera(t *testing.T, f *rsbag.File, name string) {
	t.Helper()
	v := samplebag.CameraValue(name)
	e, err := f.First(camdriver.ColorStream)
	need.Must(t, err)
	defer e.Frame.Release()
	if n := f.Frames(camdriver.ColorStream) + f.Frames(camdriver.DepthStream); n != 2*samplebag.CameraFrames || e.Frame.Data[0] != v || f.Snapshot().Streams[0].Video.Fx != float64(v) {
		t.Errorf("%s: %d frames, pixels %d, focal length %v; want %d, %d", name, n, e.Frame.Data[0], f.Snapshot().Streams[0].Video.Fx, 2*samplebag.CameraFrames, v)
	}
	if start, ok := f.Start(); !ok || start.UnixNano() != samplebag.NodeStart-1000 { // librealsense wants frames after 0
		t.Errorf("%s starts at %v", name, start.UnixNano()-samplebag.NodeStart)
	}
}

// TestSecondDevice checks that what a recorder wrote about a second device's clock becomes the first one's.
func TestSecondDevice(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.bag"), filepath.Join(t.TempDir(), "out.bag")
	profile := camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 2, Height: 1, FPS: 10}
	snap := camdriver.DeviceSnapshot{Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "A"}}, Sensors: []camdriver.SensorSnapshot{{Name: "Stereo Module"}},
		Reference: profile.Stream, Streams: []camdriver.StreamSnapshot{{Profile: profile}}}
	first, err := rsbag.NewRecorder(in, snap, rsbag.RecorderOptions{})
	need.Must(t, err)
	second, err := first.Join(1, snap)
	need.Must(t, err)
	for i, r := range []*rsbag.Recorder{first, second} {
		f := camdriver.NewFrame(nil)
		f.Profile, f.Width, f.Height, f.Stride, f.Data, f.Number, f.Arrival = profile, 2, 1, 4, make([]byte, 4), 1, time.Unix(1000, int64(i))
		need.Must(t, r.Frame(0, f))
	}
	need.Must(t, first.Close())
	if r, err := Run(t.Context(), Options{In: in, Camera: "1", Out: out}); err != nil || len(r.Lost) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	topics := make(map[string]bool)
	for _, c := range samplebag.Open(t, out).Connections() {
		topics[c.Topic] = true
		if strings.HasPrefix(c.Topic, "/device_1/") {
			t.Errorf("%s is in a recording of one device", c.Topic)
		}
	}
	if !topics["/device_0/sensor_0/time"] {
		t.Errorf("topics %v", topics)
	}
}
