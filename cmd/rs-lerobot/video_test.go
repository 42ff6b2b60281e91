package main

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/samplebag"
)

// decoded returns the frames of a video as python3-av decodes them.
func decoded(t *testing.T, path, format string, size int) (frames [][]byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), need.Python(t, "av"), "testdata/decode.py", path, format)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil || len(out)%size != 0 {
		t.Fatalf("%d bytes, %v\n%s", len(out), err, &log)
	}
	for ; len(out) > 0; out = out[size:] {
		frames = append(frames, out[:size])
	}
	return frames
}

const depthVideo = "videos/observation.images.depth/chunk-000/file-000.mp4"

// TestLeRobotVideo checks that every depth frame is the camera's, and that the tables say where frames
// are.
func TestLeRobotVideo(t *testing.T) {
	need.Programs(t, "ffmpeg")
	in := samplebag.Data(t, "sw_small_lz4.bag")
	dir := whole(t, options{In: []string{in}, Robot: NewRobot("look"), Images: "h264", Depth: "ffv1"})
	rows := rowsOf(t, filepath.Join(dir, "data/chunk-000/file-000.parquet"))
	frames, depth := framesOf(t, in), decoded(t, filepath.Join(dir, depthVideo), "gray16le", 2*64*48)
	if len(depth) != len(rows) || len(rows) != 60 {
		t.Fatalf("%d frames, %d rows", len(depth), len(rows))
	}
	for i, row := range rows {
		if !bytes.Equal(depth[i], frames["depth"][numbersOf[int64](row["stamps"])[3]]) {
			t.Errorf("frame %d of depth differs from the camera's", i)
		}
		if row["observation.images.depth"] != nil {
			t.Fatal("a video is a column, too")
		}
	}
	if n := len(decoded(t, filepath.Join(dir, "videos/observation.images.color/chunk-000/file-000.mp4"), "rgb24", 3*64*48)); n != 60 {
		t.Errorf("%d frames of colour", n)
	}
	var info lerobotInfo
	readJSON(t, filepath.Join(dir, "meta/info.json"), &info)
	for name, want := range map[string][3]any{"depth": {"ffv1", "gray16le", 1}, "color": {"h264", "yuv420p", 3}, "infrared1": {"h264", "yuv420p", 3}} {
		f := info.Features[imagePrefix+name]
		if f.Type != "video" || f.Shape[2] != want[2] || f.Info["video.codec"] != want[0] || f.Info["video.pix_fmt"] != want[1] || f.Info["video.fps"] != 30. ||
			f.Info["is_depth_map"] != (name == "depth") {
			t.Errorf("%s is %+v", name, f)
		}
	}
	if info.Video == nil || *info.Video != "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4" {
		t.Errorf("video_path is %v", info.Video)
	}
	e := rowsOf(t, filepath.Join(dir, "meta/episodes/chunk-000/file-000.parquet"))[0]
	for name, want := range map[string]any{"chunk_index": int64(0), "file_index": int64(0), "from_timestamp": 0., "to_timestamp": 2.} {
		if got := e["videos/observation.images.depth/"+name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if mean := e["stats/observation.images.infrared1/mean"].([]any); len(mean) != 3 {
		t.Errorf("the mean of grey as colours is %v", mean)
	}
}

// TestLeRobotDepth12 checks that python3-av's frames, converted by LeRobot's formula, have the error
// that the manifest states.
func TestLeRobotDepth12(t *testing.T) {
	need.Programs(t, "ffmpeg")
	in := samplebag.Data(t, "sw_small_lz4.bag")
	dir := whole(t, options{In: []string{in}, Robot: NewRobot("look"), Depth: "hevc12"})
	codes, frames := decoded(t, filepath.Join(dir, depthVideo), "gray12le", 2*64*48), framesOf(t, in)
	low, high := math.Log(0.01+3.5), math.Log(10+3.5)
	var off depthError
	for i, row := range rowsOf(t, filepath.Join(dir, "data/chunk-000/file-000.parquet")) {
		camera := frames["depth"][numbersOf[int64](row["stamps"])[3]]
		for p := 0; p < len(camera); p += 2 {
			value, code := int(camera[p])|int(camera[p+1])<<8, int(codes[i][p])|int(codes[i][p+1])<<8
			if value == 0 {
				continue
			}
			metres := math.Exp(low+float64(code)/4095*(high-low)) - 3.5
			e := math.Abs(metres - float64(value)*0.00025)
			off.max, off.sum, off.pixels = max(off.max, e), off.sum+e, off.pixels+1
			if value*25 > 10*100000 {
				off.far++
			}
		}
	}
	want := newDepth12(0.00025)
	var claimed depthError
	for _, f := range frames["depth"] {
		claimed.add(want.quantize(f))
	}
	if math.Abs(off.max-claimed.max) > 1e-9 || math.Abs(off.sum-claimed.sum) > 1e-6*off.sum || off.pixels != claimed.pixels || off.far != claimed.far {
		t.Errorf("off by %+v, the manifest says %+v", off, claimed)
	}
	if notes := strings.Join(readManifest(t, dir).Sequences[0].Notes, "\n"); !strings.Contains(notes, "quantized to 12 bits") {
		t.Error(notes)
	}
	var info lerobotInfo
	readJSON(t, filepath.Join(dir, "meta/info.json"), &info)
	f := info.Features[imagePrefix+"depth"].Info
	if f["video.depth_min"] != 0.01 || f["video.depth_max"] != 10. || f["video.shift"] != 3.5 || f["video.use_log"] != true || f["depth_unit"] != "mm" || f["video.pix_fmt"] != "gray12le" {
		t.Errorf("%v", f)
	}
}

// TestLeRobotWithoutFFmpeg checks that the error names ffmpeg, and that nothing is left.
func TestLeRobotWithoutFFmpeg(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	in := samplebag.Data(t, "sw_small_lz4.bag")
	dir, err := make1(t, options{In: []string{in}, Robot: NewRobot("look"), Depth: "ffv1"})
	if !errors.Is(err, errNoVideo) {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", dir, err)
	}
}
