package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/camdriver"
	"rsros/test/bucket"
	"rsros/test/need"
)

// cameraDB3 records 20 s of a camera at rest, 50 MB. With change, the depth unit changes after 15 s.
func cameraDB3(t *testing.T, path string, change bool) {
	t.Helper()
	lens := &camdriver.Intrinsics{Width: 160, Height: 120, Fx: 100, Fy: 100, Ppx: 80, Ppy: 60}
	stream := func(sensor int, kind camdriver.StreamKind, f camdriver.Format, fps int) camdriver.StreamSnapshot {
		s := camdriver.StreamSnapshot{Sensor: sensor, Profile: camdriver.Profile{Stream: camdriver.StreamID{Kind: kind}, Format: f, FPS: fps}}
		if kind.Video() {
			s.Profile.Width, s.Profile.Height, s.Video = lens.Width, lens.Height, lens
		}
		return s
	}
	snap := camdriver.DeviceSnapshot{
		Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Camera"}},
		Sensors: []camdriver.SensorSnapshot{
			{Name: "Stereo Module", Options: []camdriver.Option{{ID: camdriver.OptionDepthUnits, Value: 0.001, Description: "Depth units"}}},
			{Name: "RGB Camera"}, {Name: "Motion Module"},
		},
		Streams: []camdriver.StreamSnapshot{
			stream(0, camdriver.Depth, camdriver.Z16, 25), stream(1, camdriver.Color, camdriver.RGB8, 25),
			stream(2, camdriver.Gyro, camdriver.MotionXYZ32F, 100), stream(2, camdriver.Accel, camdriver.MotionXYZ32F, 100),
		},
	}
	w, err := rsdb3.NewRecorder(path, snap, rsdb3.Options{}, rsbag.RecorderOptions{Program: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	start := time.Unix(1_700_000_000, 0)
	for i := range 2000 {
		at := start.Add(time.Duration(i) * 10 * time.Millisecond)
		for _, s := range snap.Streams {
			f := &camdriver.Frame{Profile: s.Profile, Number: uint64(i + 1), Arrival: at, Timestamp: float64(at.UnixMicro()) / 1000, DepthUnits: 0.001}
			switch s.Profile.Stream.Kind {
			case camdriver.Gyro:
				f.Motion.Gyro = [3]float64{0.001 * r.NormFloat64(), 0.001 * r.NormFloat64(), 0.001 * r.NormFloat64()}
			case camdriver.Accel:
				f.Motion.Accel = [3]float64{0.01 * r.NormFloat64(), 0.01*r.NormFloat64() - 9.8, 0.01 * r.NormFloat64()}
			default:
				if i%4 != 0 {
					continue
				}
				f.Data = make([]byte, s.Profile.FrameSize())
				for j := range f.Data {
					f.Data[j] = byte(r.Uint32())
				}
				f.Width, f.Height, f.Stride = lens.Width, lens.Height, len(f.Data)/lens.Height
			}
			if err := w.Frame(s.Sensor, f); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1500 && change {
			if err := w.Option(0, camdriver.OptionDepthUnits, 0.0001, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// count writes a copy of a .db3 with the counts that the recorder of ROS 2 stores in it, and librealsense doesn't.
func count(t *testing.T, in, out string) {
	t.Helper()
	f, err := rosbag2.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	m := rosbag2.Metadata{Storage: rosbag2.StorageSQLite, File: filepath.Base(out), Start: bagstore.MaxTime}
	counts := make(map[uint32]uint64)
	for _, b := range f.Blocks() {
		m.Start, m.End = min(m.Start, b.Start), max(m.End, b.End)
		for _, c := range b.Counts {
			counts[c.ID] += uint64(c.Count)
		}
	}
	for i, topic := range f.Topics() {
		m.Topics = append(m.Topics, rosbag2.TopicCount{Topic: topic, Messages: counts[uint32(i)]})
	}
	text, err := m.YAML()
	if err != nil {
		t.Fatal(err)
	}
	const script = `
import shutil, sqlite3, sys, textwrap
shutil.copy(sys.argv[1], sys.argv[2])
c = sqlite3.connect(sys.argv[2])
c.execute("CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL)")
text = sys.stdin.read().split("\n", 1)[1] # below rosbag2_bagfile_information
c.execute("INSERT INTO metadata VALUES(1, 5, ?)", (textwrap.dedent(text),))
c.commit()
`
	cmd := exec.Command(need.Python(t, "sqlite3"), "-c", script, in, out)
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestCameraPartFromBucket: a part of a RealSense .db3 is what it is of the local file, and little else is fetched, by the
// server's own log.
func TestCameraPartFromBucket(t *testing.T) {
	b, dir := bucket.Start(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	cameraDB3(t, in("cam.db3"), false)
	count(t, in("cam.db3"), in("counted.db3"))
	cameraDB3(t, in("change.db3"), true)
	count(t, in("change.db3"), in("changed.db3"))
	for i, test := range []struct {
		most int64 // bytes: half more than on an idle machine, because reading ahead depends on when answers arrive
		line string
	}{
		{18 << 20, "export counted.db3 --as tum --dir OUT -s 8 --end 8.5"},
		{18 << 20, "export counted.db3 --as tum --dir OUT -s 17 --end 17.5"},
		{18 << 20, "export counted.db3 --as tum --dir OUT --end 0.5"},
		{18 << 20, "export counted.db3 --as euroc --dir OUT -s 19.5 -t /device_0/sensor_0/Depth_0/image/data,/device_0/sensor_1/Color_0/image/data"},
		{12 << 20, "export counted.db3 --dir OUT -s 8 --end 8.5"},
		{12 << 20, "export counted.db3 --dir OUT -s 17 --end 17.2"},
		{60 << 20, "export changed.db3 --as tum --dir OUT -s 8 --end 8.5"}, // whether the unit has changed before is only in the rows
		{60 << 20, "export changed.db3 --dir OUT -s 17 --end 17.2"},
	} {
		run := func(from func(string) string) (code int, text string, files map[string]string) {
			out := in("out")
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
			var args []string
			name := ""
			for _, a := range strings.Fields(test.line) {
				switch {
				case a == "OUT":
					a = out
				case strings.HasSuffix(a, ".db3"):
					a = from(a)
					name = a
				}
				args = append(args, a)
			}
			code, stdout, stderr := command(t, args...)
			if code == exitFailed {
				t.Errorf("%q:\n%s", args, stderr)
			}
			if strings.Contains(test.line, "OUT") {
				for _, file := range []string{"depth.txt", "rgb.txt", "groundtruth.txt"} { // they name the recording
					text, err := os.ReadFile(filepath.Join(out, file))
					if err == nil {
						err = os.WriteFile(filepath.Join(out, file), []byte(strings.ReplaceAll(string(text), name, "IN")), 0o666)
					}
					if err != nil && !os.IsNotExist(err) {
						t.Fatal(err)
					}
				}
				files = tree(t, out)
				delete(files, "/manifest.json") // it has the sizes of these
			}
			return code, strings.ReplaceAll(stdout, name, "IN"), files
		}
		code, text, files := run(in)
		other := func(name string) string { return fmt.Sprint(i, name) } // of which no block is in memory
		for _, name := range []string{"cam.db3", "changed.db3", "counted.db3"} {
			b.Put(other(name), in(name))
		}
		gotCode, gotText, gotFiles := run(func(name string) string { return b.Address(other(name)) })
		if gotCode != code || gotText != text || !maps.Equal(gotFiles, files) || len(text)+len(files) == 0 {
			t.Errorf("%s: exit code %d, want %d; %d bytes of text, want %d; %d files, want %d", test.line, gotCode, code, len(gotText), len(text), len(gotFiles), len(files))
			for name := range files {
				if files[name] != gotFiles[name] {
					t.Log(name)
				}
			}
		}
		requests, n := b.Bytes()
		if t.Logf("%s: exit code %d, %d requests, %d bytes", test.line, code, requests, n); n > test.most {
			t.Errorf("%s: %d bytes were fetched, at most %d", test.line, n, test.most)
		}
	}
}
