package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/samplebag"
)

// info and check read bags of Orbbec's SDK, whose messages stock Python can't read.
func TestOrbbec(t *testing.T) {
	python := need.Python(t, "rosbag")
	whole, damaged := filepath.Join(t.TempDir(), "whole.bag"), filepath.Join(t.TempDir(), "damaged.bag")
	for _, args := range [][]string{{whole}, {damaged, "damaged"}} {
		if out, err := exec.Command(python, append([]string{"../../bagstore/orbbec/testdata/write.py"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	const read = "import rosbag, sys\nfor m in rosbag.Bag(sys.argv[1]).read_messages('/cam/sensor_3/frameType_3'): pass"
	if out, err := exec.Command(python, "-c", read, whole).CombinedOutput(); err == nil {
		t.Errorf("stock Python reads the images; docs/format-orbbec.md says that it can't\n%s", out)
	}
	if out := want(t, exitOK, "info", "--orbbec", whole); !strings.Contains(out, "Depth:             6 frames, Z16 4x3@30, 0.25 mm, /cam/sensor_3/frameType_3\n") {
		t.Errorf("info:\n%s", out)
	}
	var summary struct {
		Orbbec struct {
			DepthM  float64 `json:"depth_m"`
			Streams []struct{ Stream string }
		}
	}
	if err := json.Unmarshal([]byte(want(t, exitOK, "info", "--json", whole)), &summary); err != nil || summary.Orbbec.DepthM != 0.00025 || len(summary.Orbbec.Streams) != 3 {
		t.Errorf("%+v, %v", summary, err)
	}
	if out := want(t, exitOK, "info", "--orbbec", samplebag.Robot(t, "robot.bag")); !strings.Contains(out, "orbbec:      no topics of that layout") {
		t.Errorf("info of another bag:\n%s", out)
	}
	if out := want(t, exitOK, "check", whole); !strings.Contains(out, "recording of Orbbec's SDK, 14 frames\n") || !strings.Contains(out, "note: Depth: the camera's numbers leave out 1 frames\n") {
		t.Errorf("check:\n%s", out)
	}
	if out := want(t, exitIncomplete, "check", damaged); !strings.Contains(out, "loss: 1 messages don't fit their topic; the last: /cam/sensor_3/frameType_3: image: 5 bytes after the last field\n") {
		t.Errorf("check of a damaged one:\n%s", out)
	}
	want(t, exitIncomplete, "export", damaged, "--dir", filepath.Join(t.TempDir(), "out"))
}
