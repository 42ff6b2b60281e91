package rosbag

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestResyncIsLinear fills a bag with what looks like the headers of chunks. Each offset is tried once.
func TestResyncIsLinear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := createBag(t, path, bagstore.Options{})
	small.feed(t, w)
	need.Must(t, w.Close())
	raw, err := os.ReadFile(path)
	need.Must(t, err)
	const n = 100_000
	raw = append(raw, bytes.Repeat(resyncField, n/len(resyncField))...)
	allocs := testing.AllocsPerRun(1, func() {
		b, err := openReader(bytes.NewReader(raw), int64(len(raw)), path, bagstore.OpenOptions{Scan: true})
		need.Must(t, err)
		if b.MessageCount() == 0 || b.Close() != nil {
			t.Error("no messages")
		}
	})
	if allocs > n {
		t.Errorf("%.0f allocations for %d bytes", allocs, n)
	}
}
