package rsbag

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/mcap"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

func id(kind camdriver.StreamKind, index int) camdriver.StreamID {
	return camdriver.StreamID{Kind: kind, Index: index}
}

// testSnapshot is a device with a stream of every kind and a value in every field.
func testSnapshot() camdriver.DeviceSnapshot {
	snap := camdriver.DeviceSnapshot{
		Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Test Device"}, {Key: camdriver.InfoSerialNumber, Value: "0123"},
			{Key: camdriver.InfoProductId, Value: "0B3A"}, {Key: camdriver.InfoProductLine, Value: "D400"}},
		Reference: id(camdriver.Depth, 0),
	}
	for _, s := range []struct {
		name     string
		profiles []camdriver.Profile
	}{
		{"Stereo Module", []camdriver.Profile{
			{Stream: id(camdriver.Depth, 0), Format: camdriver.Z16, Width: 8, Height: 4, FPS: 30, Default: true},
			{Stream: id(camdriver.Infrared, 1), Format: camdriver.Y8, Width: 8, Height: 4, FPS: 30},
			{Stream: id(camdriver.Infrared, 2), Format: camdriver.Y8, Width: 8, Height: 4, FPS: 30},
			{Stream: id(camdriver.Confidence, 0), Format: camdriver.RAW8, Width: 8, Height: 4, FPS: 30}}},
		{"RGB Camera", []camdriver.Profile{
			{Stream: id(camdriver.Color, 0), Format: camdriver.RGB8, Width: 4, Height: 2, FPS: 30, Default: true},
			{Stream: id(camdriver.Fisheye, 1), Format: camdriver.UYVY, Width: 4, Height: 2, FPS: 30}}},
		{"Motion Module", []camdriver.Profile{
			{Stream: id(camdriver.Gyro, 0), Format: camdriver.MotionXYZ32F, FPS: 200},
			{Stream: id(camdriver.Accel, 0), Format: camdriver.MotionXYZ32F, FPS: 100},
			{Stream: id(camdriver.Motion, 0), Format: camdriver.MotionFull, FPS: 100},
			{Stream: id(camdriver.Pose, 0), Format: camdriver.SixDOF, FPS: 200},
			{Stream: id(camdriver.Occupancy, 0), Format: camdriver.Y8, FPS: 125}}}, // how 5 in 40 ms is read back: a map's rate isn't stored
	} {
		number := len(snap.Sensors)
		snap.Sensors = append(snap.Sensors, camdriver.SensorSnapshot{Name: s.name,
			Info:    []camdriver.Info{{Key: camdriver.InfoName, Value: s.name}},
			Options: testOptions(), Filters: []string{"Decimation Filter", "Spatial Filter"}, Profiles: s.profiles})
		for i, p := range s.profiles {
			snap.Streams = append(snap.Streams, testStream(number, i, p))
		}
	}
	return snap
}

func testOptions() []camdriver.Option {
	option := func(id camdriver.OptionID, v float32, text string) camdriver.Option {
		return camdriver.Option{ID: id, Value: v, Min: v, Max: v, Default: v, ReadOnly: true, Description: text}
	}
	return []camdriver.Option{
		option(camdriver.OptionExposure, 8500, "exposure"),
		option(camdriver.OptionDepthUnits, 0.001, "metres a unit"),
		option(camdriver.OptionLDDTemperature, 30, ""),
	}
}

func testStream(sensor, i int, p camdriver.Profile) camdriver.StreamSnapshot {
	e := camdriver.Identity()
	if p.Stream != id(camdriver.Depth, 0) {
		e = rslayout.Extrinsics(&msgs.Transform{Translation: msgs.Vector3{X: float64(i), Y: -0.5, Z: 0.01},
			Rotation: msgs.Quaternion{X: 0.5, Y: -0.5, Z: 0.5, W: float64(i%2) - 0.5}})
	}
	s := camdriver.StreamSnapshot{Sensor: sensor, Profile: p, Extrinsic: &e}
	if p.Stream.Kind.Video() {
		s.Video = &camdriver.Intrinsics{Width: p.Width, Height: p.Height, Fx: 5.5, Fy: 6.5, Ppx: 3.5, Ppy: 2.5,
			Model: camdriver.InverseBrownConrady, Coeffs: [5]float64{1, 2, 3, 4, 5}}
	}
	if p.Stream.Kind.Inertial() {
		s.Motion = &camdriver.MotionIntrinsics{Data: [12]float32{1, 2, 3}, NoiseVariances: [3]float32{4}, BiasVariances: [3]float32{5}}
	}
	return s
}

// testFrame returns frame n of a stream, with a value derived from n in every field.
func testFrame(p camdriver.Profile, n int, arrival time.Time) *camdriver.Frame {
	f := camdriver.NewFrame(nil)
	f.Profile, f.Number, f.Arrival = p, uint64(1000+n), arrival
	f.Timestamp = 1.7e12 + float64(n)*33.25
	f.Domain = camdriver.GlobalTime
	f.Metadata = []camdriver.MetadataValue{{Key: camdriver.MetaFrameCounter, Value: int64(n)}, {Key: camdriver.MetaTemperature, Value: -7}}
	v := float64(float32(n) / 10)
	switch {
	case p.Stream.Kind.Video():
		f.Width, f.Height, f.Stride = p.Width, p.Height, p.Width*p.Format.BitsPerPixel()/8
		f.Data = make([]byte, f.Stride*f.Height)
		for i := range f.Data {
			f.Data[i] = byte(i + n)
		}
		if p.Stream.Kind == camdriver.Depth {
			f.DepthUnits = 0.001
		}
	case p.Stream.Kind == camdriver.Gyro:
		f.Motion.Gyro = [3]float64{v, 1, 2}
	case p.Stream.Kind == camdriver.Accel:
		f.Motion.Accel = [3]float64{v, 1, 2}
	case p.Stream.Kind == camdriver.Motion:
		f.Motion = camdriver.MotionSample{Orientation: [4]float64{v, 1, 2, 3}, Gyro: [3]float64{v, 4, 5}, Accel: [3]float64{v, 6, 7}}
	case p.Stream.Kind == camdriver.Occupancy:
		f.Width, f.Height, f.Stride = 3+n, 2, 3+n // a map grows
		f.Data = slices.Repeat([]byte{0, 100, 255}, f.Width)[:f.Width*f.Height]
		f.Map = camdriver.MapInfo{Resolution: 0.05, Origin: [3]float64{v, 1, 2}, Rotation: [4]float64{v, 3, 4, 5}}
	default:
		w := float32(v)
		f.Pose = camdriver.PoseSample{Translation: camdriver.Vec3{w, 1}, Velocity: camdriver.Vec3{w, 2}, Acceleration: camdriver.Vec3{w, 3},
			Rotation: [4]float32{w, 1, 2, 3}, AngularVelocity: camdriver.Vec3{w, 4}, AngularAcceleration: camdriver.Vec3{w, 5},
			TrackerConfidence: 3, MapperConfidence: 2}
	}
	return f
}

var testStart = time.Date(2024, 5, 6, 7, 8, 9, 123456789, time.UTC)

// create returns the Recorder of a bag or an MCAP.
func create(t testing.TB, path string, snap camdriver.DeviceSnapshot, o RecorderOptions) *Recorder {
	t.Helper()
	if filepath.Ext(path) != ".mcap" {
		r, err := NewRecorder(path, snap, o)
		need.Must(t, err)
		return r
	}
	w, err := mcap.CreateBag(path, o.Bag)
	need.Must(t, err)
	r, err := NewRecorderOn(w, snap, o)
	need.Must(t, err)
	return r
}

// record writes n frames of every stream, 10 ms apart, with events between.
func record(t testing.TB, path string, n int, o RecorderOptions) RecorderStats {
	t.Helper()
	snap := testSnapshot()
	r := create(t, path, snap, o)
	need.Must(t, r.Option(0, camdriver.OptionExposure, 1, time.Time{})) // before the first frame
	for i := range n {
		at := testStart.Add(time.Duration(i) * 10 * time.Millisecond)
		for _, s := range snap.Streams {
			need.Must(t, r.Frame(s.Sensor, testFrame(s.Profile, i, at)))
		}
		if i == 2 {
			need.Must(t, r.Option(1, camdriver.OptionExposure, 9, at.Add(time.Millisecond)))
			need.Must(t, r.Notification(0, camdriver.Notification{Time: testStart, Category: camdriver.NotifyHardwareEvent,
				Severity: camdriver.SeverityWarn, Description: "é", Data: "{}"}, at))
			need.Must(t, r.Log(msgs.Log{Level: msgs.LogInfo, Msg: "a line"}, at))
		}
	}
	need.Must(t, r.Close())
	need.Must(t, r.Close())
	return r.Stats()
}

func sinks() map[string]bagstore.Options {
	list := map[string]bagstore.Options{
		"none":   {},
		"lz4":    {Compression: bagstore.LZ4},
		"direct": {Sink: bagstore.Direct},
		"small":  {ChunkSize: 4096, Checkpoint: time.Nanosecond},
	}
	if strings.HasPrefix(bagstore.ThisPlatform().Direct, "no") {
		delete(list, "direct")
	}
	return list
}

// TestRoundTrip writes every row of the table and reads it back.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for name, bag := range sinks() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name+".bag")
			paths = append(paths, path)
			st := record(t, path, 5, RecorderOptions{Bag: bag, Program: "test"})
			if len(st.Streams) != 11 || st.Streams[0].Frames != 5 || st.Duration != 40*time.Millisecond+1000 {
				t.Errorf("stats %+v", st)
			}
			f, err := Open(path, Options{})
			need.Must(t, err)
			defer f.Close()
			if len(f.Notes()) != 0 || f.version != rslayout.FileVersion {
				t.Errorf("version %d, notes %q", f.version, f.Notes())
			}
			compareSnapshots(t, f.Snapshot(), testSnapshot())
			if start, ok := f.Start(); !ok || start.Sub(testStart) != -1000 {
				t.Errorf("start %v %v", start, ok)
			}
			compareEvents(t, f, 5)
		})
	}
	playable(t, paths...)
}

// compareSnapshots compares snapshots, allowing for the rounding of rotations.
func compareSnapshots(t *testing.T, got, want camdriver.DeviceSnapshot) {
	t.Helper()
	slices.SortFunc(want.Streams, func(a, b camdriver.StreamSnapshot) int {
		return a.Sensor*100 - b.Sensor*100 + a.Profile.Stream.Compare(b.Profile.Stream)
	})
	for i := range want.Sensors {
		slices.SortFunc(want.Sensors[i].Profiles, func(a, b camdriver.Profile) int { return a.Stream.Compare(b.Stream) })
	}
	for i := range want.Streams {
		g, w := got.Streams[i].Extrinsic, want.Streams[i].Extrinsic
		for k := range w.Rotation {
			if math.Abs(g.Rotation[k]-w.Rotation[k]) > 1e-12 {
				t.Fatalf("%s: extrinsics %v, want %v", want.Streams[i].Profile, g, w)
			}
		}
		*g = *w
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("snapshot\n%+v\nwant\n%+v", got, want)
	}
}

func compareEvents(t *testing.T, f *File, n int) {
	t.Helper()
	c := f.Cursor(CursorOptions{Base: testStart.Add(-time.Duration(firstFrame))})
	defer c.Close()
	count := make(map[camdriver.StreamID]int)
	var rest []string
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		if e.Frame == nil {
			rest = append(rest, label(e))
			continue
		}
		i := count[e.Frame.Stream()]
		count[e.Frame.Stream()]++
		want := testFrame(e.Frame.Profile, i, testStart.Add(time.Duration(i)*10*time.Millisecond))
		if g := fields(e.Frame); g != fields(want) {
			t.Fatalf("frame %s\nwant  %s", g, fields(want))
		}
	}
	if len(count) != 11 {
		t.Errorf("streams %v", count)
	}
	for s, k := range count {
		if k != n {
			t.Errorf("%s: %d frames", s, k)
		}
	}
	want := []string{"2ns 0 {Exposure 1}", "20.001ms 0 Hardware Event", "21.001ms 1 {Exposure 9}"}
	if !slices.Equal(rest, want) {
		t.Errorf("events %q, want %q", rest, want)
	}
}

// fields prints every field of a frame.
func fields(f *camdriver.Frame) string {
	return fmt.Sprint(f.Profile, f.Number, f.Timestamp, f.Domain, f.Arrival.UTC(), f.Metadata, f.Width, f.Height, f.Stride,
		f.Data, f.DepthUnits, f.Motion, f.Pose, f.Map)
}

// playable runs independent judges: ROS's own rosbag tool, and a checker in Python of every rule that
// librealsense's player requires.
func playable(t *testing.T, paths ...string) {
	t.Helper()
	if _, err := exec.LookPath("rosbag"); err != nil {
		need.Missing(t, "not here: rosbag")
	}
	check := append([]string{"testdata/check_v3.py"}, paths...)
	if out, err := exec.Command("/usr/bin/python3", check...).CombinedOutput(); err != nil {
		t.Errorf("check_v3.py: %v\n%s", err, out)
	}
	out, err := exec.Command("rosbag", append([]string{"info"}, paths...)...).CombinedOutput()
	if err != nil || strings.Count(string(out), "/file_version") != len(paths) {
		t.Errorf("rosbag info: %v\n%s", err, out)
	}
	if out, err := exec.Command("rosbag", "check", paths[0]).CombinedOutput(); err != nil {
		t.Errorf("rosbag check: %v\n%s", err, out)
	}
	for _, path := range paths {
		agree(t, path)
	}
}

// agree checks that the stock libraries find in a bag what we find, regardless of the layout. For a
// truncated bag they know what the last checkpoint recorded.
func agree(t *testing.T, path string) {
	t.Helper()
	b := samplebag.Open(t, path)
	v := b.View(bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	var list []stockbag.Message
	for it.Next() {
		m := it.Message()
		list = append(list, stockbag.NewMessage(m.Conn.Topic, m.Time, m.Data))
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	if len(b.Notes()) == 0 {
		stockbag.Agree(t, path, list)
	}
}

// written closes a recording and opens one of its devices.
func written(t *testing.T, r *Recorder, path string, device int) *File {
	t.Helper()
	need.Must(t, r.Close())
	f, err := Open(path, Options{Camera: fmt.Sprint(device)})
	need.Must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestEncoderKeepsRules tries to make the encoder write what crashes librealsense.
func TestEncoderKeepsRules(t *testing.T) {
	snap := testSnapshot()
	snap.Info = append(snap.Info, camdriver.Info{Key: camdriver.InfoImuType, Value: "BMI088"}, camdriver.Info{Key: 200, Value: "bogus"}, camdriver.Info{Key: camdriver.InfoName, Value: "again"})
	snap.Sensors[2].Name = "Tracking Module" // with a D400's Product Id: refused in version 3
	snap.Sensors[0].Options = append(snap.Sensors[0].Options, camdriver.Option{ID: 250}, camdriver.Option{ID: camdriver.OptionSafetyMode}, snap.Sensors[0].Options[0])
	snap.Streams = append(snap.Streams, snap.Streams[0], camdriver.StreamSnapshot{Sensor: 9, Profile: snap.Streams[1].Profile},
		camdriver.StreamSnapshot{Profile: camdriver.Profile{Stream: id(camdriver.Gpio, 0)}})
	path := filepath.Join(t.TempDir(), "x.bag")
	r, err := NewRecorder(path, snap, RecorderOptions{})
	need.Must(t, err)
	p := snap.Streams[0].Profile
	for range 3 { // at the same time, with too many values
		f := testFrame(p, 0, testStart)
		f.Metadata = nil
		for k := range 160 {
			f.Metadata = append(f.Metadata, camdriver.MetadataValue{Key: camdriver.MetadataKey(k / 2 * 2)}, camdriver.MetadataValue{Key: camdriver.MetadataKey(k)})
		}
		slices.SortFunc(f.Metadata, func(a, b camdriver.MetadataValue) int { return int(a.Key) - int(b.Key) })
		need.Must(t, r.Frame(0, f))
	}
	need.Must(t, r.Frame(1, testFrame(p, 0, testStart)))
	for _, id := range []camdriver.OptionID{250, camdriver.OptionSafetyMode} {
		if err := r.Option(0, id, 1, time.Time{}); err == nil {
			t.Errorf("a change of option %d was taken, which librealsense 2.56 doesn't know", id)
		}
	}
	if err := r.Notification(7, camdriver.Notification{}, time.Time{}); err == nil {
		t.Error("a notification of no sensor was taken")
	}
	if st := r.Stats(); st.Streams[0].Frames != 3 {
		t.Errorf("stats %+v", st)
	}
	f := written(t, r, path, 0)
	if err := r.Frame(0, testFrame(p, 0, testStart)); err == nil {
		t.Error("a frame after Close was taken")
	}
	playable(t, path)
	if got := camdriver.Find(f.Snapshot().Info, camdriver.InfoProductId); got != "0B3A" {
		t.Errorf("product id reads as %q", got)
	}
	if _, err := NewRecorder(path, snap, RecorderOptions{Bag: bagstore.Options{Compression: bagstore.BZ2}}); err == nil {
		t.Error("bz2 was taken")
	}
}

// TestDepthUnits checks that frames keep their units if no option set them.
func TestDepthUnits(t *testing.T) {
	for name, first := range map[string]float32{"from the start": 0, "changing": 0.001} {
		t.Run(name, func(t *testing.T) {
			snap := testSnapshot()
			if first == 0 {
				for i := range snap.Sensors {
					snap.Sensors[i].Options = nil
				}
			}
			path := filepath.Join(t.TempDir(), "x.bag")
			r, err := NewRecorder(path, snap, RecorderOptions{})
			need.Must(t, err)
			units := []float32{0.01, 0.01, 0.02, 0.03}
			for i, u := range units {
				f := testFrame(snap.Streams[0].Profile, i, arrival(float64(i)*33))
				f.DepthUnits = u
				if i == 3 {
					err = r.Option(0, camdriver.OptionDepthUnits, u, f.Arrival)
				}
				if e := r.Frame(0, f); err != nil || e != nil {
					t.Fatal(err, e)
				}
			}
			need.Must(t, r.Close())
			f, err := Open(path, Options{})
			need.Must(t, err)
			defer f.Close()
			for i, u := range units {
				e, err := f.Last(id(camdriver.Depth, 0), time.Duration(i)*33*time.Millisecond+1000)
				if err != nil || e.Frame.Number != uint64(1000+i) || e.Frame.DepthUnits != u {
					t.Fatalf("frame %d: %d has units %g, %v; want %g", i, e.Frame.Number, e.Frame.DepthUnits, err, u)
				}
				e.Frame.Release()
			}
			playable(t, path)
		})
	}
}
