package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// unindexed makes what a killed rosbag record leaves: a bag without an index, whose last chunk is
// incomplete.
func unindexed(t *testing.T) string {
	t.Helper()
	path := samplebag.Walk(t, "walk.bag")
	raw, err := os.ReadFile(path)
	need.Must(t, err)
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	chunks := b.Blocks()
	b.Close()
	last := chunks[len(chunks)-1].Pos
	// index_pos in the file header, which is read first, must say that there is none.
	at := bytes.Index(raw, []byte("index_pos=")) + len("index_pos=")
	copy(raw[at:], make([]byte, 8))
	return samplebag.File(t, "walk.bag.active", raw[:last+300])
}

// TestReindexThenMove checks the command line that scripts use after a recorder died.
func TestReindexThenMove(t *testing.T) {
	bag := unindexed(t)
	before, err := os.ReadFile(bag)
	need.Must(t, err)
	whole := filepath.Join(filepath.Dir(bag), "walk.bag")
	want(t, exitIncomplete, "info", bag)
	want(t, exitOK, "reindex", bag)
	need.Must(t, os.Rename(bag, whole))
	want(t, exitOK, "info", whole)
	want(t, exitOK, "check", whole)
	counts, _ := samplebag.Messages(t, whole)
	if counts["/count"] < 60 {
		t.Error(counts)
	}
	if kept, err := os.ReadFile(bag[:len(bag)-len(".active")] + ".orig.active"); err != nil || !bytes.Equal(kept, before) {
		t.Error("the original isn't kept:", err)
	}
	// The original's name is taken: it is replaced only with -f, and nothing is replaced with
	// another folder.
	need.Must(t, os.Link(whole, bag))
	want(t, exitFailed, "reindex", bag)
	want(t, exitOK, "reindex", "-f", bag)
	want(t, exitOK, "reindex", "-o", filepath.Join(filepath.Dir(bag), "new")+"/", whole)
	if got := samplebag.Names(t, bag); !slices.Equal(got, []string{"new", "walk.bag", "walk.bag.active", "walk.bag.orig.active"}) {
		t.Error(got)
	}
}

// TestReindexKeepsWhatRosbagKeeps checks that our reindex keeps each message that the stock one keeps.
func TestReindexKeepsWhatRosbagKeeps(t *testing.T) {
	need.Programs(t, "rosbag")
	ours := unindexed(t)
	raw, err := os.ReadFile(ours)
	need.Must(t, err)
	theirs := samplebag.File(t, "walk.bag.active", raw)
	if out, err := exec.Command("rosbag", "reindex", "-q", theirs).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want(t, exitOK, "reindex", "-q", ours)
	a, b := samplebag.Names(t, ours), samplebag.Names(t, theirs)
	if !slices.Equal(a, b) {
		t.Errorf("ours leaves %q, rosbag %q", a, b)
	}
	_, kept := samplebag.Messages(t, ours)
	_, stock := samplebag.Messages(t, theirs)
	for _, m := range stock {
		if !slices.Contains(kept, m) {
			t.Errorf("rosbag keeps %s", m)
		}
	}
	if len(kept) < len(stock) || len(stock) == 0 {
		t.Errorf("%d messages, rosbag keeps %d", len(kept), len(stock))
	}
}

// TestInfoIsRosbagInfo checks keys, several bags and empty ones.
func TestInfoIsRosbagInfo(t *testing.T) {
	need.Programs(t, "rosbag")
	walk, empty := samplebag.Walk(t, "walk.bag"), filepath.Join(t.TempDir(), "empty.bag")
	want(t, exitOK, "filter", walk, "-o", empty, "--types", "no/Type")
	for _, args := range [][]string{
		{"-y", walk}, {"-y", walk, empty, walk}, {"-y", empty}, {walk, empty}, {"-y", "-k", "duration", walk, walk}, {"-y", "-k", "indexed", empty},
		{"-y", "-k", "duration", empty, walk}, {"-y", "-k", "nothing", walk},
	} {
		args := append([]string{"info"}, args...)
		theirs, err := exec.Command("rosbag", args...).Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if ours := want(t, exitOK, args...); ours != string(theirs) {
			t.Errorf("%q prints\n%s\nrosbag prints\n%s", args, ours, theirs)
		}
	}
}

// TestOutputIsNeverTheInput checks that output never replaces the input, by its own name or through
// links, even when files may be replaced.
func TestOutputIsNeverTheInput(t *testing.T) {
	bag := samplebag.Walk(t, "walk_000.bag")
	before, err := os.ReadFile(bag)
	need.Must(t, err)
	hard, soft := filepath.Join(filepath.Dir(bag), "hard.bag"), filepath.Join(filepath.Dir(bag), "soft.bag")
	need.Must(t, os.Link(bag, hard))
	names := []string{bag, hard}
	if need.Symlink(t, bag, soft) {
		names = append(names, soft)
	}
	for _, out := range names {
		for _, args := range [][]string{
			{"filter", "-f", bag, "-o", out}, {"filter", "-f", bag, "-o", out, "True"}, {"merge", "-f", "-o", out, bag, bag}, {"convert", "-f", bag, "-o", out},
			{"split", "-f", "--split-count", "10", "-o", strings.TrimSuffix(bag, "_000.bag"), out},
		} {
			want(t, exitUsage, args...)
		}
		want(t, exitFailed, "recover", "-f", "-o", out, bag)
	}
	if after, err := os.ReadFile(bag); err != nil || !bytes.Equal(before, after) {
		t.Error("the input was changed:", err)
	}
	if got := samplebag.Names(t, bag); len(got) != len(names) {
		t.Errorf("%q, want only %q", got, names)
	}
}

// TestLeftovers checks that what a killed compress or filter left isn't named like a bag, and is
// removed by the next run.
func TestLeftovers(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	dir := filepath.Dir(bag)
	for _, name := range []string{"walk.bag.new.partial", "out.bag.partial", "whole.bag.partial", "x.mcap.partial"} {
		need.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("half a bag"), 0o666))
	}
	want(t, exitOK, "filter", bag, "-o", dir+"/out.bag")
	want(t, exitOK, "recover", "-o", dir+"/whole.bag", bag)
	want(t, exitOK, "convert", bag, "-o", dir+"/x.mcap")
	want(t, exitOK, "compress", bag)
	if got := samplebag.Names(t, bag); !slices.Equal(got, []string{"out.bag", "walk.bag", "walk.orig.bag", "whole.bag", "x.mcap"}) {
		t.Error(got)
	}
}

// TestUnsayable checks that check lists the topics that can't be registered with any master.
func TestUnsayable(t *testing.T) {
	out := want(t, exitOK, "check", hostileBag(t))
	if n := strings.Count(out, "no ROS master accepts"); n != 3 {
		t.Errorf("%d topics\n%s", n, out)
	}
	var res struct {
		Unsayable []string `json:"not_xml_encodable"`
	}
	if err := json.Unmarshal([]byte(want(t, exitOK, "check", "--json", hostileBag(t))), &res); err != nil || len(res.Unsayable) != 3 {
		t.Error(res, err)
	}
}

// TestRecoverListsWhatLost checks that topics without losses are listed only on request.
func TestRecoverListsWhatLost(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	b := samplebag.Open(t, bag)
	chunk := b.Blocks()[0]
	b.Close()
	raw, err := os.ReadFile(bag)
	need.Must(t, err)
	// The length of the first message after the map is damaged.
	at := bytes.Index(raw[chunk.Pos:], []byte("here be dragons"))
	copy(raw[int(chunk.Pos)+at+len("here be dragons"):], []byte{0xff, 0xff, 0xff, 0x7f})
	bag = samplebag.File(t, "walk.bag", raw)
	short := want(t, exitIncomplete, "recover", bag)
	long := want(t, exitIncomplete, "recover", "-f", "--log-level=debug", bag)
	if strings.Contains(short, "/map") || !strings.Contains(short, "  /count (") || !strings.Contains(long, "lost      0  /map (") {
		t.Errorf("%s\n%s", short, long)
	}
}
