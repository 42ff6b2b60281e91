package convert

import (
	"errors"
	"path/filepath"
	"testing"

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
	r, err := Run(t.Context(), Options{In: in, Out: out, Device: true})
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
		f, err := rsbag.Open(o.Out, rsbag.Options{})
		need.Must(t, err)
		checkCamera(t, f, "robot1/wrist")
		need.Must(t, f.Close())
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
