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
	code, _, log := command(t, "convert", in, "-o", db)
	if code != exitIncomplete || !strings.Contains(log, "Pose_0") {
		t.Errorf("a pose: exit code %d\n%s", code, log)
	}
	want(t, exitOK, "check", db)
	want(t, exitFailed, "convert", in, "-o", db)
	want(t, exitOK, "convert", db, "-o", back)
	want(t, exitOK, "check", back)
	if out := want(t, exitIncomplete, "check", need.Bag(t, "db3/sdk_conv_zstd.db3")); !strings.Contains(out, "rule 4") {
		t.Errorf("no rule is named:\n%s", out)
	}
	mcap, folder := filepath.Join(dir, "x.mcap"), filepath.Join(dir, "folder")
	want(t, exitOK, "convert", back, "-o", mcap)
	want(t, exitOK, "check", mcap)
	if _, _, log := command(t, "convert", mcap, "-o", filepath.Join(dir, "part.mcap"), "--types", "sensor_msgs/Image", "-x", ".*Infrared.*", "--start", "0.5", "--end", "1"); !strings.Contains(log, ": 29 messages, 2 topics,") {
		t.Errorf("a part:\n%s", log)
	}
	if out := want(t, exitOK, "convert", mcap, "-o", folder, "--storage", "mcap"); out != "" {
		t.Errorf("on stdout: %s", out)
	}
	if out := want(t, exitOK, "info", folder); !strings.Contains(out, "sensor_msgs/Image") {
		t.Errorf("a folder:\n%s", out)
	}
}

// TestConvertDevice checks that a camera node's recording is converted message by message unless a
// device is asked for.
func TestConvertDevice(t *testing.T) {
	in := need.Bag(t, "db3/own_native.db3")
	dir := t.TempDir()
	plain, bag, db := filepath.Join(dir, "plain.bag"), filepath.Join(dir, "x.bag"), filepath.Join(dir, "x.db3")
	if code, _, log := command(t, "convert", in, "-o", plain); code != exitOK || !strings.Contains(log, "--realsense makes a recording") {
		t.Errorf("exit code %d\n%s", code, log)
	}
	if out := want(t, exitOK, "info", plain); !strings.Contains(out, "/camera/camera/depth/image_rect_raw") {
		t.Errorf("topics are others:\n%s", out)
	}
	for _, args := range [][]string{{in, "-o", bag, "--realsense"}, {in, "-o", db, "--sdk", "2.58.1"}, {plain, "-o", bag, "--realsense", "--overwrite"}} {
		if code, _, log := command(t, append([]string{"convert"}, args...)...); code != exitIncomplete || !strings.Contains(log, "520 frames") || !strings.Contains(log, "messages of /tf_static") {
			t.Errorf("%v: exit code %d\n%s", args, code, log)
		}
		if out := want(t, exitOK, "check", args[2]); !strings.Contains(out, "RealSense recording") || strings.Contains(out, "can't play") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	if out := want(t, exitOK, "info", "--realsense", bag); !strings.Contains(out, "Infrared_2 Y8 64x48@30: 40 frames") {
		t.Error(out)
	}
	if code, _, log := command(t, "convert", rosbag2File, "-o", filepath.Join(dir, "no.bag"), "--realsense"); code != exitFailed || !strings.Contains(log, "no RealSense recording") {
		t.Errorf("without a camera: exit code %d\n%s", code, log)
	}
}
