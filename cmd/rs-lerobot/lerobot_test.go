package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/bagset"
	"rsros/tools/dataset"
)

// robotBag returns a recording of librealsense with joints, 50 times a second by the colour camera's
// clock, but for a pause from 0.8 s to 1.4 s.
func robotBag(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "robot.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	joints := samplebag.Topic("/joint_states", "sensor_msgs/JointState")
	number := 0
	samplebag.Each(t, func(m bagstore.Message) {
		for ; bagstore.Time(number)*20e6 <= m.Time; number++ {
			at := time.Duration(number) * 20 * time.Millisecond
			if at > 800*time.Millisecond && at < 1400*time.Millisecond {
				continue
			}
			w.Put(joints, max(bagstore.Time(at), bagstore.MinTime+1), samplebag.JointStates(number, msgs.Time(1_700_000_000e9+int64(at))))
		}
		w.Put(*m.Conn, m.Time, m.Data)
	}, samplebag.Open(t, samplebag.Data(t, "sw_small_lz4.bag")))
	w.Done()
	return path
}

// rowsOf reads a Parquet file.
func rowsOf(t *testing.T, path string) (rows []map[string]any) {
	t.Helper()
	f, err := os.Open(path)
	need.Must(t, err)
	defer f.Close()
	r := pq.NewReader(f)
	defer r.Close()
	for {
		row := make(map[string]any)
		if err := r.Read(&row); errors.Is(err, io.EOF) {
			return rows
		} else if err != nil {
			t.Fatal(path, err)
		}
		rows = append(rows, row)
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(path, err)
	}
}

// lerobotInfo is meta/info.json, as LeRobot declares it.
type lerobotInfo struct {
	Version  string             `json:"codebase_version"`
	Robot    *string            `json:"robot_type"`
	FPS      int                `json:"fps"`
	Features map[string]feature `json:"features"`
	Episodes int                `json:"total_episodes"`
	Frames   int                `json:"total_frames"`
	Tasks    int                `json:"total_tasks"`
	Chunks   int                `json:"chunks_size"`
	DataMB   int                `json:"data_files_size_in_mb"`
	VideoMB  int                `json:"video_files_size_in_mb"`
	Data     string             `json:"data_path"`
	Video    *string            `json:"video_path"`
	Splits   map[string]string  `json:"splits"`
}

// TestLeRobot checks the published schema, the camera's pixels, and that each row has the joints'
// numbers of its time or before.
func TestLeRobot(t *testing.T) {
	in, plain := robotBag(t), samplebag.Data(t, "sw_small_lz4.bag")
	robot := NewRobot("stack the cups")
	dir, err := make1(t, options{In: []string{in, in}, Robot: robot})
	if !errors.Is(err, program.ErrIncomplete) || strings.Count(err.Error(), "; ") != 1 {
		t.Fatal(err)
	}
	m := readManifest(t, dir)
	rows := int(m.Sequences[0].Sets)
	if left := int(m.Sequences[0].LeftOut); rows+left != 60 || left < 10 || left > 14 { // 1.0 to 1.4 s
		t.Fatalf("%d rows, %d left out", rows, left)
	}

	var info lerobotInfo
	readJSON(t, filepath.Join(dir, "meta/info.json"), &info)
	features := info.Features
	info.Features = nil
	if want := (lerobotInfo{Version: "v3.0", FPS: 30, Episodes: 2, Frames: 2 * rows, Tasks: 1, Chunks: 1000, DataMB: 100, VideoMB: 200,
		Data: "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet", Splits: map[string]string{"train": "0:2"}}); !reflect.DeepEqual(info, want) {
		t.Errorf("info.json has %+v, want %+v", info, want)
	}
	image := []string{"height", "width", "channels"}
	wantFeatures := map[string]feature{
		"timestamp": {Type: "float32", Shape: []int{1}}, "frame_index": {Type: "int64", Shape: []int{1}}, "episode_index": {Type: "int64", Shape: []int{1}},
		"index": {Type: "int64", Shape: []int{1}}, "task_index": {Type: "int64", Shape: []int{1}},
		"observation.state":            {Type: "float32", Shape: []int{2}, Names: []string{"elbow", "wrist"}},
		"observation.images.color":     {Type: "image", Shape: []int{48, 64, 3}, Names: image},
		"observation.images.infrared1": {Type: "image", Shape: []int{48, 64, 1}, Names: image},
		"observation.images.infrared2": {Type: "image", Shape: []int{48, 64, 1}, Names: image},
		"observation.images.depth":     {Type: "image", Shape: []int{48, 64, 1}, Names: image},
		"stamps":                       {Type: "int64", Shape: []int{5}, Names: []string{"color", "infrared1", "infrared2", "depth", "observation.state:/joint_states"}},
	}
	depthInfo := features["observation.images.depth"].Info
	if depthInfo["is_depth_map"] != true || depthInfo["depth_m"] != 0.00025 || depthInfo["depth_unit"] != nil || depthInfo["intrinsics"] == nil ||
		features["observation.images.color"].Info["is_depth_map"] != false {
		t.Errorf("depth is described as %v", depthInfo)
	}
	for name, f := range features {
		f.Info = nil
		if !reflect.DeepEqual(f, wantFeatures[name]) {
			t.Errorf("the feature %s is %+v, want %+v", name, f, wantFeatures[name])
		}
	}
	if len(features) != len(wantFeatures) {
		t.Errorf("%d features, want %d", len(features), len(wantFeatures))
	}

	frames := framesOf(t, plain)
	var sum, n float64 // of infrared1
	for episode := range 2 {
		list := rowsOf(t, filepath.Join(dir, fmt.Sprintf("data/chunk-000/file-%03d.parquet", episode)))
		if len(list) != rows {
			t.Fatalf("%d rows, want %d", len(list), rows)
		}
		images := 0
		for i, row := range list {
			for name := range features {
				if _, ok := row[name]; !ok || len(row) != len(features) {
					t.Fatalf("a row has %d columns, and %s is %v", len(row), name, ok)
				}
			}
			if row["frame_index"] != int64(i) || row["index"] != int64(episode*rows+i) || row["episode_index"] != int64(episode) || row["task_index"] != int64(0) ||
				row["timestamp"] != float32(float64(i)/30) {
				t.Errorf("row %d has %v, %v, %v, %v", i, row["frame_index"], row["index"], row["episode_index"], row["timestamp"])
			}
			stamps := numbersOf[int64](row["stamps"])
			joint := stamps[4] - 1_700_000_000e9
			if age := stamps[0] - stamps[4]; age < 0 || age >= 20e6 && joint != 800e6 || age > int64(robot.MaxAge) {
				t.Errorf("row %d has joints that are %d ns old", i, age)
			}
			if n := float32(joint / 20e6); !slices.Equal(numbersOf[float32](row["observation.state"]), []float32{n, -n / 2}) {
				t.Errorf("row %d has joints %v, want those of message %v", i, row["observation.state"], n)
			}
			for s, name := range features["stamps"].Names[:4] {
				img := row["observation.images."+name].(map[string]any)
				images += len(img["bytes"].(string))
				got := decode(t, []byte(img["bytes"].(string)))
				for _, v := range got {
					if name == "infrared1" {
						sum, n = sum+float64(v)/255, n+1
					}
				}
				if !bytes.Equal(got, frames[name][stamps[s]]) {
					t.Errorf("row %d has other pixels of %s", i, name)
				}
				if img["path"] != fmt.Sprintf("frame-%06d.png", i) {
					t.Errorf("row %d has an image %v", i, img["path"])
				}
			}
		}
		if st, err := os.Stat(filepath.Join(dir, fmt.Sprintf("data/chunk-000/file-%03d.parquet", episode))); err != nil || st.Size() > int64(images)*5/4 {
			t.Errorf("the file has %d bytes for %d bytes of images, %v", st.Size(), images, err)
		}
	}

	if list := rowsOf(t, filepath.Join(dir, "meta/tasks.parquet")); len(list) != 1 || list[0]["task"] != "stack the cups" || list[0]["task_index"] != int64(0) {
		t.Errorf("tasks: %v", list)
	}
	for i, row := range rowsOf(t, filepath.Join(dir, "meta/episodes/chunk-000/file-000.parquet")) {
		if row["episode_index"] != int64(i) || row["length"] != int64(rows) || row["dataset_from_index"] != int64(i*rows) || row["dataset_to_index"] != int64((i+1)*rows) ||
			row["data/chunk_index"] != int64(0) || row["data/file_index"] != int64(i) || row["meta/episodes/chunk_index"] != int64(0) || row["meta/episodes/file_index"] != int64(0) ||
			!reflect.DeepEqual(row["tasks"], []any{"stack the cups"}) {
			t.Errorf("episode %d: %v", i, row)
		}
		for name := range features {
			for _, statistic := range []string{"min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99"} {
				if _, ok := row["stats/"+name+"/"+statistic]; !ok {
					t.Errorf("episode %d has no %s of %s", i, statistic, name)
				}
			}
		}
	}

	var stats map[string]map[string]any
	readJSON(t, filepath.Join(dir, "meta/stats.json"), &stats)
	last := float64(rows - 1)
	frame := stats["frame_index"]
	if got := fmt.Sprint(frame["min"], frame["max"], frame["mean"], frame["count"], frame["q50"]); got != fmt.Sprint([]float64{0}, []float64{last}, []float64{last / 2}, []int{2 * rows}, []float64{last / 2}) {
		t.Errorf("the statistics of frame_index are %v", got)
	}
	got := stats["observation.images.infrared1"]["mean"].([]any)[0].([]any)[0].([]any)[0].(float64)
	if math.Abs(got-sum/n) > 1e-9 {
		t.Errorf("the mean of infrared is %v, want %v", got, sum/n)
	}
}

func numbersOf[T any](v any) (list []T) {
	for _, x := range v.([]any) {
		list = append(list, x.(T))
	}
	return list
}

// framesOf returns the pixels of a recording's frames, by stream and stamp.
func framesOf(t *testing.T, in string) map[string]map[int64][]byte {
	t.Helper()
	frames := make(map[string]map[int64][]byte)
	each(t, in, func(id camdriver.StreamID, at int64, data []byte) {
		name := strings.TrimPrefix(key("", id), imagePrefix)
		if frames[name] == nil {
			frames[name] = make(map[int64][]byte)
		}
		frames[name][at] = data
	})
	return frames
}

// TestLeRobotJPEG checks that 8-bit images are JPEG and depth is PNG.
func TestLeRobotJPEG(t *testing.T) {
	dir := whole(t, options{In: []string{samplebag.Data(t, "sw_small_lz4.bag")}, Robot: NewRobot("look"), Images: "jpeg"})
	row := rowsOf(t, filepath.Join(dir, "data/chunk-000/file-000.parquet"))[0]
	for _, name := range []string{"color", "infrared1"} {
		p := row["observation.images."+name].(map[string]any)
		img, err := jpeg.Decode(strings.NewReader(p["bytes"].(string)))
		if err != nil || img.Bounds().Dx() != 64 || p["path"] != "frame-000000.jpg" {
			t.Errorf("%s: %v, %v", name, err, p["path"])
		}
	}
	if p := row["observation.images.depth"].(map[string]any); p["path"] != "frame-000000.png" {
		t.Errorf("depth is %v", p["path"])
	}
	if _, ok := row["observation.state"]; ok {
		t.Error("there is a state without joints")
	}
}

func TestRobotFile(t *testing.T) {
	const text = `
task: Stack the cups
robot_type: ur5e
fps: 15
max_age: 0.5
state:
  - topic: /joint_states
    fields: [position, velocity]
    joints: [wrist]
  - {topic: /joint_states, joints: [elbow]}
action:
  - {topic: /joint_states, fields: [header.seq, effort]}
`
	path := filepath.Join(t.TempDir(), "robot.yaml")
	need.Must(t, os.WriteFile(path, []byte(text), 0o600))
	robot, err := ReadRobot(path)
	need.Must(t, err)
	dir := whole(t, options{In: []string{robotBag(t)}, Robot: robot, Selection: bagset.Selection{End: "0.7"}, Rate: 15})
	var info lerobotInfo
	readJSON(t, filepath.Join(dir, "meta/info.json"), &info)
	state, action := info.Features["observation.state"], info.Features["action"]
	if want := []string{"/joint_states:wrist", "/joint_states:wrist.velocity", "/joint_states:elbow"}; !slices.Equal(state.Names, want) || info.FPS != 15 || *info.Robot != "ur5e" {
		t.Errorf("state is %v, want %v", state.Names, want)
	}
	if want := []string{"header.seq", "elbow.effort", "wrist.effort"}; !slices.Equal(action.Names, want) {
		t.Errorf("action is %v, want %v", action.Names, want)
	}
	for _, row := range rowsOf(t, filepath.Join(dir, "data/chunk-000/file-000.parquet")) {
		a := numbersOf[float32](row["action"])
		if n := a[0]; !slices.Equal(a, []float32{n, n, -n / 2}) || !slices.Equal(numbersOf[float32](row["observation.state"]), []float32{-n / 2, -n / 2, n}) {
			t.Errorf("action %v, state %v", a, row["observation.state"])
		}
	}
}

func TestRobotFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "empty",
		"tasks: x":                       "line 1: found the key",
		"fps: 29.97":                     "whole number",
		"max_age: 0":                     "seconds above 0",
		"state: /joint_states":           "a list of topics",
		"state:\n- fields: [a]":          "line 2: state: found no topic",
		"state:\n- {topic: [a]}":         "a text",
		"action:\n- {topic: a, from: b}": "found the key",
		"a: &x [*x]":                     "anchor",
	} {
		if _, err := parseRobot([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzRobot lets the sources of a hostile file read a hostile message.
func FuzzRobot(f *testing.F) {
	joints := samplebag.JointStates(1, 2)
	f.Add([]byte("task: x\nstate:\n- {topic: /j, fields: [position, header.seq], joints: [wrist]}"), joints)
	f.Add([]byte("action:\n- topic: /j\n  fields: [effort, name, header.stamp, header, position.x]\nfps: 30\nmax_age: 1"), joints)
	f.Add([]byte("state: [{topic: /j, fields: [velocity]}]"), make([]byte, 32))
	typ := msgs.MustType(jointState)
	spec, err := msgs.Parse(typ.Name, typ.Definition)
	need.Must(f, err)
	c := &bagstore.Connection{Topic: "/j", Type: typ.Name}
	f.Fuzz(func(t *testing.T, text, data []byte) {
		robot, err := parseRobot(text)
		if err != nil {
			return
		}
		for _, source := range slices.Concat(robot.State, robot.Action) {
			feed := &feed{Source: source, types: map[*bagstore.Connection]*msgs.Spec{c: spec}}
			feed.add(bagstore.Message{Conn: c, Stored: bagstore.Stored{Data: data}}, true)
			feed.add(bagstore.Message{Conn: c, Stored: bagstore.Stored{Data: data}}, true)
			for _, s := range feed.waiting {
				if s.bad == nil && (len(s.numbers) == 0 || len(s.numbers) != len(feed.names)) {
					t.Fatalf("%v: %d numbers, names %q", source, len(s.numbers), feed.names)
				}
			}
		}
	})
}

func TestLeRobotErrors(t *testing.T) {
	in := robotBag(t)
	robot := func(change func(*Robot)) *Robot {
		r := NewRobot("look")
		change(r)
		return r
	}
	for _, c := range []struct {
		o    options
		want string
	}{
		{options{}, "needs a task"},
		{options{Robot: robot(func(r *Robot) { r.State = []Source{{Topic: "/none"}} })}, "no selected topic /none"},
		{options{Robot: robot(func(r *Robot) { r.State = []Source{{Topic: "/joint_states", Fields: []string{"name"}}} })}, "no set of"},
		{options{Robot: NewRobot("look"), Rate: 12.5}, "whole number"},
		{options{Robot: NewRobot("look"), In: []string{in, samplebag.Data(t, "sw_small_lz4.bag")}}, "lacks observation.state"},
	} {
		if c.o.In == nil {
			c.o.In = []string{in}
		}
		if _, err := make1(t, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestRunning checks that quantiles stay close when values are thinned out.
func TestRunning(t *testing.T) {
	r := new(running)
	const n = 3 * maxKept
	for i := range n {
		r.add([]float64{float64(i * 7919 % n), 1})
	}
	s := r.finish()
	v := s.Values
	if s.Count != n || v["min"][0] != 0 || v["max"][0] != n-1 || v["std"][1] != 0 || math.Abs(v["mean"][0]/(n/2)-1) > 1e-3 || math.Abs(v["std"][0]/(n/math.Sqrt(12))-1) > 1e-3 {
		t.Errorf("%+v", s)
	}
	for name, q := range quantiles {
		if got := v[name][0] / n; math.Abs(got-q) > 0.01 {
			t.Errorf("%s is %v", name, got)
		}
	}
	joined := s.join(s)
	if joined.Count != 2*n || math.Abs(joined.Values["std"][0]/v["std"][0]-1) > 1e-9 || joined.Values["mean"][0] != v["mean"][0] {
		t.Errorf("%+v", joined)
	}
}

// TestLeRobotKept checks that episodes completed by an interrupted run are kept.
func TestLeRobotKept(t *testing.T) {
	in, dir := samplebag.Data(t, "sw_small_lz4.bag"), filepath.Join(t.TempDir(), "out")
	o := options{In: []string{in, in, in}, Robot: NewRobot("look"), Dir: dir}
	ctx, cancel := context.WithCancel(t.Context())
	first := filepath.Join(dir, "data/chunk-000/file-000.parquet")
	o.Progress = func(uint64, uint64) {
		if _, err := os.Stat(filepath.Join(dir, dataset.PartsName, "000000.json")); err == nil {
			cancel()
		}
	}
	if err := o.run(ctx, t); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	before, err := os.Stat(first)
	need.Must(t, err)
	o.Progress = nil
	whole(t, o)
	if after, err := os.Stat(first); err != nil || !os.SameFile(before, after) {
		t.Errorf("the first episode was made again: %v", err)
	}
	other := whole(t, options{In: o.In, Robot: o.Robot})
	if got, want := tree(t, dir), tree(t, other); !maps.Equal(got, want) {
		t.Error("the data set differs from that of an uninterrupted run")
	}
}
