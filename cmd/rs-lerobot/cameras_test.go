package main

import (
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/samplebag"
)

// TestCameras checks that the images of each camera, also compressed ones, are features of its name.
func TestCameras(t *testing.T) {
	in := samplebag.Cameras(t, "robot1/wrist/color.png", "front/depth.raw", "front/color.raw", "robot1/wrist/depth.rvl")
	dir := whole(t, options{In: []string{in}, Robot: NewRobot("wave")})
	list := rowsOf(t, filepath.Join(dir, "data/chunk-000/file-000.parquet"))
	if len(list) != samplebag.CameraFrames {
		t.Fatalf("%d rows, want %d", len(list), samplebag.CameraFrames)
	}
	for _, name := range []string{"front.color", "front.depth", "robot1_wrist.color", "robot1_wrist.depth"} {
		file := list[3]["observation.images."+name].(map[string]any)["bytes"].(string)
		v := samplebag.CameraValue(strings.ReplaceAll(strings.Split(name, ".")[0], "_", "/"))
		p := decode(t, []byte(file))
		if got, want := p[0], v; strings.HasSuffix(name, "color") && got != want {
			t.Errorf("%s has pixels %d, want %d", name, got, want)
		} else if got := int(p[0]) | int(p[1])<<8; strings.HasSuffix(name, "depth") && got != 10*int(v) {
			t.Errorf("%s has depth %d, want %d", name, got, 10*int(v))
		}
	}
}
