//go:build npm

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore/tools/catalog"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// TestCatalogNPM checks that an independent Parquet reader reads the rows that catalog writes.
func TestCatalogNPM(t *testing.T) {
	modules, program, out := npmModules(t, "catalog"), peer.Program(t), filepath.Join(t.TempDir(), "all.parquet")
	in := []string{samplebag.Robot(t, "robot.bag"), need.Bag(t, "db3/own_native.db3"), samplebag.File(t, "no.bag", []byte("no bag"))}
	said, err := exec.CommandContext(t.Context(), program, append([]string{"catalog", "--out", out}, in...)...).CombinedOutput()
	if code := err.(*exec.ExitError).ExitCode(); code != 3 { // one can't be read
		t.Fatalf("catalog: exit code %d\n%s", code, said)
	}
	want, err := catalog.ReadAll(t.Context(), out)
	if err != nil || len(want) != len(in) {
		t.Fatalf("%d rows, %v", len(want), err)
	}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(repository(t), "test", "catalog", "peer.mjs"), out)
	cmd.Env, cmd.Stderr = append(os.Environ(), "RS_NODE_MODULES="+modules), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(lines) != len(in) {
		t.Fatalf("hyparquet reads %d rows, want %d", len(lines), len(in))
	}
	for i, w := range want {
		var got catalog.Row
		if err := json.Unmarshal(lines[i], &got); err != nil {
			t.Fatal(err)
		}
		const ms = 1e6 // hyparquet returns dates
		if got.Start != w.Start/ms || got.End != w.End/ms || got.Made != w.Made/ms || got.Modified != w.Modified/ms {
			t.Errorf("row %d: from %d to %d ms, want %d to %d ns", i, got.Start, got.End, w.Start, w.End)
		}
		if got.Name != in[i] || got.Size != w.Size || got.Messages != w.Messages || got.Duration != w.Duration || got.State != w.State || got.Error != w.Error || got.Device != w.Device ||
			!slices.Equal(got.Topics, w.Topics) || !slices.Equal(got.Notes, w.Notes) || !bytes.Equal(got.Thumbnail, w.Thumbnail) {
			t.Errorf("row %d: hyparquet reads\n%.500s\nwant\n%.500s", i, lines[i], w.Name)
		}
	}
}
