package main

import (
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
)

// TestConvert converts a recording in both directions and checks that what the output can't hold is
// reported.
func TestConvert(t *testing.T) {
	in := need.Bag(t, "librealsense/sw_small_lz4.bag")
	dir := t.TempDir()
	db, back := filepath.Join(dir, "x.db3"), filepath.Join(dir, "x.bag")
	has(t, wantLog(t, exitIncomplete, "convert", in, "-o", db), "Pose_0")
	want(t, exitOK, "check", db)
	want(t, exitFailed, "convert", in, "-o", db)
	want(t, exitOK, "convert", db, "-o", back)
	want(t, exitOK, "check", back)
	has(t, want(t, exitIncomplete, "check", need.Bag(t, "db3/sdk_conv_zstd.db3")), "rule 4")
	mcap, folder := filepath.Join(dir, "x.mcap"), filepath.Join(dir, "folder")
	want(t, exitOK, "convert", back, "-o", mcap)
	want(t, exitOK, "check", mcap)
	part := []string{"convert", mcap, "-o", filepath.Join(dir, "part.mcap"), "--types", "sensor_msgs/Image", "-x", ".*Infrared.*", "--start", "0.5", "--end", "1"}
	has(t, wantLog(t, exitOK, part...), ": 29 messages, 2 topics,")
	if out := want(t, exitOK, "convert", mcap, "-o", folder, "--storage", "mcap"); out != "" {
		t.Errorf("on stdout: %s", out)
	}
	has(t, want(t, exitOK, "info", folder), "sensor_msgs/Image")
}

// TestConvertDevice checks that a camera node's recording is converted message by message unless a
// device is asked for.
func TestConvertDevice(t *testing.T) {
	in := need.Bag(t, "db3/own_native.db3")
	dir := t.TempDir()
	plain, bag, db := filepath.Join(dir, "plain.bag"), filepath.Join(dir, "x.bag"), filepath.Join(dir, "x.db3")
	has(t, wantLog(t, exitOK, "convert", in, "-o", plain), "--realsense makes a recording")
	has(t, want(t, exitOK, "info", plain), "/camera/camera/depth/image_rect_raw")
	for _, args := range [][]string{{in, "-o", bag, "--realsense"}, {in, "-o", db, "--sdk", "2.58.1"}, {plain, "-o", bag, "--realsense", "--overwrite"}} {
		has(t, wantLog(t, exitIncomplete, append([]string{"convert"}, args...)...), "520 frames", "messages of /tf_static")
		if out := want(t, exitOK, "check", args[2]); !strings.Contains(out, "RealSense recording") || strings.Contains(out, "can't play") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	has(t, want(t, exitOK, "info", "--realsense", bag), "Infrared_2 Y8 64x48@30: 40 frames")
	has(t, wantLog(t, exitFailed, "convert", rosbag2File, "-o", filepath.Join(dir, "no.bag"), "--realsense"), "no RealSense recording")
}
