package dataset

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/png"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/tools/bagset"
)

// childFolder names the folder of a run of this test binary as a program to be killed.
const childFolder = "RS_DATASET_CHILD"

func TestMain(m *testing.M) {
	dir := os.Getenv(childFolder)
	if dir == "" {
		os.Exit(m.Run())
	}
	o := Options{In: os.Args[2:], Form: os.Args[1], Dir: dir, Log: zerolog.Nop(), Progress: func(done, _ uint64) { fmt.Println(done) }}
	if err := Run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func make1(t *testing.T, o Options) (dir string, err error) {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "out")
	}
	o.Log = zerolog.New(zerolog.NewTestWriter(t))
	return o.Dir, Run(t.Context(), o)
}

// whole is make1 that must succeed.
func whole(t *testing.T, o Options) string {
	t.Helper()
	dir, err := make1(t, o)
	need.Must(t, err)
	return dir
}

func readManifest(t *testing.T, dir string) (m manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	need.Must(t, err)
	return m
}

// tree returns the hashes of the files in a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
	need.Must(t, err)
	return files
}

func python(t *testing.T, modules []string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), need.Python(t, modules...), args...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &log)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// pixels decodes a PNG with the standard library, into the order of the camera.
func pixels(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path)
	need.Must(t, err)
	img, err := png.Decode(bytes.NewReader(file))
	need.Must(t, err)
	var out []byte
	switch img := img.(type) {
	case *image.Gray16:
		for b := img.Pix; len(b) > 1; b = b[2:] {
			out = append(out, b[1], b[0])
		}
	case *image.Gray:
		out = img.Pix
	case *image.RGBA:
		for b := img.Pix; len(b) > 3; b = b[4:] {
			out = append(out, b[:3]...)
		}
	default:
		t.Fatalf("an image is %T", img)
	}
	return out
}

// compare compares all images of a stream with the recording's. name returns the file of the i-th
// image.
func compare(t *testing.T, dir, in string, id camdriver.StreamID, name func(i int, stamp int64) string) {
	t.Helper()
	n := 0
	each(t, in, func(of camdriver.StreamID, at int64, want []byte) {
		if of != id {
			return
		}
		file := name(n, at)
		if !bytes.Equal(pixels(t, filepath.Join(dir, file)), want) {
			t.Errorf("%s has other pixels than the recording", file)
		}
		n++
	})
	if n == 0 {
		t.Errorf("no frames of %s", id)
	}
}

// each calls do for each image of a recording, with colours in the order of a PNG.
func each(t *testing.T, in string, do func(id camdriver.StreamID, stamp int64, data []byte)) {
	t.Helper()
	f, err := rsbag.Open(in, rsbag.Options{CameraNodes: true})
	need.Must(t, err)
	defer f.Close()
	c := f.Cursor(rsbag.CursorOptions{Streams: func(s camdriver.StreamID) bool { return s.Kind.Video() }, FramesOnly: true})
	defer c.Close()
	for e := range c.Events() {
		data := slices.Clone(e.Frame.Data)
		if e.Frame.Profile.Format == camdriver.BGR8 {
			for i := 0; i < len(data); i += 3 {
				data[i], data[i+2] = data[i+2], data[i]
			}
		}
		do(e.Frame.Stream(), stamp(e.Frame), data)
	}
}

var (
	depth = camdriver.DepthStream
	color = camdriver.ColorStream
	left  = camdriver.LeftStream
)

// TestTUM checks that the benchmark's own rules find the pairs in associations.txt, and that all images
// are the recording's.
func TestTUM(t *testing.T) {
	in := samplebag.Data(t, "sw_small_lz4.bag")
	dir := whole(t, Options{In: []string{in}, Form: "tum"})
	compare(t, dir, in, depth, func(_ int, at int64) string { return "depth/" + seconds(at) + ".png" })
	compare(t, dir, in, color, func(_ int, at int64) string { return "rgb/" + seconds(at) + ".png" })
	text, err := os.ReadFile(filepath.Join(dir, "associations.txt"))
	need.Must(t, err)
	if got := python(t, nil, "testdata/check_tum.py", dir); len(got) != 60 || strings.Join(got, "\n")+"\n" != string(text) {
		t.Errorf("associate.py finds\n%s\nwant\n%s", strings.Join(got, "\n"), text)
	}
	s := readManifest(t, dir).Sequences[0]
	if s.Sets != 60 || s.LeftOut != 0 || s.Streams[1].Depth != 0.00025 || s.Streams[1].Factor != 4000 || s.Clock != "System Time" || s.Streams[1].Clock != "Hardware Clock" {
		t.Errorf("%+v %+v", s, s.Streams[1])
	}
	rows := 0
	for _, name := range []string{"accelerometer.txt", "gyroscope.txt"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		need.Must(t, err)
		rows += bytes.Count(text, []byte("\n")) - 1
	}
	if uint64(rows) != s.Motion || rows == 0 {
		t.Errorf("%d rows of motion, %d samples", rows, s.Motion)
	}
}

// TestUncompressed checks that uncompressed files have the same pixels, and count as another data set.
func TestUncompressed(t *testing.T) {
	in := samplebag.Data(t, "sw_small_lz4.bag")
	o := Options{In: []string{in}, Form: "tum", Uncompressed: true}
	o.Dir = whole(t, o)
	compare(t, o.Dir, in, depth, func(_ int, at int64) string { return "depth/" + seconds(at) + ".png" })
	compare(t, o.Dir, in, color, func(_ int, at int64) string { return "rgb/" + seconds(at) + ".png" })
	files, err := filepath.Glob(filepath.Join(o.Dir, "rgb/*.png"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	if st, err := os.Stat(files[0]); err != nil || st.Size() < 3*64*48 {
		t.Errorf("%v, %v", st, err)
	}
	o.Uncompressed = false
	if _, err := make1(t, o); !errors.Is(err, fs.ErrExist) {
		t.Errorf("compressed, in the same folder: %v", err)
	}
}

// TestEuRoC checks that python3-yaml reads the calibration, and that the sets are those of the
// recording.
func TestEuRoC(t *testing.T) {
	in := samplebag.Data(t, "sw_small_lz4.bag")
	noise := &Noise{GyroDensity: 1e-4, GyroWalk: 2e-5, AccelDensity: 3e-3, AccelWalk: 4e-4}
	dir := whole(t, Options{In: []string{in}, Form: "euroc", Noise: noise})
	compare(t, dir, in, left, func(_ int, at int64) string { return fmt.Sprintf("mav0/cam0/data/%d.png", at) })
	compare(t, dir, in, depth, func(_ int, at int64) string { return fmt.Sprintf("mav0/depth0/data/%d.png", at) })
	lines := python(t, []string{"yaml"}, "testdata/check_yaml.py", filepath.Join(dir, "mav0/cam1/sensor.yaml"), filepath.Join(dir, "mav0/imu0/sensor.yaml"))
	var cam struct {
		Place struct {
			Rows int
			Data []float64
		} `json:"T_BS"`
		Intrinsics, Resolution []float64
		Rate                   float64   `json:"rate_hz"`
		Coefficients           []float64 `json:"distortion_coefficients"`
		Model                  string    `json:"distortion_model"`
	}
	var motion struct {
		Rate    float64 `json:"rate_hz"`
		Density float64 `json:"gyroscope_noise_density"`
		Walk    float64 `json:"accelerometer_random_walk"`
	}
	need.Must(t, errors.Join(json.Unmarshal([]byte(lines[0]), &cam), json.Unmarshal([]byte(lines[1]), &motion)))
	if p := cam.Place.Data; len(p) != 16 || math.Abs(p[3]-0.05) > 1e-3 || cam.Place.Rows != 4 { // the right imager is 5 cm to the right
		t.Errorf("cam1 is at %v", p)
	}
	if cam.Rate != 30 || cam.Resolution[0] != 64 || len(cam.Intrinsics) != 4 || len(cam.Coefficients) != 4 || cam.Model != "radial-tangential" || motion.Rate != 200 ||
		motion.Density != noise.GyroDensity || motion.Walk != noise.AccelWalk {
		t.Errorf("%+v %+v", cam, motion)
	}
	a, errA := os.ReadFile(filepath.Join(dir, "mav0/cam0/data.csv"))
	b, errB := os.ReadFile(filepath.Join(dir, "mav0/cam1/data.csv"))
	if errA != nil || errB != nil || !bytes.Equal(a, b) || bytes.Count(a, []byte("\n")) != 61 {
		t.Errorf("the stereo pair has different stamps: %v, %v", errA, errB)
	}
}

// TestKalibr checks that stock rosbag reads the bag, and that its messages are those of the folder.
func TestKalibr(t *testing.T) {
	in := samplebag.Data(t, "sw_small_lz4.bag")
	dir := whole(t, Options{In: []string{in}, Form: "kalibr"})
	var images, samples int
	table, err := os.ReadFile(filepath.Join(dir, "imu0.csv"))
	need.Must(t, err)
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	for _, line := range python(t, []string{"rosbag"}, "testdata/check_kalibr.py", filepath.Join(dir, "kalibr.bag")) {
		f := strings.Fields(line)
		if f[1] != f[2] {
			t.Errorf("the bag's time isn't the stamp: %s", line)
		}
		if f[0] == "/imu0" {
			var got, want [6]float64
			for i, cell := range strings.Split(rows[samples], ",")[1:] {
				fmt.Sscan(cell, &want[i])
				fmt.Sscan(f[3+i], &got[i])
			}
			if got != want || !strings.HasPrefix(rows[samples], f[1]+",") {
				t.Fatalf("rosbag reads %s, the table has %s", line, rows[samples])
			}
			samples++
			continue
		}
		name := strings.Split(f[0], "/")[1] + "/" + f[1] + ".png"
		if hash := fmt.Sprintf("%x", sha256.Sum256(pixels(t, filepath.Join(dir, name)))); hash != f[6] {
			t.Errorf("%s: rosbag reads other pixels than %s has", line, name)
		}
		images++
	}
	if images != 180 || samples != len(rows) || samples == 0 {
		t.Errorf("%d images and %d of %d samples", images, samples, len(rows))
	}
	for _, line := range python(t, []string{"yaml"}, "testdata/check_yaml.py", filepath.Join(dir, "camchain.yaml"), filepath.Join(dir, "imu.yaml")) {
		if !strings.Contains(line, "rostopic") {
			t.Error(line)
		}
	}
}

// TestCameraNode checks that a recording of a camera node's topics yields the same data set.
func TestCameraNode(t *testing.T) {
	in := need.Bag(t, "db3/own_native.db3")
	dir, lost := make1(t, Options{In: []string{in}, Form: "euroc"})
	s := readManifest(t, dir).Sequences[0]
	if !errors.Is(lost, program.ErrIncomplete) || strings.Contains(lost.Error(), "; ") || s.LeftOut == 0 || s.Sets == 0 {
		t.Fatalf("%v, %+v", lost, s)
	}
	list, err := os.ReadFile(filepath.Join(dir, "left_out.csv"))
	if err != nil || uint64(bytes.Count(list, []byte("\n"))) != s.LeftOut+1 || !bytes.Contains(list, []byte("lacks ")) {
		t.Errorf("left_out.csv: %v\n%s", err, list)
	}
	if _, again := make1(t, Options{In: []string{in}, Form: "euroc", Dir: dir}); again == nil || again.Error() != lost.Error() {
		t.Errorf("the second time: %v, want %v", again, lost)
	}
}

// TestRate checks that sets are chosen, never made.
func TestRate(t *testing.T) {
	in := samplebag.Data(t, "sw_small_lz4.bag")
	all := tree(t, whole(t, Options{In: []string{in}, Form: "tum"}))
	dir := whole(t, Options{In: []string{in}, Form: "tum", Rate: 10, Selection: bagset.Selection{Start: "0.5"}})
	s := readManifest(t, dir).Sequences[0]
	if s.Sets != 15 || s.Sets+s.ByRate != 45 {
		t.Errorf("%d sets, %d not chosen; want 15 of 45", s.Sets, s.ByRate)
	}
	for name, hash := range tree(t, dir) {
		if strings.HasSuffix(name, ".png") && all[name] != hash {
			t.Errorf("%s isn't one of the recording's", name)
		}
	}
}

// TestAligned checks that the pixels of aligned depth are librealsense's, and its calibration is
// colour's.
func TestAligned(t *testing.T) {
	golden := rig.ReadDifficult(t, "../..")
	dir := whole(t, Options{In: []string{golden.Bag}, Form: "tum", Filters: "align_to_color",
		Chain: func(res *process.Resources) (process.Chain, error) {
			return process.Chain{process.NewAlign(res, camdriver.Color)}, nil
		}})
	s := readManifest(t, dir).Sequences[0]
	if s.Sets != 16 || fmt.Sprint(s.Streams[0].Lens) != fmt.Sprint(s.Streams[1].Lens) || s.Streams[0].Width != s.Streams[1].Width {
		t.Errorf("%+v %+v", s.Streams[0], s.Streams[1])
	}
	files, err := filepath.Glob(filepath.Join(dir, "depth/*.png"))
	if err != nil || len(files) != 16 {
		t.Fatalf("%d files of depth, %v", len(files), err)
	}
	compared := 0
	for i, file := range files { // by stamp
		want, ok := golden.Cases["align_color"][uint64(100+i)]
		if !ok {
			continue
		}
		compared++
		h := fnv.New64a()
		h.Write(pixels(t, file))
		if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
			t.Errorf("%s has hash %s, librealsense's is %s", file, got, want)
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestKilled checks that a run after a kill at any moment completes the same data set.
func TestKilled(t *testing.T) {
	in := samplebag.Data(t, "sw_small_lz4.bag")
	program, err := os.Executable()
	need.Must(t, err)
	for _, form := range Forms() {
		want := tree(t, whole(t, Options{In: []string{in, in}, Form: form}))
		dir := filepath.Join(t.TempDir(), "out")
		for _, lines := range []int{40, 700} {
			cmd := exec.CommandContext(t.Context(), program, form, in, in)
			cmd.Env = append(os.Environ(), childFolder+"="+dir)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			need.Must(t, err)
			scan := bufio.NewScanner(out)
			for i := 0; i < lines && scan.Scan(); i++ {
			}
			need.Must(t, cmd.Process.Kill())
			_ = cmd.Wait() // killed
		}
		whole(t, Options{In: []string{in, in}, Form: form, Dir: dir})
		got := tree(t, dir)
		for name := range got {
			if got[name] != want[name] {
				t.Errorf("%s: %s differs from that of an uninterrupted run", form, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", form, len(got), len(want))
		}
	}
}

// TestFolderInUse checks that a data set is never mixed with other content.
func TestFolderInUse(t *testing.T) {
	in := samplebag.Data(t, "sw_small_lz4.bag")
	dir := whole(t, Options{In: []string{in}, Form: "tum"})
	if _, err := make1(t, Options{In: []string{in}, Form: "tum", Rate: 5, Dir: dir}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("another request: %v", err)
	}
	if _, err := make1(t, Options{In: []string{in}, Form: "tum", Rate: 5, Dir: dir, Overwrite: true}); err != nil {
		t.Error(err)
	}
	if n := readManifest(t, dir).Sequences[0].Sets; n != 10 {
		t.Errorf("%d sets, want 10", n)
	}
	other := t.TempDir()
	need.Must(t, os.WriteFile(filepath.Join(other, "thesis.tex"), []byte("text"), 0o600))
	if _, err := make1(t, Options{In: []string{in}, Form: "tum", Dir: other, Overwrite: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder with other files: %v", err)
	}
	if _, err := os.Stat(filepath.Join(other, "thesis.tex")); err != nil {
		t.Error(err)
	}
}

// TestInvert checks that a fitted lens maps points as the camera's does.
func TestInvert(t *testing.T) {
	in := &camdriver.Intrinsics{Width: 640, Height: 480, Fx: 600, Fy: 600, Ppx: 320, Ppy: 240, Model: camdriver.InverseBrownConrady,
		Coeffs: [5]float64{0.05, -0.02, 0.001, -0.002, 0.001}}
	k, worst := invert(in)
	x, y := 0.3, -0.25
	r2 := x*x + y*y
	f := 1 + k[0]*r2 + k[1]*r2*r2
	xd, yd := x*f+2*k[2]*x*y+k[3]*(r2+2*x*x), y*f+2*k[3]*x*y+k[2]*(r2+2*y*y)
	gx, gy := ideal(in.Coeffs, xd, yd)
	if off := 600 * math.Hypot(gx-x, gy-y); off > 0.05 || worst > 0.1 || worst <= 0 {
		t.Errorf("%v pixels off, %v claimed", off, worst)
	}
}
