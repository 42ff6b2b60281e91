package reprocess_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/reprocess"
)

// devices processes a recording and opens what it becomes.
func devices(t *testing.T, in, camera, filter string) ([]*rsbag.File, reprocess.Result) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bag")
	chain, err := reprocess.ParseChain([]string{filter}, nil)
	need.Must(t, err)
	r, err := reprocess.Run(t.Context(), reprocess.Options{In: in, Out: out, Camera: camera, Log: zerolog.Nop(), Chain: chain})
	need.Must(t, err)
	files, err := rsbag.OpenAll(out, rsbag.Options{})
	need.Must(t, err)
	t.Cleanup(func() { files[0].Close() })
	return files, r
}

// TestCameras checks that each camera of a recording becomes a device with its own frames, calibration and time, whatever the
// order of their topics, and that one may be chosen.
func TestCameras(t *testing.T) {
	three := []string{"camera/camera", "front", "robot1/wrist"}
	var cases [][]string
	cases = append(cases, samplebag.Orders([]string{"front/color.raw", "front/depth.raw", "robot1/wrist/color.raw", "robot1/wrist/depth.raw"})...)
	for _, order := range samplebag.Orders(three) {
		var topics []string
		for i, stream := range []string{"/depth.raw", "/color.raw", "/depth.raw", "/color.raw", "/depth.raw", "/color.raw"} {
			topics = append(topics, order[i%3]+stream)
		}
		cases = append(cases, topics)
	}
	for _, topics := range cases {
		in := samplebag.Cameras(t, topics...)
		cameras := three[3-len(topics)/2:]
		files, r := devices(t, in, "", "temporal")
		if len(files) != len(cameras) || r.Sets != uint64(len(cameras)*samplebag.CameraFrames) || r.Frames != 2*r.Sets || r.Dropped > 0 {
			t.Fatalf("%v: %d devices, %+v", topics, len(files), r)
		}
		for i, f := range files {
			checkCamera(t, f, cameras[i], samplebag.CameraFrames)
		}
	}
	in := samplebag.Cameras(t, "front/color.raw", "robot1/wrist/depth.raw", "robot1/wrist/color.raw")
	files, _ := devices(t, in, "robot1/wrist", "temporal")
	if len(files) != 1 {
		t.Errorf("one camera became %d devices", len(files))
	}
	checkCamera(t, files[0], "robot1/wrist", samplebag.CameraFrames)
	files, _ = devices(t, in, "", "temporal")
	files, _ = devices(t, files[0].Bag().Path(), "device_1", "temporal")
	checkCamera(t, files[0], "robot1/wrist", samplebag.CameraFrames)

	// One that begins later stays later.
	files, _ = devices(t, samplebag.Cameras(t, "front/color.raw@3", "front/depth.raw@3", "robot1/wrist/depth.raw", "robot1/wrist/color.raw"), "", "temporal")
	checkCamera(t, files[0], "front", samplebag.CameraFrames-3)
	checkCamera(t, files[1], "robot1/wrist", samplebag.CameraFrames)

	// Depth of one camera isn't aligned to the colour of another.
	files, r := devices(t, samplebag.Cameras(t, "front/color.raw", "robot1/wrist/depth.raw"), "", "align_to_color")
	if s := stream(files[1], depth); r.Sets != 2*samplebag.CameraFrames || s.Video.Fx != float64(samplebag.CameraValue("robot1/wrist")) {
		t.Errorf("%+v, depth with %+v", r, s.Video)
	}
}

// checkCamera checks one of samplebag.Cameras.
func checkCamera(t *testing.T, f *rsbag.File, name string, frames uint64) {
	t.Helper()
	v := samplebag.CameraValue(name)
	for _, id := range []camdriver.StreamID{color, depth} {
		e, err := f.Last(id, time.Hour)
		need.Must(t, err)
		want := uint16(v)
		got := uint16(e.Frame.Data[0])
		if id == depth {
			middle := e.Frame.Stride*(e.Frame.Height/2) + e.Frame.Stride/2
			want, got = 10*want, uint16(e.Frame.Data[middle])|uint16(e.Frame.Data[middle+1])<<8
		}
		if s := stream(f, id); got != want || f.Frames(id) != frames || s.Video.Fx != float64(v) {
			t.Errorf("%s of %s: %d frames, value %d, want %d; %+v", id, name, f.Frames(id), got, want, s.Video)
		}
		if at := e.Frame.Arrival.UnixNano(); at != samplebag.NodeStart+int64(samplebag.CameraFrames-1)*100_000_000 {
			t.Errorf("%s of %s: the last frame arrived at %d", id, name, at)
		}
		e.Frame.Release()
	}
	if start, ok := f.Start(); !ok || start.UnixNano() != samplebag.NodeStart-1000 {
		t.Errorf("%s starts at %v", name, start)
	}
}

// orderBlock fails if a set comes long after later ones, for which all others would wait in memory.
type orderBlock struct {
	process.Block
	t      *testing.T
	newest *time.Time // of all cameras
}

func (b orderBlock) Reset() {}

func (b orderBlock) Process(s *process.Set) error {
	at := s.Images[0].Frame.Arrival
	if late := b.newest.Sub(at); late > 2*time.Second {
		b.t.Errorf("a set comes %v after a later one", late)
	}
	if at.After(*b.newest) {
		*b.newest = at
	}
	return nil
}

// TestGap checks that the times of two devices stay when one of them pauses while a frame waits for its set.
func TestGap(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.bag"), filepath.Join(dir, "out.bag")
	snap := camdriver.DeviceSnapshot{Reference: depth, Sensors: []camdriver.SensorSnapshot{{Name: "Stereo Module"}}}
	for _, p := range []camdriver.Profile{{Stream: depth, Format: camdriver.Z16}, {Stream: left, Format: camdriver.Y8}} {
		p.Width, p.Height, p.FPS = 2, 1, 10
		snap.Streams = append(snap.Streams, camdriver.StreamSnapshot{Profile: p})
	}
	first, err := rsbag.NewRecorder(in, snap, rsbag.RecorderOptions{})
	need.Must(t, err)
	second, err := first.Join(1, snap)
	need.Must(t, err)
	began := time.Unix(samplebag.NodeStart/1e9, 0)
	for i := range 100 {
		for k, r := range []*rsbag.Recorder{first, second} {
			for _, s := range snap.Streams {
				if k == 1 && i > 20 && i < 80 || k == 1 && i == 20 && s.Profile.Stream == left {
					continue
				}
				f := camdriver.NewFrame(nil)
				f.Profile, f.Width, f.Height, f.Stride, f.Number = s.Profile, 2, 1, 2*s.Profile.Format.BitsPerPixel()/8, uint64(i)
				f.Data, f.Arrival = make([]byte, f.Stride), began.Add(time.Duration(i)*100*time.Millisecond)
				f.Timestamp = float64(f.Arrival.UnixMicro()) / 1000
				need.Must(t, r.Frame(0, f))
			}
		}
	}
	need.Must(t, first.Close())
	var newest time.Time
	_, err = reprocess.Run(t.Context(), reprocess.Options{In: in, Out: out, Log: zerolog.Nop(), Chain: func(*process.Resources) (process.Chain, error) {
		newest = time.Unix(0, 0) // probing is over
		return process.Chain{orderBlock{t: t, newest: &newest}}, nil
	}})
	need.Must(t, err)
	var lists [2][]string
	for i, path := range []string{in, out} {
		files, err := rsbag.OpenAll(path, rsbag.Options{})
		need.Must(t, err)
		for _, f := range files {
			c := f.Cursor(rsbag.CursorOptions{})
			for e := range c.Events() {
				lists[i] = append(lists[i], e.Frame.Stream().String()+" "+e.Time.String())
			}
			c.Close()
		}
		need.Must(t, files[0].Close())
	}
	if strings.Join(lists[0], ", ") != strings.Join(lists[1], ", ") {
		t.Errorf("frames\n%q, want\n%q", lists[1], lists[0])
	}
}

// TestNoDate checks that a recording without a date gets none.
func TestNoDate(t *testing.T) {
	f, _, err := run(t, unpleasant, "colorizer")
	need.Must(t, err)
	if start, ok := f.Start(); ok {
		t.Errorf("it starts at %v", start)
	}
}
