package main

import (
	"path/filepath"
	"testing"

	"rsros/test/need"
	"rsros/tools/catalog"
)

// The merged rows of batch equal those of one catalog of the whole archive, and say what is wrong.
func TestCatalog(t *testing.T) {
	in, rows, dir := archive(t), t.TempDir(), t.TempDir()
	want(t, exitIncomplete, "batch", "catalog", in, "-o", rows, "--", "--no-thumbnails")
	all, merged := filepath.Join(dir, "all.jsonl"), filepath.Join(dir, "merged.jsonl")
	want(t, exitIncomplete, "catalog", in, "--no-thumbnails", "-o", all)
	want(t, exitOK, "catalog", "merge", rows, "-o", merged)
	want(t, exitUsage, "catalog", "merge", rows)
	want(t, exitFailed, "catalog", in, "-o", all)
	states := func(name string) map[string]catalog.State {
		list, err := catalog.ReadAll(t.Context(), name)
		need.Must(t, err)
		out := make(map[string]catalog.State)
		for _, r := range list {
			out[filepath.Base(r.Name)] = r.State
		}
		return out
	}
	once, parts := states(all), states(merged)
	if len(once) != 7 || once["walk.bag"] != catalog.Indexed || once["robot.mcap"] != catalog.Indexed || once["torn.bag"] == catalog.Indexed || once["empty.bag"] != catalog.Unreadable {
		t.Errorf("%v", once)
	}
	for name, state := range once {
		if parts[name] != state {
			t.Errorf("%s: %q by batch, %q at once", name, parts[name], state)
		}
	}
}
