package rsbag

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/test/need"
)

// samplesDir is the folder of bags by librealsense 2.56.5, with manifests of what was recorded.
const samplesDir = "../../../test/data/librealsense"

type manifest struct {
	Notifications []struct {
		Sensor                          int
		Category, Severity, Description string
		Data                            string `json:"serialized_data"`
	}
	Streams map[string][]manifestFrame
}

type manifestFrame struct {
	Num    uint64
	TS     float64
	Domain string
	W, H   int
	Stride int
	Units  float64
	XYZ    []float64
	Size   int
	Hash   string `json:"fnv1a64"`
	MD     map[string]int64
}

func readManifest(t testing.TB, name string) manifest {
	t.Helper()
	text, err := os.ReadFile(name + ".manifest.json")
	need.Must(t, err)
	var m manifest
	need.Must(t, json.Unmarshal(text, &m))
	return m
}

// sdkData returns what librealsense takes for a frame's bytes, which its manifests hash.
func sdkData(f *camdriver.Frame) []byte {
	var b []byte
	f32 := func(v ...float32) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	switch kind := f.Stream().Kind; {
	case kind.Video():
		return f.Data
	case kind == camdriver.Gyro:
		f32(float32(f.Motion.Gyro[0]), float32(f.Motion.Gyro[1]), float32(f.Motion.Gyro[2]))
	case kind == camdriver.Accel:
		f32(float32(f.Motion.Accel[0]), float32(f.Motion.Accel[1]), float32(f.Motion.Accel[2]))
	case kind == camdriver.Pose:
		p := f.Pose
		for _, v := range []camdriver.Vec3{p.Translation, p.Velocity, p.Acceleration} {
			f32(v[:]...)
		}
		f32(p.Rotation[:]...)
		f32(p.AngularVelocity[:]...)
		f32(p.AngularAcceleration[:]...)
		b = binary.LittleEndian.AppendUint32(b, p.TrackerConfidence)
		b = binary.LittleEndian.AppendUint32(b, p.MapperConfidence)
	}
	return b
}

// compareFrame returns how a frame differs from the manifest's.
func compareFrame(f *camdriver.Frame, want manifestFrame) error {
	data := sdkData(f)
	h := fnv.New64a()
	h.Write(data)
	switch {
	case f.Number != want.Num:
		return fmt.Errorf("number %d", f.Number)
	case math.Abs(f.Timestamp-want.TS) > 0.002:
		return fmt.Errorf("timestamp %f, want %f", f.Timestamp, want.TS)
	case f.Domain.String() != want.Domain:
		return fmt.Errorf("domain %s, want %s", f.Domain, want.Domain)
	case len(data) != want.Size || fmt.Sprintf("%016x", h.Sum64()) != want.Hash:
		return fmt.Errorf("%d bytes with hash %016x, want %d, %s", len(data), h.Sum64(), want.Size, want.Hash)
	case f.Width != want.W || f.Height != want.H || f.Stride != want.Stride:
		return fmt.Errorf("%dx%d step %d", f.Width, f.Height, f.Stride)
	case f.DepthUnits != float32(want.Units):
		return fmt.Errorf("depth units %g, want %g", f.DepthUnits, want.Units)
	case len(f.Metadata) != len(want.MD):
		return fmt.Errorf("%d metadata values, want %d", len(f.Metadata), len(want.MD))
	}
	for _, m := range f.Metadata {
		if v, ok := want.MD[m.Key.String()]; !ok || v != m.Value {
			return fmt.Errorf("metadata %s %d, want %d", m.Key, m.Value, v)
		}
	}
	return nil
}

// TestManifests reads librealsense's bags: every frame and notification, and nothing else.
func TestManifests(t *testing.T) {
	for _, c := range []struct {
		name   string
		paused [2]int // frames of a 30 fps stream that the recorder's pause skipped
	}{{"sw_small_lz4", [2]int{}}, {"sw_small_raw", [2]int{}}, {"sw_small_pause", [2]int{20, 40}}} {
		t.Run(c.name, func(t *testing.T) {
			f := openSample(t, c.name)
			if len(f.Notes()) != 3 { // motion and pose streams of a software device have no extrinsics
				t.Errorf("notes %q", f.Notes())
			}
			want := readManifest(t, filepath.Join(samplesDir, c.name))
			for _, list := range want.Streams {
				rate := len(list) / 60 // frames a tick
				if c.paused[1] > 0 {
					copy(list[c.paused[0]*rate:], list[c.paused[1]*rate:])
				}
			}
			checkManifest(t, f, want, (60 - c.paused[1] + c.paused[0]), 2)
		})
	}
}

func checkManifest(t *testing.T, f *File, want manifest, ticks, changes int) {
	t.Helper()
	cur := f.Cursor(CursorOptions{})
	defer cur.Close()
	got := make(map[string]int)
	notes, options, last := 0, 0, time.Duration(0)
	for e, ok := cur.Next(); ok; e, ok = cur.Next() {
		if e.Time < last {
			t.Fatalf("time goes back to %v", e.Time)
		}
		last = e.Time
		switch {
		case e.Option != nil:
			options++
		case e.Notification != nil:
			n, w := e.Notification, want.Notifications[notes]
			if e.Sensor != w.Sensor || n.Category.String() != w.Category || n.Severity.String() != w.Severity ||
				n.Description != w.Description || n.Data != w.Data || n.Time.Year() < 2020 {
				t.Errorf("notification %+v, want %+v", n, w)
			}
			notes++
		default:
			key := strings.TrimPrefix(rslayout.StreamPrefix(e.Sensor, e.Frame.Stream()), "/device_0/")
			if err := compareFrame(e.Frame, want.Streams[key][got[key]]); err != nil {
				t.Fatalf("%s frame %d: %v", key, got[key], err)
			}
			got[key]++
		}
	}
	if n, err := cur.Damaged(); n != 0 {
		t.Errorf("%d damaged: %v", n, err)
	}
	if notes != len(want.Notifications) || options != changes || last != f.Duration() {
		t.Errorf("%d notifications, %d option changes, end %v of %v", notes, options, last, f.Duration())
	}
	for key, list := range want.Streams {
		if n := len(list) / 60 * ticks; got[key] != n {
			t.Errorf("%s: %d frames, want %d", key, got[key], n)
		}
		id, err := camdriver.ParseStreamID(key[len("sensor_0/"):])
		if n := f.Frames(id); err != nil || n != uint64(got[key]) {
			t.Errorf("%s: index counts %d frames", key, n)
		}
	}
}

func openSample(t testing.TB, name string) *File {
	t.Helper()
	f, err := Open(filepath.Join(samplesDir, name+".bag"), Options{})
	need.Must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}
