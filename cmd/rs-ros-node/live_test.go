package main

import (
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
)

// What `live --record` writes follows every rule of docs/internals/format-realsense.md, according to an
// independent program, and so does each part of a split recording.
func TestLiveRecordKeepsTheRules(t *testing.T) {
	python := need.Python(t, "rosbag")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	master := "http://" + l.Addr().String()
	l.Close()
	path := filepath.Join(t.TempDir(), "walk.bag")
	want(t, exitOK, "live", "--device", "sim", "--pose", "--depth", "424x240@6", "--color", "424x240@6", "--infra1", "424x240@6", "--infra2", "off",
		"--master", "embedded", "__master:="+master, "__ip:=127.0.0.1", "--naming", "sdk",
		"--record", path, "--lz4", "--split-duration", "0.6", "--duration", "1.5")
	parts, err := filepath.Glob(strings.TrimSuffix(path, ".bag") + "_*.bag")
	if err != nil || len(parts) < 2 {
		t.Fatalf("files %q, %v", parts, err)
	}
	check := append([]string{"../../bagstore/realsense/rsbag/testdata/check_v3.py"}, parts...)
	if out, err := exec.Command(python, check...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
