package dataset

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/bagset"
	"rsros/tools/convert"
)

// walkStart is the stamp of the first image of writeWalk.
const walkStart int64 = 1_700_000_000_000_000_000

// writeWalk writes a bag as of a camera node on a robot: colour and depth at 10 Hz for 2 s, /tf from
// map to odom (10 Hz, from 0.05 s before the first image) and from odom to base (20 Hz), /tf_static
// from base to the camera, and an /odom topic if odom is set.
func writeWalk(t *testing.T, path string, odom bool) {
	t.Helper()
	w := samplebag.Create(t, path, bagstore.Options{Checkpoint: -1})
	write := func(topic, kind string, at int64, m msgs.Message, data []byte) {
		w.Put(samplebag.Topic(topic, kind), bagstore.Time(at+2_000_000), msgs.Marshal(m), data)
	}
	transform := func(topic string, at int64, parent, child string, x, y, yaw float64) {
		r := msgs.Quaternion{Z: math.Sin(yaw / 2), W: math.Cos(yaw / 2)}
		if topic == "/tf_static" {
			r = msgs.Quaternion{X: -0.5, Y: 0.5, Z: -0.5, W: 0.5} // optical axes
		}
		write(topic, "tf2_msgs/TFMessage", at, &msgs.TFMessage{Transforms: []msgs.TransformStamped{{Header: msgs.Header{Stamp: msgs.Time(at), FrameID: parent},
			ChildFrameID: child, Transform: msgs.Transform{Translation: msgs.Vector3{X: x, Y: y, Z: 0.5}, Rotation: r}}}}, nil)
	}
	transform("/tf_static", walkStart-50_000_000, "base", "optical", 0.1, 0, 0)
	for i := range int64(41) {
		at := walkStart - 50_000_000 + i*50_000_000
		if i%2 == 0 {
			transform("/tf", at, "/map", "odom", 0.01*float64(i), 0, 0.1*float64(i))
		}
		transform("/tf", at, "odom", "base", 0.05*float64(i), 0.02*float64(i), -0.07*float64(i))
		if odom {
			write("/odom", "nav_msgs/Odometry", at, &msgs.Odometry{Header: msgs.Header{Stamp: msgs.Time(at), FrameID: "odom"}, ChildFrameID: "base",
				Pose: msgs.Transform{Translation: msgs.Vector3{X: float64(i)}, Rotation: msgs.Quaternion{W: 1}}}, nil)
		}
		if i%2 == 0 || i == 40 {
			continue
		}
		for _, c := range []struct {
			name, encoding string
			size           int
		}{{"color", "rgb8", 3}, {"depth", "16UC1", 2}} {
			h := msgs.Header{Seq: uint32(i), Stamp: msgs.Time(at), FrameID: "optical"}
			k := [9]float64{20, 0, 8, 0, 20, 6, 0, 0, 1}
			write("/camera/"+c.name+"/camera_info", "sensor_msgs/CameraInfo", at, &msgs.CameraInfo{Header: h, Height: 12, Width: 16, DistortionModel: "plumb_bob",
				D: make([]float64, 5), K: k, R: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, P: [12]float64{20, 0, 8, 0, 0, 20, 6, 0, 0, 0, 1, 0}}, nil)
			pixels := make([]byte, 16*12*c.size)
			for j := range pixels {
				pixels[j] = byte(int(i) + j*j%251)
			}
			write("/camera/"+c.name+"/image_raw", "sensor_msgs/Image", at, &msgs.ImageHead{Header: h, Height: 12, Width: 16, Encoding: c.encoding, Step: uint32(16 * c.size),
				DataLen: uint32(len(pixels))}, pixels)
		}
	}
	w.Done()
}

// rows reads a file of numbers.
func rows(t *testing.T, path, separator string) (list [][]float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	need.Must(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var row []float64
		for _, field := range strings.Split(line, separator) {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(path, err)
			}
			row = append(row, v)
		}
		list = append(list, row)
	}
	return list
}

// TestTransforms checks that poses equal those that Python computes from the same messages.
func TestTransforms(t *testing.T) {
	in := filepath.Join(t.TempDir(), "walk.bag")
	writeWalk(t, in, false)
	want := make(map[string][]float64) // of each stamp: x y z qx qy qz qw
	for _, line := range python(t, []string{"rosbag", "tf"}, "testdata/check_tf.py", in, "map", "optical") {
		f := strings.Fields(line)
		for _, v := range f[1:] {
			x, err := strconv.ParseFloat(v, 64)
			need.Must(t, err)
			want[f[0]] = append(want[f[0]], x)
		}
	}
	equal := func(what string, got, want []float64) {
		t.Helper()
		sign := 1.0
		if len(want) == 7 && got[3]*want[3]+got[4]*want[4]+got[5]*want[5]+got[6]*want[6] < 0 {
			sign = -1
		}
		for i := range want {
			w := want[i]
			if i >= 3 && len(want) == 7 {
				w *= sign
			}
			if math.Abs(got[i]-w) > 1e-9 {
				t.Errorf("%s: %v, want %v", what, got, want)
				return
			}
		}
	}
	dir := whole(t, Options{In: []string{in}, Form: "tum"})
	list := rows(t, filepath.Join(dir, "groundtruth.txt"), " ")
	if len(list) != 41 {
		t.Errorf("%d poses, want 41", len(list))
	}
	for i, row := range list {
		equal("tum", row[1:], want[strconv.Itoa(i)])
	}
	dir = whole(t, Options{In: []string{in}, Form: "euroc", Truth: "map:optical"})
	for i, row := range rows(t, filepath.Join(dir, "mav0/state_groundtruth_estimate0/data.csv"), ",") {
		equal("euroc", append(row[1:4:4], row[5], row[6], row[7], row[4]), want[strconv.Itoa(i)])
	}
	if s := readManifest(t, dir).Sequences[0]; s.Sets != 20 || len(s.Notes) == 0 || !strings.Contains(strings.Join(s.Notes, "\n"), "over at most 0.100 s") {
		t.Errorf("%+v", s)
	}
}

// TestGroundTruth checks which source of poses is chosen, and which are refused.
func TestGroundTruth(t *testing.T) {
	in := filepath.Join(t.TempDir(), "walk.bag")
	writeWalk(t, in, true)
	mcap := strings.TrimSuffix(in, ".bag") + ".mcap"
	if _, err := convert.Messages(t.Context(), convert.Options{In: in, Out: mcap}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in, form, truth string
		x               float64 // of the third pose; NaN: it is refused
	}{
		{in, "tum", "", 2}, {mcap, "tum", "", 2}, {mcap, "euroc", "/odom", 2}, {in, "tum", "odom:base", 0.1}, {in, "euroc", "odom:base", 0.1},
		{in, "tum", "base:odom", -0.0934}, {in, "tum", "base:optical", math.NaN()}, {in, "tum", "moon:optical", math.NaN()},
		{in, "tum", "/camera/color/image_raw", math.NaN()}, {in, "kalibr", "map:optical", math.NaN()},
	} {
		dir, err := make1(t, Options{In: []string{c.in}, Form: c.form, Truth: c.truth})
		if math.IsNaN(c.x) {
			if !errors.Is(err, bagset.ErrSelection) {
				t.Errorf("%s %q: %v", c.form, c.truth, err)
			}
			continue
		}
		need.Must(t, err)
		file, separator := "groundtruth.txt", " "
		if c.form == "euroc" {
			file, separator = "mav0/state_groundtruth_estimate0/data.csv", ","
		}
		list := rows(t, filepath.Join(dir, file), separator)
		if x := list[2][1]; len(list) != 41 || math.Abs(x-c.x) > 1e-3 {
			t.Errorf("%s %q: %d poses, x %v, want %v", c.form, c.truth, len(list), x, c.x)
		}
	}
}

// TestInputs checks that a camera node's topics yield the same data set from each container, with the
// pixels of the messages.
func TestInputs(t *testing.T) {
	in := filepath.Join(t.TempDir(), "walk.bag")
	writeWalk(t, in, false)
	for _, form := range []string{"tum", "euroc", "kalibr"} {
		var want map[string]string
		for _, ext := range []string{".bag", ".mcap", ".db3"} {
			other := strings.TrimSuffix(in, ".bag") + ext
			if _, err := os.Stat(other); err != nil {
				if _, err := convert.Messages(t.Context(), convert.Options{In: in, Out: other}); err != nil {
					t.Fatal(err)
				}
			}
			dir := whole(t, Options{In: []string{other}, Form: form})
			if ext == ".bag" && form == "euroc" {
				compare(t, dir, in, color, func(_ int, at int64) string { return fmt.Sprintf("mav0/cam0/data/%d.png", at) })
				compare(t, dir, in, depth, func(_ int, at int64) string { return fmt.Sprintf("mav0/depth0/data/%d.png", at) })
			}
			if form == "kalibr" {
				lines := python(t, []string{"rosbag"}, "testdata/check_kalibr.py", filepath.Join(dir, "kalibr.bag"))
				if len(lines) != 20 || !strings.HasPrefix(lines[0], fmt.Sprintf("/cam0/image_raw %d ", walkStart)) {
					t.Errorf("%s: rosbag reads %d messages, the first is %s", other, len(lines), lines[0])
				}
			}
			got := tree(t, dir)
			for _, name := range []string{manifestName, "rgb.txt", "depth.txt"} { // they name the recording
				delete(got, name)
			}
			if want == nil {
				want = got
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s of %s differs from that of the bag: %v, want %v", form, ext, got, want)
			}
		}
	}
}
