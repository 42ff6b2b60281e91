//go:build npm

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestLeRobotNPM checks that two independent Parquet readers read the same from each table of a data
// set.
func TestLeRobotNPM(t *testing.T) {
	modules, out := npmModules(t, "dataset"), filepath.Join(t.TempDir(), "set")
	in := samplebag.Data(t, "sw_small_lz4.bag")
	program := filepath.Join(t.TempDir(), "rs-lerobot")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = filepath.Join(repository(t), "cmd", "rs-lerobot")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if said, err := exec.CommandContext(t.Context(), program, in, in, "--task", "look", "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	args := []string{filepath.Join(repository(t), "test", "dataset", "peer.mjs")}
	for _, name := range []string{"meta/tasks", "meta/episodes/chunk-000/file-000", "data/chunk-000/file-000", "data/chunk-000/file-001"} {
		args = append(args, filepath.Join(out, name+".parquet"))
	}
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "RS_NODE_MODULES="+modules), os.Stderr
	text, err := cmd.Output()
	need.Must(t, err)
	type table struct {
		Metadata map[string]string
		Rows     []map[string]any
	}
	var tables []table
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var one table
		need.Must(t, d.Decode(&one))
		tables = append(tables, one)
	}
	if len(tables) != 4 || len(tables[0].Rows) != 1 || len(tables[1].Rows) != 2 || len(tables[2].Rows) != 60 || len(tables[3].Rows) != 60 {
		t.Fatalf("%.500s", text)
	}
	var pandas struct {
		Index []string `json:"index_columns"`
	}
	if err := json.Unmarshal([]byte(tables[0].Metadata["pandas"]), &pandas); err != nil || len(pandas.Index) != 1 || pandas.Index[0] != "task" || tables[0].Rows[0]["task"] != "look" {
		t.Errorf("the index of the tasks: %v, %v", tables[0], err)
	}
	if mean := tables[1].Rows[1]["stats/observation.images.color/mean"].([]any); len(mean) != 3 || len(mean[0].([]any)) != 1 {
		t.Errorf("the mean of colour is %v, want the shape 3, 1, 1", mean)
	}
	last := tables[3].Rows[59]
	if last["index"] != 119. || last["episode_index"] != 1. || len(last["stamps"].([]any)) != 4 || len(last["observation.images.depth"].(map[string]any)["bytes"].(string)) < 100 {
		t.Errorf("the last row is %.500v", last)
	}
}
