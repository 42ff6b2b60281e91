package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// TestPythonModule reads recordings in Python: every frame's pixels and metadata are those that librealsense was given,
// whatever the format.
func TestPythonModule(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	folder := t.TempDir()
	bag := samplebag.SDK(t, "sw_small_lz4.bag", "sdk.bag")
	files := []string{bag}
	for _, name := range []string{"sdk.db3", "sdk.mcap"} {
		file := filepath.Join(folder, name)
		code := peer.Start(t, nil, program, "convert", bag, "-o", file).Wait()
		if code != 0 && code != 3 { // a .db3 holds no poses
			t.Fatalf("convert -o %s: exit code %d", name, code)
		}
		files = append(files, file)
	}
	whole, err := os.ReadFile(bag)
	need.Must(t, err)
	torn := samplebag.File(t, "torn.bag", whole[:len(whole)/2])
	env := append(os.Environ(), "PYTHONPATH="+filepath.Join(repository(t), "python"),
		"PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	python := need.Python(t, "numpy")
	manifest := samplebag.Data(t, "sw_small_lz4.manifest.json")
	compare := filepath.Join(repository(t), "test/e2e/testdata/frames.py")
	out := peer.Run(t, env, python, append([]string{compare, manifest, torn}, files...)...)
	if !strings.Contains(out, "all is as it should be") {
		t.Error(out)
	}
	script := filepath.Join(repository(t), "examples/python/depth_over_time.py")
	if out := peer.Run(t, env, python, script, bag); strings.Count(out, " m, exposure ") != 60 {
		t.Errorf("%s: %s", script, out)
	}
	if out := peer.Run(t, env, python, "-m", "rs_ros_node", "version"); !strings.Contains(out, "rs-ros-node") {
		t.Errorf("python -m rs_ros_node version: %s", out)
	}
}
