package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/rewrite"
)

// command runs a command line and returns its exit code and output.
func command(t *testing.T, args ...string) (code int, out, log string) {
	t.Helper()
	return commandIn(t.Context(), args...)
}

func commandIn(ctx context.Context, args ...string) (code int, out, log string) {
	var stdout, stderr bytes.Buffer
	code = run(ctx, args, streams{out: &stdout, err: zerolog.SyncWriter(&stderr)}, nil) // nodes log from many goroutines
	return code, stdout.String(), stderr.String()
}

// want runs a command line and checks its exit code.
func want(t *testing.T, code int, args ...string) (out string) {
	t.Helper()
	out, _ = wantBoth(t, code, args...)
	return out
}

// wantLog is want for what is logged.
func wantLog(t *testing.T, code int, args ...string) (log string) {
	t.Helper()
	_, log = wantBoth(t, code, args...)
	return log
}

func wantBoth(t *testing.T, code int, args ...string) (out, log string) {
	t.Helper()
	got, out, log := command(t, args...)
	if got != code {
		t.Fatalf("%q: exit code %d, want %d\n%s%s", args, got, code, out, log)
	}
	return out, log
}

// has checks that what a command prints has texts.
func has(t *testing.T, printed string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			t.Errorf("no %q in\n%s", text, printed)
		}
	}
}

// writeBag writes a bag with connections, whose IDs are their places in the list, and the messages that fill writes.
func writeBag(t *testing.T, path string, o bagstore.Options, conns []bagstore.Connection, fill func(write func(id int, at bagstore.Time, data []byte))) {
	t.Helper()
	w, err := rosbag.Create(path, o)
	need.Must(t, err)
	for i, c := range conns {
		c.ID = uint32(i)
		_, e := w.AddConnection(c)
		err = errors.Join(err, e)
	}
	fill(func(id int, at bagstore.Time, data []byte) { err = errors.Join(err, w.Write(uint32(id), at, data)) })
	need.Must(t, errors.Join(err, w.Close()))
}

// sameMessages compares two bags; messages with equal times may be in any order.
func sameMessages(t *testing.T, a, b string) {
	t.Helper()
	_, x := samplebag.Messages(t, a)
	_, y := samplebag.Messages(t, b)
	slices.Sort(x)
	slices.Sort(y)
	if !slices.Equal(x, y) {
		t.Errorf("%s and %s hold different messages: %d and %d", a, b, len(x), len(y))
	}
}

// stockCount returns the number of messages according to rosbag info, if there is a rosbag.
func stockCount(t *testing.T, path string, messages int) {
	t.Run("rosbag info", func(t *testing.T) {
		need.Programs(t, "rosbag")
		out, err := exec.Command("rosbag", "info", "-y", "-k", "messages", path).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != fmt.Sprint(messages) {
			t.Errorf("%s: %s, %v; want %d", path, got, err, messages)
		}
	})
}

func TestCheck(t *testing.T) {
	sound, broken, none := samplebag.SDK(t, "sw_small_lz4.bag", "sound.bag"), samplebag.Torn(t), samplebag.File(t, "none.bag", []byte("no bag at all"))
	has(t, want(t, exitOK, "check", sound), sound+": sound, version 2.0, 8038 messages in 3 chunks\n", "RealSense recording, version 4")
	has(t, want(t, exitIncomplete, "check", broken, sound), broken+": damaged", "loss at byte")
	has(t, want(t, exitFailed, "check", none, broken), none+": unreadable", "not a bag")
	var res struct {
		Outcome   string
		Messages  int
		Recording struct{ Version int }
	}
	if err := json.Unmarshal([]byte(want(t, exitOK, "check", "--json", sound)), &res); err != nil || res.Outcome != "sound" || res.Messages != 8038 || res.Recording.Version != 4 {
		t.Error(res, err)
	}
	// Frames that the recorder was told to skip aren't damage, but are reported.
	has(t, want(t, exitOK, "check", samplebag.SDK(t, "sw_small_pause.bag", "pause.bag")), "Depth_0: the camera's numbers leave out 20 frames")
}

func TestCheckRules(t *testing.T) {
	sound, lossy := samplebag.SDK(t, "sw_small_raw.bag", "sound.bag"), samplebag.SDK(t, "sw_small_pause.bag", "lossy.bag")
	file := samplebag.File(t, "rules.yaml", []byte(want(t, exitOK, "check", "--rules-from", sound)))
	has(t, want(t, exitOK, "check", "--rules", file, sound), " rules: 0 of ")
	has(t, want(t, exitIncomplete, "check", "--rules", file, lossy, sound), lossy+": sound", "lost_frames: want at most 0, found 380\n", " rules: 0 of ")
	var res struct {
		Outcome string
		Rules   struct {
			Rules  int
			Failed []struct {
				Line              int
				Rule, Want, Found string
			}
		}
	}
	if err := json.Unmarshal([]byte(want(t, exitIncomplete, "check", "--rules", file, "--json", lossy)), &res); err != nil || res.Outcome != "sound" || res.Rules.Rules < 200 || len(res.Rules.Failed) == 0 || res.Rules.Failed[0].Found != "380" {
		t.Errorf("%+v, %v", res, err)
	}
	none := samplebag.File(t, "none.bag", []byte("no bag at all"))
	if out := want(t, exitFailed, "check", "--rules", file, none); strings.Contains(out, "rules:") {
		t.Error(out)
	}
	want(t, exitFailed, "check", "--rules-from", none)
	out, log := wantBoth(t, exitIncomplete, "check", "--rules-from", samplebag.Torn(t))
	has(t, out, "topics:")
	has(t, log, "damaged recording")
	wrong := samplebag.File(t, "wrong.yaml", []byte("recording:\n  sise: {max: 1}\n"))
	if code, out, log := command(t, "check", "--rules", wrong, sound); code != exitUsage || out != "" || !strings.Contains(log, wrong+`: line 2: recording: found the key "sise"`) {
		t.Errorf("exit code %d\n%s%s", code, out, log)
	}
}

func TestRecover(t *testing.T) {
	bag := samplebag.Torn(t)
	before, err := os.ReadFile(bag)
	need.Must(t, err)
	out := want(t, exitIncomplete, "recover", "--log-level", "debug", bag)
	sound := filepath.Join(filepath.Dir(bag), "torn.recovered.bag")
	counts, _ := samplebag.Messages(t, sound)
	for _, topic := range []string{"/device_0/sensor_0/Depth_0/image/data", "/device_0/sensor_2/Gyro_0/imu/data"} {
		if n := counts[topic]; n == 0 || !strings.Contains(out, fmt.Sprintf("kept %6d  lost      0  %s (", n, topic)) {
			t.Errorf("%d messages of %s are kept; the report says\n%s", n, topic, out)
		}
	}
	if after, err := os.ReadFile(bag); err != nil || !bytes.Equal(before, after) {
		t.Error("the input was changed")
	}
	want(t, exitOK, "check", sound)
	all := 0
	for n := range maps.Values(counts) {
		all += n
	}
	stockCount(t, sound, all)

	want(t, exitFailed, "recover", bag) // the output exists
	want(t, exitIncomplete, "recover", "--force", bag)
	want(t, exitFailed, "recover", "-o", bag, bag) // that needs --in-place
	want(t, exitOK, "reindex", bag)
	if got := samplebag.Names(t, bag); !slices.Equal(got, []string{"torn.bag", "torn.orig.bag", "torn.recovered.bag"}) {
		t.Error(got)
	}
	sameMessages(t, bag, sound)
	var res struct {
		Kept, Lost int
		Outcome    string
		Output     string
	}
	if err := json.Unmarshal([]byte(want(t, exitOK, "recover", "--json", bag, "-f")), &res); err != nil || res.Kept != all || res.Lost != 0 || res.Outcome != "sound" || res.Output != sound {
		t.Error(res, err)
	}
}

func TestRecoverNothing(t *testing.T) {
	bag := samplebag.File(t, "none.bag", []byte("no bag at all"))
	want(t, exitFailed, "recover", bag)
	want(t, exitFailed, "recover", "--in-place", bag)
	want(t, exitFailed, "recover", bag+".nowhere")
	if got := samplebag.Names(t, bag); !slices.Equal(got, []string{"none.bag"}) {
		t.Error(got)
	}
}

func TestCompress(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	original := filepath.Join(filepath.Dir(bag), "walk.orig.bag")
	for _, step := range []struct {
		args []string
		kind bagstore.Compression
	}{
		{[]string{"compress", "-f", bag}, bagstore.BZ2},
		{[]string{"compress", "-f", "--lz4", bag}, bagstore.LZ4},
		{[]string{"decompress", "-f", bag}, bagstore.None},
	} {
		want(t, exitOK, step.args...)
		if kind, err := compressionOf(bag); kind != step.kind || err != nil {
			t.Errorf("%q: %s, %v", step.args, kind, err)
		}
		sameMessages(t, bag, original)
		want(t, exitOK, "check", bag)
	}
	want(t, exitFailed, "compress", bag) // the backup exists
	want(t, exitOK, "compress", "--lz4", "-o", filepath.Join(filepath.Dir(bag), "new")+"/", bag)
	sameMessages(t, bag, filepath.Join(filepath.Dir(bag), "new/walk.bag"))
	if got := samplebag.Names(t, bag); !slices.Equal(got, []string{"new", "walk.bag", "walk.orig.bag"}) {
		t.Error(got)
	}
	// A damaged bag doesn't stop the others.
	bad := samplebag.File(t, "bad.bag", []byte("no bag at all"))
	want(t, exitFailed, "compress", "-qf", bad, bag)
	if kind, err := compressionOf(bag); kind != bagstore.BZ2 || err != nil {
		t.Error(kind, err)
	}
	want(t, exitIncomplete, "compress", "--lz4", samplebag.Torn(t))
	small := filepath.Join(t.TempDir(), "small.bag")
	want(t, exitOK, "filter", samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag"), "-o", small, "--topics", "/device_0/.*info", "-e")
	has(t, wantLog(t, exitOK, "compress", small), "librealsense can't play")
}

// TestInterrupted checks that Ctrl-C and success have different exit codes, and that the input stays.
func TestInterrupted(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	bag := samplebag.SDK(t, "sw_small_lz4.bag", "sdk.bag")
	out := filepath.Join(filepath.Dir(bag), "out.bag")
	for _, args := range [][]string{
		{"check", bag}, {"recover", bag}, {"recover", "--in-place", bag}, {"compress", bag}, {"decompress", bag},
		{"filter", bag, "-o", out}, {"merge", "-o", out, bag, bag}, {"split", "--split-count", "100000", bag},
	} {
		code, _, log := commandIn(stopped, args...)
		if code != exitFailed || !strings.Contains(log, "interrupted") {
			t.Errorf("%q: exit code %d\n%s", args, code, log)
		}
		if got := samplebag.Names(t, bag); !slices.Equal(got, []string{"sdk.bag"}) {
			t.Fatalf("%q left %q", args, got)
		}
	}
}

func TestFilter(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	for _, c := range []struct {
		args string
		want map[string]int
	}{
		{"", map[string]int{"/map": 1, "/count": 100, "/twice/count": 100}},
		{"--topics /count", map[string]int{"/count": 100}},
		{"--topics count,/map", map[string]int{"/count": 100, "/map": 1}},
		{"--topics .*count -e", map[string]int{"/count": 100, "/twice/count": 100}},
		{"-e --topics /count,/twice/.*", map[string]int{"/count": 100, "/twice/count": 100}},
		{"-e --topics /count --topics /twi[a-z]{1,3}/.*", map[string]int{"/count": 100, "/twice/count": 100}},
		{"-e --topics count", map[string]int{}},
		{"-x .*count", map[string]int{"/map": 1}},
		{"--types std_msgs/String -x /count", map[string]int{"/map": 1, "/twice/count": 100}},
		{"--types std_msgs/Bool", map[string]int{}},
		{"--start 0.5 --end 0.745", map[string]int{"/map": 1, "/count": 25, "/twice/count": 25}},
		{"--start 0.5 --no-latched", map[string]int{"/count": 50, "/twice/count": 50}},
		{"--end 1700000000.1 --topics /count", map[string]int{"/count": 11}},
	} {
		out := filepath.Join(t.TempDir(), "out.bag")
		want(t, exitOK, append([]string{"filter", bag, "-o", out}, strings.Fields(c.args)...)...)
		if got, _ := samplebag.Messages(t, out); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.args, got, c.want)
		}
		want(t, exitOK, "check", out)
	}
	out := filepath.Join(t.TempDir(), "out.bag")
	want(t, exitFailed, "filter", bag+".nowhere", "-o", out)
	want(t, exitIncomplete, "filter", samplebag.Torn(t), "-o", out)
}

// TestFilterKeepsCompression checks that a copy is compressed as the original was.
func TestFilterKeepsCompression(t *testing.T) {
	bag, out := samplebag.SDK(t, "sw_small_lz4.bag", "sdk.bag"), filepath.Join(t.TempDir(), "out.bag")
	for flag, kind := range map[string]bagstore.Compression{"-f": bagstore.LZ4, "--uncompressed": bagstore.None, "--bz2": bagstore.BZ2} {
		want(t, exitOK, "filter", "-f", bag, "-o", out, flag, "--topics", "/device_0/sensor_2/Gyro_0/imu/data")
		if got, err := compressionOf(out); got != kind || err != nil {
			t.Errorf("%s: %s, %v", flag, got, err)
		}
	}
}

// TestZstdIntoBag checks that zstd chunks become LZ4 chunks in a bag, which doesn't support zstd.
func TestZstdIntoBag(t *testing.T) {
	in, dir := zstdMCAP(t), t.TempDir()
	for out, args := range map[string][]string{
		"filtered.bag": {"filter", in, "-o", filepath.Join(dir, "filtered.bag")},
		"merged.bag":   {"merge", in, "-o", filepath.Join(dir, "merged.bag")},
		"part_000.bag": {"split", in, "--split-count", "3", "-o", filepath.Join(dir, "part")},
	} {
		want(t, exitOK, args...)
		out = filepath.Join(dir, out)
		if n := strings.Count(want(t, exitOK, "cat", out), "data: \"hi\"\n"); n != 3 {
			t.Errorf("%s: %d messages", out, n)
		}
		if kind, err := compressionOf(out); kind != bagstore.LZ4 || err != nil {
			t.Errorf("%s: %s, %v", out, kind, err)
		}
	}
}

func TestSplitAndMerge(t *testing.T) {
	for line, parts := range map[string]int{
		"--split-count 50": 5, "--split-duration 0.25": 4, "--split-duration 0.25 --split-count 10": 21, "--split-count 1000": 1,
	} {
		bag := samplebag.Walk(t, "walk.bag")
		out := want(t, exitOK, append([]string{"split", "--no-latched", bag}, strings.Fields(line)...)...)
		names, err := filepath.Glob(filepath.Join(filepath.Dir(bag), "walk_*.bag"))
		if err != nil || len(names) != parts || strings.Count(out, "\n") != parts {
			t.Errorf("%s: %q, %v\n%s", line, names, err, out)
		}
		whole := filepath.Join(t.TempDir(), "whole.bag")
		want(t, exitOK, append([]string{"merge", "-o", whole}, names...)...)
		_, before := samplebag.Messages(t, bag)
		if _, after := samplebag.Messages(t, whole); !slices.Equal(before, after) {
			t.Errorf("%s: the merged bag has other messages or another order", line)
		}
	}
	bag := samplebag.Walk(t, "walk.bag")
	prefix := filepath.Join(t.TempDir(), "part")
	var parts []rewrite.Part
	if err := json.Unmarshal([]byte(want(t, exitOK, "split", "--json", "--split-duration", "0.5", "-o", prefix, bag)), &parts); err != nil || len(parts) != 2 || parts[1].Path != prefix+"_001.bag" {
		t.Fatal(parts, err)
	}
	if got, _ := samplebag.Messages(t, parts[1].Path); got["/map"] != 1 {
		t.Errorf("the second part doesn't begin with the latched map: %v", got)
	}
	want(t, exitFailed, "split", "--split-duration", "0.5", "-o", prefix, bag) // the parts exist
}

// TestMisnamed checks that no command writes a format under the name of another one.
func TestMisnamed(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	bag := samplebag.Walk(t, "walk.bag")
	text, err := os.ReadFile(bag)
	if err == nil {
		err = os.WriteFile(in("named.mcap"), text, 0o600)
	}
	need.Must(t, err)
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitUsage, []string{"filter", bag, "-o", in("new.MCAP")}}, {exitUsage, []string{"filter", samplebag.Data(t, "sw_small_lz4.bag"), "-o", in("new.db3")}},
		{exitUsage, []string{"split", bag, "--split-count", "1", "-o", in("new.mcap")}}, {exitUsage, []string{"process", samplebag.Data(t, "sw_small_lz4.bag"), "-o", in("new.db3"), "--filters", "decimation"}},
		{exitUsage, []string{"export", bag, "-o", in("new.mcap")}}, {exitFailed, []string{"recover", bag, "-o", in("new.mcap")}},
		{exitFailed, []string{"compress", in("named.mcap"), "--lz4"}}, {exitFailed, []string{"compress", in("named.mcap"), "--lz4", "-o", in("out") + "/"}},
	} {
		if code, out, log := command(t, c.args...); code != c.code || !strings.Contains(out+log, "rs-ros-node convert ") {
			t.Errorf("%q: exit code %d, want %d and the command that converts\n%s%s", c.args, code, c.code, out, log)
		}
	}
	if files := tree(t, dir); len(files) != 1 || files["/named.mcap"] != string(text) {
		t.Errorf("files: %v", slices.Sorted(maps.Keys(files)))
	}
	want(t, exitOK, "filter", bag, "-o", in("new"))
}

// TestKinds checks that filter and merge write each kind of recording from each, with the messages of a bag that is
// selected first and converted then, and that messages stay in the ROS that they are of.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	bag := samplebag.Walk(t, "walk.bag")
	kinds := []string{".bag", ".mcap", ".db3"}
	for _, kind := range kinds[1:] {
		want(t, exitOK, "convert", bag, "-o", in("in"+kind))
	}
	selections := [][]string{{"--topics", "/map,/count", "-s", "0.4", "--end", "0.9"}, {"--types", "std_msgs/String", "-x", "/map"}, {"-s", "0.2"}}
	for _, from := range []string{bag, in("in.mcap"), in("in.db3")} {
		for n, flags := range selections {
			cut := in(fmt.Sprintf("%s_%d.bag", filepath.Ext(from)[1:], n))
			want(t, exitOK, append([]string{"filter", from, "-o", cut}, flags...)...)
			both := in("both_" + filepath.Base(cut))
			want(t, exitOK, append([]string{"merge", "-o", both, from, bag}, flags...)...)
			for _, kind := range kinds[1:] {
				got, converted, merged := in("got"+kind), in("converted"+kind), in("merged"+kind)
				want(t, exitOK, append([]string{"filter", "--overwrite", from, "-o", got}, flags...)...)
				want(t, exitOK, "convert", "--overwrite", cut, "-o", converted)
				want(t, exitOK, append([]string{"merge", "--overwrite", "-o", merged, from, bag}, flags...)...)
				if is, should := want(t, exitOK, "cat", got), want(t, exitOK, "cat", converted); is != should || is == "" {
					t.Errorf("filter %s to %s with %q wrote\n%s\nwant\n%s", from, kind, flags, is, should)
				}
				want(t, exitOK, "convert", "--overwrite", both, "-o", converted)
				if is, should := want(t, exitOK, "cat", merged), want(t, exitOK, "cat", converted); is != should || is == "" {
					t.Errorf("merge %s into %s with %q wrote\n%s\nwant\n%s", from, kind, flags, is, should)
				}
				ros := map[bool]string{true: "2", false: "1"}[kind == ".db3" || strings.HasSuffix(from, ".db3")]
				if text := want(t, exitOK, "info", got); kind == ".mcap" && !strings.Contains(text, "profile ros"+ros) {
					t.Errorf("filter %s to %s: no messages of ROS %s:\n%s", from, kind, ros, text)
				}
			}
		}
		for _, kind := range kinds[1:] { // an expression sees the ROS 1 form
			out := in("expression" + kind)
			want(t, exitOK, "filter", "--overwrite", from, "-o", out, "m._type == 'std_msgs/String' and m.data == '42'")
			if text := want(t, exitOK, "cat", out); strings.Count(text, `data: "42"`) != 2 {
				t.Errorf("an expression for %s to %s selected\n%s", from, kind, text)
			}
		}
	}
}

// compressionOf returns the compression of most of a recording's chunks.
func compressionOf(path string) (bagstore.Compression, error) {
	b, err := recording.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return "", err
	}
	defer b.Close()
	return rewrite.MainCompression(b)
}
