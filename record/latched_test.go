package record

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestLatchedBudget checks that the latched messages for later files take half of the memory at most: one
// that doesn't fit is only in the first file.
func TestLatchedBudget(t *testing.T) {
	master := rig.Master(t).URI()
	talker(t, master, "/small", strings.Repeat("s", 100_000))
	talker(t, master, "/large", strings.Repeat("l", 700_000))
	dir := t.TempDir()
	o := config(t, master, Options{
		Topics: []string{"/small", "/large"}, Output: filepath.Join(dir, "x.bag"), Memory: 1 << 20, Latched: true, Split: true, MaxTime: 2 * time.Second})
	r, ended := start(t, o)
	second := filepath.Join(dir, "x_1.bag")
	peer.Await(t, "two files", func() bool {
		files, _ := filepath.Glob(second)
		return len(files) == 1
	})
	r.Stop()
	need.Must(t, <-ended)
	if n := r.budget.Reserved(); n != 0 {
		t.Errorf("%d bytes of the memory are taken after the end", n)
	}
	first, later := recorded(t, filepath.Join(dir, "x_0.bag")), recorded(t, second)
	if first["/small"] != 1 || first["/large"] != 1 || later["/small"] != 1 || later["/large"] != 0 {
		t.Errorf("first %v, second %v", first, later)
	}
}
