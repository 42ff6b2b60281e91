package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/samplebag"
)

// depthHashes returns FNV-1a-64 of a recording's depth images, by frame number.
func depthHashes(t *testing.T, path string) map[uint64]string {
	t.Helper()
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	defer f.Close()
	c := f.Cursor(rsbag.CursorOptions{FramesOnly: true, Streams: func(id camdriver.StreamID) bool { return id.Kind == camdriver.Depth }})
	defer c.Close()
	out := make(map[uint64]string)
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		h := fnv.New64a()
		h.Write(e.Frame.Data)
		out[e.Frame.Number] = fmt.Sprintf("%016x", h.Sum64())
	}
	return out
}

// TestProcessZstd checks that a compression that bags don't have becomes LZ4.
func TestProcessZstd(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.mcap"), filepath.Join(t.TempDir(), "out.bag")
	want(t, exitOK, "convert", samplebag.Data(t, "sw_small_raw.bag"), "-o", in, "--zstd")
	want(t, exitOK, "process", in, "-o", out, "--filters", "temporal")
	has(t, want(t, exitOK, "info", out), "lz4 [")
}

// TestProcess checks that processing a bag produces a sound recording, with librealsense's pixels for
// the same processing.
func TestProcess(t *testing.T) {
	golden := rig.ReadDifficult(t, "../..")
	for name, c := range map[string]struct {
		args   []string
		golden string
	}{
		"align":      {[]string{"--filters", "align_to_color"}, "align_color"},
		"decimation": {[]string{"--filters", "decimation", "--set", "decimation.filter_magnitude=3", "--lz4"}, "decimation_3"},
		"temporal":   {[]string{"--filters", "temporal"}, "temporal"},
		"chain":      {[]string{"--filters", "disparity_start,spatial,temporal,hole_filling,disparity_end,align_to_color"}, "chain_wrapper"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.bag")
			need.Must(t, os.WriteFile(out, []byte("exists"), 0o600))
			want(t, exitFailed, append([]string{"process", golden.Bag, "-o", out}, c.args...)...)
			want(t, exitOK, append([]string{"process", "--overwrite", golden.Bag, "-o", out}, c.args...)...)
			want(t, exitOK, "check", out)
			got := depthHashes(t, out)
			if len(got) != 16 {
				t.Errorf("%d depth images, want 16", len(got))
			}
			if len(golden.Cases[c.golden]) == 0 {
				t.Errorf("no golden case %s", c.golden)
			}
			for number, hash := range golden.Cases[c.golden] {
				if got[number] != hash {
					t.Errorf("frame %d has hash %s, librealsense's %s", number, got[number], hash)
				}
			}
			samplebag.Messages(t, out) // which the stock libraries read, too
		})
	}
}

// TestProcessNode checks that the camera of a camera node's recording is processed, and that its other topics are named.
func TestProcessNode(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bag")
	log := wantLog(t, exitOK, "process", need.Bag(t, "db3/own_native.db3"), "-o", out, "--filters", "decimation")
	has(t, log, " 520 frames", `topics=["/tf_static"]`)
	want(t, exitOK, "check", out)
}
