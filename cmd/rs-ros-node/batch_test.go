package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/batch"
)

// archive is a folder with recordings of all formats; one is truncated, one is not a recording.
func archive(t *testing.T) string {
	t.Helper()
	bag := samplebag.Walk(t, "walk.bag")
	in := filepath.Dir(bag)
	whole, err := os.ReadFile(bag)
	need.Must(t, err)
	for name, text := range map[string][]byte{"torn/torn.bag": whole[:len(whole)*2/3], "-odd:=name.bag": whole, "empty.bag": nil} {
		path := filepath.Join(in, name)
		need.Must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		need.Must(t, os.WriteFile(path, text, 0o666))
	}
	want(t, exitOK, "convert", bag, "-o", filepath.Join(in, "robot.mcap"))
	command(t, "convert", bag, "-o", filepath.Join(in, "two.db3")) // ROS 2 has no seq
	command(t, "convert", bag, "-o", filepath.Join(in, "folder"))
	return in
}

// lines parses batch's output, and removes what differs between runs.
func lines(t *testing.T, out string) map[string]batch.Result {
	t.Helper()
	results := make(map[string]batch.Result)
	for line := range strings.Lines(out) {
		var r batch.Result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if _, twice := results[r.Item]; twice {
			t.Errorf("%s has two lines", r.Item)
		}
		results[r.Item] = r
	}
	return results
}

func states(results map[string]batch.Result) map[string]string {
	s := make(map[string]string)
	for name, r := range results {
		s[name] = string(r.State)
	}
	return s
}

// TestBatch runs every command over an archive, in one run and in shards, and compares with the command
// itself.
func TestBatch(t *testing.T) {
	in := archive(t)
	for _, c := range []struct {
		command string
		flags   []string // exit code of batch
		rest    []string // exit code of the command
		code    int
	}{
		{command: "check", code: exitFailed},
		{command: "info", rest: []string{"--sizes"}, code: exitFailed},
		{command: "recover", code: exitFailed},
		{command: "compress", rest: []string{"--lz4"}, code: exitFailed},
		{command: "convert", flags: []string{"--to", "mcap"}, rest: []string{"--lz4"}, code: exitFailed},
		{command: "filter", rest: []string{"topic != '/none'"}, code: exitFailed},
		{command: "export", code: exitFailed},
	} {
		t.Run(c.command+strings.Join(c.flags, ""), func(t *testing.T) {
			out := t.TempDir()
			line := func(out string, more ...string) []string {
				return slices.Concat([]string{"batch", c.command, in, "-o", out}, c.flags, more, []string{"--"}, c.rest)
			}
			first := lines(t, want(t, c.code, line(out)...))
			if len(first) != 7 || first["walk.bag"].State != batch.Done || first["-odd:=name.bag"].State != batch.Done || first["empty.bag"].State != batch.Failed {
				t.Errorf("%v", states(first))
			}
			again := lines(t, want(t, c.code, line(out)...))
			for name, r := range again {
				if r.Before != (r.State != batch.Failed) || r.Before && r.Begun != first[name].Begun {
					t.Errorf("%s again: %+v, at first %+v", name, r, first[name])
				}
			}
			sharded := make(map[string]batch.Result)
			parts := t.TempDir()
			for _, shard := range []string{"0/3", "1/3", "2/3"} {
				_, text, _ := command(t, line(parts, "--shard", shard)...)
				maps.Copy(sharded, lines(t, text))
			}
			if !maps.Equal(states(first), states(sharded)) {
				t.Errorf("in shards: %v, at once: %v", states(sharded), states(first))
			}
			for name, r := range first {
				if r.Output == "" {
					continue
				}
				a, b := filepath.Join(out, r.Output), filepath.Join(parts, sharded[name].Output)
				if x, y := tree(t, a), tree(t, b); len(x) == 0 || !maps.Equal(x, y) {
					t.Errorf("%s: %v differs from %v", name, slices.Sorted(maps.Keys(x)), slices.Sorted(maps.Keys(y)))
				}
			}
		})
	}
}

// TestBatchInBucket checks that results and outputs from bucket to bucket equal those of folders.
func TestBatchInBucket(t *testing.T) {
	in := archive(t)
	b := bucket.Start(t)
	from := b.Put("raw", in)
	for _, c := range [][]string{{"check"}, {"recover"}, {"compress", "--", "--lz4"}, {"convert", "--to", "mcap"}, {"filter"}, {"export"}} {
		folder, out := t.TempDir(), b.Address(c[0])
		line := func(in, out string) []string {
			return slices.Concat([]string{"batch", c[0], in, "-o", out}, c[1:])
		}
		want(t, exitFailed, line(in, folder)...)
		local := lines(t, want(t, exitFailed, line(in, folder)...))
		first := lines(t, want(t, exitFailed, line(from, out)...))
		again := lines(t, want(t, exitFailed, line(from, out)...))
		if !maps.Equal(states(first), states(local)) || !maps.Equal(states(again), states(local)) {
			t.Errorf("%s in a bucket: %v, again %v, in folders: %v", c[0], states(first), states(again), states(local))
		}
		for name, r := range again {
			if r.Before != (r.State != batch.Failed) {
				t.Errorf("%s %s again: %+v", c[0], name, r)
			}
			if r.Output == "" {
				continue
			}
			for part, text := range tree(t, filepath.Join(folder, r.Output)) {
				f, err := place.Open(t.Context(), place.Join(out, r.Output)+part)
				if err != nil {
					t.Error(err)
					continue
				}
				got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Info().Size))
				if err := errors.Join(err, f.Close()); err != nil || string(got) != text {
					t.Errorf("%s %s%s: another output, %v", c[0], r.Output, part, err)
				}
			}
		}
	}
}

// tree returns the contents of a file or of all files of a folder.
func tree(t *testing.T, path string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		files[strings.TrimPrefix(name, path)] = string(text)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// TestBatchExitCodes checks that the exit code is 3 if an item lost something and 1 if one failed, and
// the same when nothing is left to do.
func TestBatchExitCodes(t *testing.T) {
	in, out := archive(t), t.TempDir()
	list := filepath.Join(t.TempDir(), "list")
	for _, c := range []struct {
		names string
		code  int
	}{
		{"walk.bag\nrobot.mcap\n", exitOK}, {"walk.bag\ntorn/torn.bag\n", exitIncomplete}, {"walk.bag\ntorn/torn.bag\nempty.bag\n", exitFailed}, {"none.bag\n", exitFailed}, {"", exitOK},
	} {
		need.Must(t, os.WriteFile(list, []byte(c.names), 0o666))
		for range 2 {
			got := lines(t, want(t, c.code, "batch", "check", in, "-o", out, "--list", list))
			if len(got) != strings.Count(c.names, "\n") {
				t.Errorf("%q: %v", c.names, states(got))
			}
		}
	}
}

// TestBatchSelects checks which recordings batch finds below a folder.
func TestBatchSelects(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	want(t, exitFailed, "batch", "check", in, "-o", out) // there are no recordings
	bag := samplebag.Walk(t, "walk.bag")
	if need.Symlink(t, bag, filepath.Join(in, "link.bag")) {
		want(t, exitFailed, "batch", "check", in, "-o", out)
	}
	for _, below := range []string{"", "below"} {
		text, err := os.ReadFile(bag)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Join(in, below), 0o700), os.WriteFile(filepath.Join(in, below, "walk.bag"), text, 0o600))
		}
		need.Must(t, err)
		if got := lines(t, want(t, exitOK, "batch", "check", filepath.Join(in, below), "-o", in)); len(got) == 0 {
			t.Errorf("--in OUT/%s: nothing was done", below)
		}
	}
}

// TestBatchRules checks that results depend on the content of the rules file, and that a file without
// rules is reported before work starts.
func TestBatchRules(t *testing.T) {
	in, out, file := filepath.Dir(samplebag.Walk(t, "walk.bag")), t.TempDir(), filepath.Join(t.TempDir(), "rules.yaml")
	line := []string{"batch", "check", in, "-o", out, "--", "--rules", file}
	want(t, exitUsage, line...)
	for i, c := range []struct {
		rules  string
		code   int
		before bool
	}{
		{"nonsense", exitUsage, false}, {"recording: {messages: {min: 1}}", exitOK, false}, {"recording: {messages: {min: 1}}", exitOK, true},
		{"recording: {messages: {max: 1}}", exitIncomplete, false}, {"recording: {messages: {max: 1}}", exitIncomplete, true},
	} {
		need.Must(t, os.WriteFile(file, []byte(c.rules), 0o666))
		if got := lines(t, want(t, c.code, line...)); got["walk.bag"].Before != c.before {
			t.Errorf("%d: %+v", i, got)
		}
		if _, err := os.Stat(filepath.Join(out, ".batch")); (err == nil) != (c.code != exitUsage) {
			t.Errorf("%d: markers: %v", i, err)
		}
	}
}

// TestBatchLongResult checks that a result too long for a marker is left out, and that the marker says
// so.
func TestBatchLongResult(t *testing.T) {
	dir := t.TempDir()
	var conns []bagstore.Connection
	for i := range 20 {
		topic := fmt.Sprintf("/%d%s", i, strings.Repeat("x", batch.MaxResult/20))
		conns = append(conns, bagstore.Connection{Topic: topic, Type: "std_msgs/Empty", MD5: "d41d8cd98f00b204e9800998ecf8427e"})
	}
	writeBag(t, filepath.Join(dir, "walk.bag"), bagstore.Options{}, conns, func(write func(int, bagstore.Time, []byte)) {
		for i := range conns {
			write(i, 1, nil)
		}
	})
	got := lines(t, want(t, exitOK, "batch", "info", dir, "-o", t.TempDir()))["walk.bag"]
	if got.Result != nil || len(got.Log) != 1 || !strings.Contains(got.Log[0], "the result is left out") {
		t.Errorf("%.1000v", got)
	}
}
