package export

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/bagset"
)

// TestExportRecording checks that every image and sample is bit by bit what
// librealsense was given, and that none is missing.
func TestExportRecording(t *testing.T) {
	for _, name := range []string{"sw_small_lz4", "sw_small_raw", "sw_small_pause"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bag := samplebag.SDK(t, name+".bag", "sdk.bag")
			dir := filepath.Join(filepath.Dir(bag), "out")
			want(t, whole, Options{Bag: bag, Dir: dir})
			given, got := readSDKManifest(t, name+".manifest.json"), readManifest(t, dir)
			paused := name == "sw_small_pause"
			for sensor, frames := range given.Streams {
				_, stream, _ := strings.Cut(sensor, "/")
				i := 0
				for _, f := range got.Files {
					if f.Stream != stream {
						continue
					}
					for paused && i < len(frames) && frames[i].Num < f.Number {
						i++ // the recorder was told to skip it
					}
					if i == len(frames) || frames[i].Num != f.Number || math.Abs(frames[i].TS-f.Timestamp) > 0.002 {
						t.Fatalf("%s is frame %d at %f ms", f.File, f.Number, f.Timestamp)
					}
					if hash := imageHash(t, filepath.Join(dir, f.File)); hash != frames[i].Hash {
						t.Errorf("%s has other pixels than frame %d: %s, want %s", f.File, f.Number, hash, frames[i].Hash)
					}
					if f.Depth != frames[i].Units {
						t.Errorf("%s: depth unit %v, want %v", f.File, f.Depth, frames[i].Units)
					}
					i++
				}
				if isVideo := frames[0].XYZ == nil && stream != "Pose_0"; isVideo && i != len(frames) {
					t.Errorf("%s: %d of %d frames", stream, i, len(frames))
				}
			}
			if !slices.IsSortedFunc(got.Files, func(a, b exportedFile) int { return int(a.Time - b.Time) }) {
				t.Error("the manifest is not in time order")
			}
			if !paused {
				checkTables(t, dir, given)
			}
			if got.Device["Name"] == "" || len(got.Streams) != 7 || got.Streams[0].Intrinsics["fx"] == nil || len(got.Tables) != 9 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestExportEpochTimes checks that the same part of a recording is exported whether its
// times count from its start or, as rosbag record writes them, from 1970.
func TestExportEpochTimes(t *testing.T) {
	sdk := samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag")
	live := filepath.Join(filepath.Dir(sdk), "live.bag")
	w := samplebag.Create(t, live, bagstore.Options{})
	samplebag.Each(t, func(m bagstore.Message) { w.Put(*m.Conn, m.Time+1_700_000_000e9, m.Data) }, samplebag.Open(t, sdk))
	w.Done()
	names := map[string][]string{}
	for _, bag := range []string{sdk, live} {
		want(t, whole, Options{Bag: bag, Dir: bag + ".out", Selection: bagset.Selection{Start: "1", End: "1.5"}})
		for _, f := range readManifest(t, bag+".out").Files {
			names[bag] = append(names[bag], fmt.Sprint(f.File, f.Number))
		}
	}
	if n := len(names[sdk]); n < 55 || n > 65 || !slices.Equal(names[sdk], names[live]) {
		t.Errorf("%d images\n%q\n%q", n, names[sdk], names[live])
	}
}

// imageHash returns the FNV-1a hash of the pixels in the camera's order.
func imageHash(t *testing.T, path string) string {
	t.Helper()
	h := fnv.New64a()
	switch img := readPNG(t, path).(type) {
	case *image.Gray:
		h.Write(img.Pix)
	case *image.Gray16:
		for i := 0; i < len(img.Pix); i += 2 {
			h.Write([]byte{img.Pix[i+1], img.Pix[i]})
		}
	case *image.RGBA: // a PNG without alpha
		for i := 0; i < len(img.Pix); i += 4 {
			h.Write(img.Pix[i : i+3])
		}
	default:
		t.Errorf("%s is a %T", path, img)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func readPNG(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	need.Must(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return img
}

// TestExportPoints checks that each measured pixel has a vertex at its depth, coloured by
// the colour frame nearest in time.
func TestExportPoints(t *testing.T) {
	bag := samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag")
	dir := filepath.Join(filepath.Dir(bag), "out")
	want(t, whole, Options{Bag: bag, Dir: dir, Points: true, Selection: bagset.Selection{End: "0.2"}})
	m := readManifest(t, dir)
	times, clouds := map[uint64]int64{}, 0
	for _, f := range m.Files {
		if f.Stream == "Color_0" {
			times[f.Number] = f.Time
		}
	}
	for _, f := range m.Files {
		if !strings.HasSuffix(f.File, ".ply") {
			continue
		}
		clouds++
		distance := func(number uint64) int64 { return max(times[number]-f.Time, f.Time-times[number]) }
		for number := range times {
			if f.ColourOf == nil || distance(number) < distance(*f.ColourOf) {
				t.Errorf("%s has the colours of %v; %d is nearer", f.File, f.ColourOf, number)
			}
		}
		depth := readPNG(t, filepath.Join(dir, strings.TrimSuffix(f.File, ".ply")+".png")).(*image.Gray16)
		var z []float32
		for y := range f.Height {
			for x := range f.Width {
				if d := depth.Gray16At(x, y).Y; d > 0 {
					z = append(z, float32(float64(d)*f.Depth))
				}
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, f.File))
		need.Must(t, err)
		head, body, _ := bytes.Cut(text, []byte("end_header\n"))
		if !bytes.Contains(head, fmt.Appendf(nil, "element vertex %d\n", len(z))) || len(body) != 15*len(z) {
			t.Fatalf("%s: %d bytes for %d points after\n%s", f.File, len(body), len(z), head)
		}
		for i, want := range z {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(body[15*i+8:])); math.Abs(float64(got-want)) > 1e-6 {
				t.Fatalf("%s: point %d is %f m away, want %f", f.File, i, got, want)
			}
		}
	}
	if clouds < 5 || clouds != len(times) && clouds != len(times)+1 {
		t.Errorf("%d clouds, %d colour frames", clouds, len(times))
	}
}

// camera writes a bag of ordinary topics and returns its path.
func camera(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "camera.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	at := bagstore.Time(1_700_000_000e9)
	write := func(topic, kind string, data []byte) {
		w.Put(samplebag.Topic(topic, kind), at, data)
		at += 1e6
	}
	header := msgs.Header{Seq: 7, Stamp: 5e9, FrameID: "lens"}
	addImage := func(topic, encoding string, step int, data ...byte) {
		head := msgs.ImageHead{Header: header, Width: 2, Height: 2, Encoding: encoding, Step: uint32(step), DataLen: uint32(len(data))}
		write(topic, "sensor_msgs/Image", append(msgs.Marshal(&head), data...))
	}
	addImage("/depth", "16UC1", 6, 1, 2, 3, 4, 0, 0, 5, 6, 7, 8) // rows are padded, the last isn't
	addImage("/depth", "16UC1", 4, 0, 0, 0, 1, 0, 0, 0, 0)
	addImage("/rgb", "bgr8", 6, 3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10)
	addImage("/rgba", "rgba8", 8, slices.Repeat([]byte{200, 100, 50, 128}, 4)...)
	addImage("/yuv", "yuv422", 4, 128, 16, 128, 235, 128, 235, 128, 16)
	addImage("/float", "32FC1", 8, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64)
	addImage("/strange", "13XY2", 4, 1, 2, 3, 4, 5, 6, 7, 8)
	addImage("../../escape me/..", "mono8", 2, 1, 2, 3, 4)
	var e msgs.Encoder
	header.Append(&e)
	e.String("jpeg")
	var jpg bytes.Buffer
	need.Must(t, jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 8, 8)), nil))
	e.Bytes(jpg.Bytes())
	write("/packed", "sensor_msgs/CompressedImage", e.B)
	write("/imu", "sensor_msgs/Imu", msgs.Marshal(&msgs.Imu{Header: header, LinearAcceleration: msgs.Vector3{X: 0.1, Y: -9.81}}))
	write("/info", "sensor_msgs/CameraInfo", msgs.Marshal(&msgs.CameraInfo{Header: header, Width: 2, K: [9]float64{600}}))
	write("/meta", "realsense2_camera/Metadata", msgs.Marshal(&msgs.Metadata{Header: header, JSONData: `{"gain":16}`}))
	cloud := msgs.PointCloudHead{Header: header, Height: 1, Width: 2, PointStep: 12, RowStep: 24, DataLen: 24, Fields: []msgs.PointField{
		{Name: "x", Datatype: msgs.PointFloat32, Count: 1}, {Name: "rgb", Offset: 4, Datatype: msgs.PointFloat32, Count: 1},
		{Name: "a b", Offset: 8, Datatype: 4, Count: 2}}}
	write("/cloud", "sensor_msgs/PointCloud2", append(msgs.Marshal(&cloud), "XXXXBGRAiijjxxxxbgraIIJJ\x01"...))
	cloud.Fields[2].Offset = 9
	write("/cloud", "sensor_msgs/PointCloud2", append(msgs.Marshal(&cloud), "XXXXBGRAiijjxxxxbgraIIJJ\x01"...))
	write("/name", "std_msgs/String", []byte{1, 0, 0, 0, 'x'})
	w.Done()
	return path
}

func TestExportTopics(t *testing.T) {
	bag := camera(t)
	dir := filepath.Join(filepath.Dir(bag), "a", "b", "out")
	log := want(t, incomplete, Options{Bag: bag, Dir: dir})
	if !strings.Contains(log, "/name") || !strings.Contains(log, "field \\\"a b\\\" of type 4 at byte 9") {
		t.Fatal(log)
	}
	m := readManifest(t, dir)
	var names []string
	for _, f := range m.Files {
		names = append(names, f.File)
		if f.Number != 7 || f.Timestamp != 5000 {
			t.Errorf("%+v", f)
		}
	}
	if want := []string{"depth/000000.png", "depth/000001.png", "rgb/000000.png", "rgba/000000.png", "yuv/000000.png", "float/000000.pfm",
		"strange/000000.raw", "__/__/escape_me/__/000000.png", "packed/000000.jpg", "cloud/000000.ply"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	for file, want := range map[string][4]color.NRGBA64{
		"depth/000000.png": {grey(0x0201), grey(0x0403), grey(0x0605), grey(0x0807)},
		"depth/000001.png": {grey(0), grey(0x0100), grey(0), grey(0)},
		"rgb/000000.png":   {rgb(1, 2, 3, 255), rgb(4, 5, 6, 255), rgb(7, 8, 9, 255), rgb(10, 11, 12, 255)},
		"rgba/000000.png":  {rgb(200, 100, 50, 128), rgb(200, 100, 50, 128), rgb(200, 100, 50, 128), rgb(200, 100, 50, 128)},
		"yuv/000000.png":   {rgb(0, 0, 0, 255), rgb(255, 255, 255, 255), rgb(255, 255, 255, 255), rgb(0, 0, 0, 255)},
	} {
		img := readPNG(t, filepath.Join(dir, file))
		for i, c := range want {
			got := color.NRGBA64Model.Convert(img.At(i%2, i/2))
			if exact, ok := img.At(i%2, i/2).(color.NRGBA); ok { // converting loses bits
				got = rgb(exact.R, exact.G, exact.B, exact.A)
			}
			if got != c {
				t.Errorf("%s pixel %d: %v, want %v", file, i, got, c)
			}
		}
	}
	for file, want := range map[string]string{
		"float/000000.pfm":   "Pf\n2 2\n-1.0\n\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\x80\x3f\x00\x00\x00\x40",
		"strange/000000.raw": "\x01\x02\x03\x04\x05\x06\x07\x08",
		"cloud/000000.ply": "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty uchar red\nproperty uchar green\n" +
			"property uchar blue\nproperty ushort a_b_0\nproperty ushort a_b_1\nend_header\nXXXXRGBiijjxxxxrgbIIJJ",
		"imu.csv": "time_ns,seq,stamp_ns,frame_id,qx,qy,qz,qw,wx_rad_s,wy_rad_s,wz_rad_s,ax_m_s2,ay_m_s2,az_m_s2\n" +
			"1700000000009000000,7,5000000000,lens,0,0,0,0,0,0,0,0.1,-9.81,0\n",
		"meta.csv": "time_ns,seq,stamp_ns,frame_id,json\n1700000000011000000,7,5000000000,lens,\"{\"\"gain\"\":16}\"\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	if i := slices.IndexFunc(m.Streams, func(s exportedStream) bool { return s.Topic == "/info" }); i < 0 || m.Streams[i].Intrinsics["K"] == nil {
		t.Errorf("no calibration: %+v", m.Streams)
	}
	if got := samplebag.Names(t, filepath.Dir(dir)); !slices.Equal(got, []string{"b"}) {
		t.Errorf("a topic's name led out of the folder: %q", got)
	}
	want(t, failed, Options{Bag: bag, Dir: dir}) // not empty
	want(t, whole, Options{Bag: bag, Dir: dir, Overwrite: true, Selection: bagset.Selection{Exclude: []string{"/cloud"}}})
	want(t, usage, Options{Bag: bag, Dir: "x", Selection: bagset.Selection{Topics: []string{"/nowhere"}}})
}

func grey(v uint16) color.NRGBA64 { return color.NRGBA64{v, v, v, 0xffff} }

func rgb(r, g, b, a byte) color.NRGBA64 {
	return color.NRGBA64{uint16(r) * 257, uint16(g) * 257, uint16(b) * 257, uint16(a) * 257}
}

// TestExportDamage checks that whole messages are exported and the others reported.
func TestExportDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	want(t, incomplete, Options{Bag: samplebag.Torn(t), Dir: dir})
	if m := readManifest(t, dir); len(m.Files) < 100 {
		t.Errorf("%d files", len(m.Files))
	}
	path := filepath.Join(t.TempDir(), "odd.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	for i, head := range []msgs.ImageHead{
		{Width: 1 << 30, Height: 1 << 30, Step: 1, Encoding: "mono8", DataLen: 4}, {Width: 2, Height: 2, Step: 1, Encoding: "mono8", DataLen: 4},
		{Width: 2, Height: 3, Step: 2, Encoding: "mono8", DataLen: 4}, {Width: 2, Height: 2, Step: 2, Encoding: "mono8", DataLen: 5},
		{Width: 2, Height: 2, Step: 2, Encoding: "mono8", DataLen: 4}, {Width: 0, Height: 2, Step: 2, Encoding: "mono8", DataLen: 4},
	} {
		w.Put(bagstore.Connection{Topic: "/image", Type: "sensor_msgs/Image", MD5: "*", Definition: "x"}, bagstore.Time(i+1), msgs.Marshal(&head), []byte{1, 2, 3, 4})
	}
	w.Done()
	dir = filepath.Join(t.TempDir(), "out")
	want(t, incomplete, Options{Bag: path, Dir: dir})
	if m := readManifest(t, dir); len(m.Files) != 1 {
		t.Errorf("%+v", m.Files)
	}
}

func TestExportInterrupted(t *testing.T) {
	bag := samplebag.SDK(t, "sw_small_lz4.bag", "sdk.bag")
	dir := filepath.Join(filepath.Dir(bag), "out")
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Bag: bag, Dir: dir, Points: true, Log: zerolog.Nop(), Progress: func(uint64, uint64) { cancel() }}
	if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := samplebag.Names(t, bag); !slices.Equal(got, []string{"out", "sdk.bag"}) {
		t.Errorf("left: %q", got)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".partial") || strings.HasSuffix(path, "manifest.json") {
			t.Errorf("left: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// outcome is the result of an export, as the program's exit codes have it.
type outcome string

const (
	whole      outcome = "whole"
	incomplete outcome = "incomplete"
	usage      outcome = "usage"
	failed     outcome = "failed"
)

func outcomeOf(err error) outcome {
	switch {
	case err == nil:
		return whole
	case errors.Is(err, bagset.ErrSelection):
		return usage
	}
	if errors.Is(err, program.ErrIncomplete) {
		return incomplete
	}
	return failed
}

// want runs an export, checks its outcome, and returns its log.
func want(t *testing.T, end outcome, o Options) (log string) {
	t.Helper()
	var lines bytes.Buffer
	o.Log = zerolog.New(&lines)
	if _, err := Run(t.Context(), o); outcomeOf(err) != end {
		t.Fatalf("%+v: %v, want %s\n%s", o, err, end, &lines)
	}
	return lines.String()
}

// TestTopicsNamedLikeFiles checks that files of a topic never collide with the export's
// own files or another topic's.
func TestTopicsNamedLikeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	write := func(topic, kind string, data []byte) { w.Put(samplebag.Topic(topic, kind), 1e18, data) }
	head := msgs.ImageHead{Width: 2, Height: 1, Encoding: "mono8", Step: 2, DataLen: 2}
	image := append(msgs.Marshal(&head), 1, 2)
	images := []string{"/manifest.json", "/manifest.json.partial", "/MANIFEST.JSON", "/imu.csv", "/imu.csv.partial", "/meta.csv/x", "/a", "/a/000000.png/b",
		strings.Repeat("/long", 2000)}
	for _, topic := range images {
		write(topic, "sensor_msgs/Image", image)
	}
	tables := []string{"/imu", "/aux", "/Com1.x", "/dots.", "/manifest", "/meta", "/meta.metadata"}
	for _, topic := range tables {
		write(topic, "sensor_msgs/Imu", msgs.Marshal(&msgs.Imu{}))
	}
	w.Done()
	dir := filepath.Join(t.TempDir(), "out")
	want(t, whole, Options{Bag: path, Dir: dir})
	m := readManifest(t, dir)
	if len(m.Files) != len(images) || len(m.Tables) != len(tables) {
		t.Errorf("%d images of %d topics, %d tables of %d\n%+v", len(m.Files), len(images), len(m.Tables), len(tables), m)
	}
	for _, f := range m.Files {
		readPNG(t, filepath.Join(dir, f.File))
	}
	for _, name := range m.Tables {
		if len(readCSV(t, filepath.Join(dir, name))) != 1 {
			t.Errorf("%s has not one row", name)
		}
	}
}
