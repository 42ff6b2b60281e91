package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/bagset"
	"rsros/tools/dataset"
)

// childFolder has the name of the folder for the data set of a child process, childDepth its form of depth.
const (
	childFolder = "RS_LEROBOT_CHILD"
	childDepth  = "RS_LEROBOT_DEPTH"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(childFolder)
	if dir == "" {
		os.Exit(m.Run())
	}
	s := settings{Robot: NewRobot("walk"), Depth: os.Getenv(childDepth)}
	if err := makeSet(context.Background(), s, dataset.Options{In: os.Args[1:], Dir: dir, Log: zerolog.Nop(), Progress: func(done, _ uint64) { fmt.Println(done) }}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// options are what tests choose.
type options struct {
	In            []string
	Dir           string
	Robot         *Robot
	Images, Depth string
	Selection     bagset.Selection
	Rate          float64
	Progress      bagstore.Progress
}

func (o options) run(ctx context.Context, t *testing.T) error {
	t.Helper()
	return makeSet(ctx, settings{Robot: cmp.Or(o.Robot, NewRobot("")), Images: o.Images, Depth: o.Depth},
		dataset.Options{In: o.In, Dir: o.Dir, Selection: o.Selection, Rate: o.Rate, Progress: o.Progress, Log: zerolog.New(zerolog.NewTestWriter(t))})
}

func make1(t *testing.T, o options) (dir string, err error) {
	t.Helper()
	o.Dir = cmp.Or(o.Dir, filepath.Join(t.TempDir(), "out"))
	return o.Dir, o.run(t.Context(), t)
}

// whole is make1 that must succeed.
func whole(t *testing.T, o options) string {
	t.Helper()
	dir, err := make1(t, o)
	need.Must(t, err)
	return dir
}

type manifest struct {
	Sequences []*dataset.Sequence `json:"sequences"`
	Lost      []string            `json:"lost"`
}

func readManifest(t *testing.T, dir string) (m manifest) {
	t.Helper()
	readJSON(t, filepath.Join(dir, "manifest.json"), &m)
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

func decode(t *testing.T, file []byte) []byte {
	t.Helper()
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
		do(e.Frame.Stream(), int64(msgs.FromMillis(e.Frame.Timestamp)), data)
	}
}

// TestMessageBeforeFrames checks states of a recording whose first message comes before its first frame.
func TestMessageBeforeFrames(t *testing.T) {
	in := samplebag.Node(t, samplebag.NodeStamps(30))
	dir := whole(t, options{In: []string{in}, Robot: &Robot{Task: "wave", MaxAge: 200 * time.Millisecond}})
	list := rowsOf(t, filepath.Join(dir, "data/chunk-000/file-000.parquet"))
	if len(list) != 30 {
		t.Errorf("%d rows, want 30", len(list))
	}
	for i, row := range list {
		if state := row["observation.state"].([]any); state[0].(float32) != float32(i) {
			t.Errorf("row %d has the state %v", i, state)
		}
	}
}

// TestKilled checks that a data set whose program is killed again and again is completed by the next run.
func TestKilled(t *testing.T) {
	in := samplebag.Data(t, "sw_small_lz4.bag")
	program, err := os.Executable()
	need.Must(t, err)
	for _, depth := range []string{"", depthFFV1} {
		if depth != "" {
			need.Programs(t, "ffmpeg")
		}
		want := tree(t, whole(t, options{In: []string{in, in}, Robot: NewRobot("walk"), Depth: depth}))
		dir := filepath.Join(t.TempDir(), "out")
		for _, lines := range []int{40, 700} {
			cmd := exec.CommandContext(t.Context(), program, in, in)
			cmd.Env = append(os.Environ(), childFolder+"="+dir, childDepth+"="+depth)
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
		whole(t, options{In: []string{in, in}, Robot: NewRobot("walk"), Depth: depth, Dir: dir})
		got := tree(t, dir)
		for name := range got {
			if got[name] != want[name] {
				t.Errorf("%q: %s differs from that of an uninterrupted run", depth, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%q: %d files, want %d", depth, len(got), len(want))
		}
	}
}

// TestCommand checks flags and exit codes.
func TestCommand(t *testing.T) {
	in, dir := samplebag.Data(t, "sw_small_lz4.bag"), filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		code int
		args []string
	}{
		{2, nil}, {2, []string{in}}, {2, []string{in, "-o", dir, "--images", "gif"}}, {2, []string{in, "-o", dir, "--depth", "jpeg"}}, {2, []string{in, "-o", dir, "--fps", "-1"}},
		{2, []string{in, "-o", dir, "--task", "walk", "--filters", "sharpen"}}, {2, []string{in, "-o", dir, "--task", "walk", "--topics", "/none"}}, {1, []string{in, "-o", dir}},
		{1, []string{filepath.Join(dir, "none.bag"), "-o", dir, "--task", "walk"}}, {0, []string{in, "-o", dir, "--task", "walk", "--end", "0.5", "--filters", "align_to_color"}},
	} {
		var log bytes.Buffer
		if code := run(t.Context(), c.args, &log, &log); code != c.code {
			t.Errorf("%q: exit code %d, want %d\n%s", c.args, code, c.code, &log)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "meta/info.json")); err != nil {
		t.Error(err)
	}
}
