package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
)

// rosbag2File has 60 messages.
const rosbag2File = "../../bagstore/db3/testdata/small.db3"

// TestRosbag2 runs the commands on a ROS 2 recording, and checks that they don't change it.
func TestRosbag2(t *testing.T) {
	before, err := os.ReadFile(rosbag2File)
	need.Must(t, err)
	dir := t.TempDir()
	bag := filepath.Join(dir, "out.bag")
	has(t, want(t, exitOK, "info", rosbag2File), "rosbag2 (SQLite, schema 4)", "40 msgs    : std_msgs/String")
	has(t, want(t, exitOK, "info", "--freq", "--sizes", rosbag2File), "100.0 Hz", "sizes:")
	has(t, want(t, exitOK, "check", rosbag2File), "sound, version rosbag2 (SQLite, schema 4), 60 messages\n")
	if out := want(t, exitOK, "cat", rosbag2File, "--topics", "text", "-n", "1"); out != "data: \"text 1 text 1 \"\n---\n" {
		t.Errorf("%q", out)
	}
	want(t, exitOK, "filter", "--types", "std_msgs/UInt32", rosbag2File, "-o", bag)
	if rep, err := checkBag(t, bag); err != nil || rep.Outcome != bagstore.Sound || rep.Messages != 20 {
		t.Errorf("%+v, %v", rep, err)
	}
	want(t, exitOK, "merge", "-o", filepath.Join(dir, "merged.bag"), rosbag2File, bag)
	if out := want(t, exitOK, "split", "--split-count", "50", "-o", filepath.Join(dir, "part"), rosbag2File); strings.Count(out, "\n") != 2 {
		t.Error(out)
	}
	mcap := filepath.Join(dir, "x.mcap")
	want(t, exitOK, "convert", rosbag2File, "-o", mcap, "--ros", "1", "--lz4")
	has(t, want(t, exitOK, "info", mcap), "MCAP (profile ros1)", "messages:     60\n")
	if a, b := want(t, exitOK, "cat", "--json", rosbag2File), want(t, exitOK, "cat", "--json", mcap); a != b {
		t.Errorf("the messages are\n%s\nand in the MCAP file\n%s", a, b)
	}
	has(t, want(t, exitFailed, "recover", rosbag2File, "-o", filepath.Join(dir, "r.bag")), "would be a .db3 file: name it ")
	again := filepath.Join(dir, "r.db3")
	want(t, exitOK, "recover", rosbag2File, "-o", again)
	if a, b := want(t, exitOK, "cat", rosbag2File), want(t, exitOK, "cat", again); a != b {
		t.Errorf("the messages are\n%s\nand after recover\n%s", a, b)
	}
	if after, err := os.ReadFile(rosbag2File); err != nil || !bytes.Equal(before, after) {
		t.Error("the recording was changed")
	}
}

// TestRosbag2Damage checks that all commands skip a message that can't be read, and that the exit code
// reports it.
func TestRosbag2Damage(t *testing.T) {
	b, err := os.ReadFile(rosbag2File)
	need.Must(t, err)
	at := bytes.Index(b, []byte("\x00\x01\x00\x00\x08\x00\x00\x00text 1 ")) // the encapsulation of a string of one word
	if at < 0 {
		at = bytes.Index(b, []byte("text 1 text 1 ")) - 8
	}
	b[at+1] = 7 // XCDR2
	dir := t.TempDir()
	damaged, bag := filepath.Join(dir, "x.db3"), filepath.Join(dir, "out.bag")
	need.Must(t, os.WriteFile(damaged, b, 0o600))
	want(t, exitIncomplete, "filter", damaged, "-o", bag)
	if rep, err := checkBag(t, bag); err != nil || rep.Messages != 59 {
		t.Errorf("%+v, %v", rep, err)
	}
	if out := want(t, exitIncomplete, "cat", damaged); strings.Count(out, "---\n") != 59 {
		t.Errorf("%d messages", strings.Count(out, "---\n"))
	}
	has(t, want(t, exitIncomplete, "check", damaged), "damaged", "0x0007")
	want(t, exitIncomplete, "split", "--split-count", "50", "-o", filepath.Join(dir, "part"), damaged)
	want(t, exitIncomplete, "convert", "--ros", "1", "-o", filepath.Join(dir, "x.mcap"), damaged)
}

func checkBag(t *testing.T, path string) (*bagstore.CheckReport, error) {
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return rosbag.FileOf(b).Check(t.Context(), bagstore.CheckOptions{})
}
