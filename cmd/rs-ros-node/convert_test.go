package main

import (
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
)

// TestConvert: a recording goes both ways, and what the output can't hold is named.
func TestConvert(t *testing.T) {
	in := need.Bag(t, "librealsense/sw_small_lz4.bag")
	dir := t.TempDir()
	db, back := filepath.Join(dir, "x.db3"), filepath.Join(dir, "x.bag")
	code, _, log := command(t, "convert", in, db)
	if code != exitIncomplete || !strings.Contains(log, "Pose_0") {
		t.Errorf("a pose: exit code %d\n%s", code, log)
	}
	want(t, exitOK, "check", db)
	want(t, exitFailed, "convert", in, db)
	want(t, exitOK, "convert", db, back)
	want(t, exitOK, "check", back)
	if out := want(t, exitIncomplete, "check", need.Bag(t, "db3/sdk_conv_zstd.db3")); !strings.Contains(out, "rule 4") {
		t.Errorf("no rule is named:\n%s", out)
	}
	mcap, folder := filepath.Join(dir, "x.mcap"), filepath.Join(dir, "folder")
	want(t, exitOK, "convert", back, mcap)
	want(t, exitOK, "check", mcap)
	if out := want(t, exitOK, "convert", mcap, folder, "--storage", "mcap"); out != "" {
		t.Errorf("on stdout: %s", out)
	}
	if out := want(t, exitOK, "info", folder); !strings.Contains(out, "sensor_msgs/Image") {
		t.Errorf("a folder:\n%s", out)
	}
	for _, args := range [][]string{
		{in, "x.txt"}, {in, in}, {in, db, "--sdk", "2.57"}, {in, "x.bag", "--ros", "2"}, {in, "folder", "--ros", "1"}, {in, "x.db3", "--lz4"},
		{in, "x.mcap", "--bz2"}, {in, "x.mcap", "--ros", "3"}, {in, "folder", "--storage", "tape"},
	} {
		want(t, exitUsage, append([]string{"convert"}, args...)...)
	}
}
