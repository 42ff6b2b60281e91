package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestFullDisk checks that a full disk is reported once, in one line, with the name that the user gave, and that nothing is left.
func TestFullDisk(t *testing.T) {
	bag, disk := samplebag.Torn(t), need.SmallDisk(t, "1m")
	whole := filepath.Join(t.TempDir(), "whole.bag")
	want(t, exitIncomplete, "recover", bag, "-o", whole)
	for _, c := range []struct {
		out, written string
		args         []string
	}{
		{"x.bag", "x.bag", []string{"convert"}},
		{"x.db3", "x.db3", []string{"convert"}},
		{"x.mcap", "x.mcap", []string{"convert"}},
		{"x", "x/x_0.db3", []string{"convert"}},
		{"x.bag", "x.bag", []string{"filter"}},
		{"x.bag", "x.bag", []string{"merge"}},
		{"part", "part_000.bag", []string{"split", "--split-size", "1G"}},
	} {
		code, _, log := command(t, append(c.args, whole, "-o", filepath.Join(disk, c.out))...)
		if want := fmt.Sprintf("rs-ros-node: write %s: no space left on device\n", filepath.Join(disk, c.written)); code != exitFailed || log != want {
			t.Errorf("%s to %s: exit code %d, %q, want %q", c.args[0], c.out, code, log, want)
		}
		if left, err := os.ReadDir(disk); err != nil || len(left) > 0 {
			t.Errorf("%s to %s: left %v, %v", c.args[0], c.out, left, err)
		}
	}
	code, _, log := command(t, "export", need.Bag(t, "processing/sim_424.bag"), "-o", filepath.Join(disk, "x"), "--as", "tum")
	if code != exitFailed || strings.Count(log, "\n") != 1 || !strings.HasSuffix(log, ".png: no space left on device\n") {
		t.Errorf("export: exit code %d, %q", code, log)
	}
}

// TestFullOutput checks that a text which can't be written to standard output is an error, said once.
func TestFullOutput(t *testing.T) {
	bag := samplebag.Data(t, "sw_small_lz4.bag")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	need.Must(t, err)
	defer full.Close()
	for _, args := range [][]string{
		{"check", bag}, {"check", "--json", bag}, {"recover", bag, "-o", filepath.Join(t.TempDir(), "x.bag")}, {"info", bag},
		{"version"}, {"check", "--help"}, {"split", bag, "--split-size", "1G", "-o", filepath.Join(t.TempDir(), "x")},
	} {
		var log bytes.Buffer
		code := run(t.Context(), args, streams{out: full, err: &log}, nil)
		if code != exitFailed || strings.Count(log.String(), "write /dev/full: no space left on device\n") != 1 {
			t.Errorf("%s: exit code %d, %q", args, code, log.String())
		}
	}
}
