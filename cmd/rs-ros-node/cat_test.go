package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/samplebag"
)

func TestCat(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	if out := want(t, exitOK, "cat", bag, "--topics", "/count", "-n", "2", "--start", "0.5"); out != "data: \"50\"\n---\ndata: \"51\"\n---\n" {
		t.Errorf("%q", out)
	}
	if out := want(t, exitOK, "cat", bag, "-n", "2"); out != "# /map 1700000000.000000000\ndata: \"here be dragons\"\n---\n# /count 1700000000.000000000\ndata: \"0\"\n---\n" {
		t.Errorf("%q", out)
	}
	if out := want(t, exitOK, "cat", bag, "--json", "--topics", "/map"); out != `{"topic":"/map","type":"std_msgs/String","time":1700000000.000000000,"message":{"data":"here be dragons"}}`+"\n" {
		t.Errorf("%q", out)
	}
	want(t, exitFailed, "cat", bag+".nowhere")
	if out := want(t, exitIncomplete, "cat", "--noarr", "-n", "3", samplebag.Torn(t)); strings.Count(out, "---\n") != 3 {
		t.Error(out)
	}
}

// TestCatJSON checks that each line for a whole recording is JSON.
func TestCatJSON(t *testing.T) {
	lines := strings.SplitAfter(want(t, exitOK, "cat", "--json", "--noarr", samplebag.SDK(t, "sw_small_lz4.bag", "sdk.bag")), "\n")
	if len(lines) != 8038+1 {
		t.Errorf("%d lines", len(lines)-1)
	}
	for _, line := range lines[:len(lines)-1] {
		if !json.Valid([]byte(line)) {
			t.Fatal(line)
		}
	}
}

// TestCatIsRostopicEcho checks that the output equals the stock tool's, for types of every kind.
func TestCatIsRostopicEcho(t *testing.T) {
	need.Programs(t, "rostopic")
	bag := samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag")
	for _, flags := range [][]string{
		{"/device_0/sensor_0/Depth_0/image/data", "-n", "1"},
		{"/device_0/sensor_0/Depth_0/info/camera_info"},
		{"/device_0/sensor_2/Gyro_0/imu/data", "-n", "2"},
		{"/device_0/info", "-n", "20"},
		{"/device_0/sensor_0/option/Laser_Power/value"},
		{"/device_0/sensor_0/Depth_0/image/data", "-n", "2", "--noarr"},
		{"/device_0/sensor_1/Color_0/image/data", "-n", "2", "--noarr", "--nostr"},
	} {
		stock := exec.Command("rostopic", slices.Concat([]string{"echo", "-b", bag}, flags)...)
		out, err := stock.Output()
		if err != nil {
			t.Fatalf("%q: %v", stock.Args, err)
		}
		ours := want(t, exitOK, slices.Concat([]string{"cat", bag, "--topics"}, flags)...)
		if stripped := strings.TrimSuffix(string(out), "\n"); len(out) == 0 || strings.TrimSuffix(ours, "\n") != stripped {
			t.Errorf("%q: rostopic says\n%.2000s\ncat says\n%.2000s", flags, out, ours)
		}
	}
}
