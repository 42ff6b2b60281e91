//go:build soak

package rosbag

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/program/buffers"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// TestMillion writes and reads a million small messages.
func TestMillion(t *testing.T) { manySmall(t, 1_000_000) }

// TestHuge writes more than 4 GiB, where offsets need more than 32 bits. It needs 5 GB of free space in
// the folder for temporary files.
func TestHuge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.bag")
	w := createBag(t, path, bagstore.Options{Sink: bagstore.Direct})
	id, err := w.AddConnection(stockbag.StringType("/huge"))
	need.Must(t, err)
	body := buffers.Aligned(16<<20, disk.Grain)
	const n = 260
	for i := range n {
		binary.LittleEndian.PutUint32(body, uint32(i))
		need.Must(t, w.Write(id, bagstore.Time(i+1), body))
	}
	need.Must(t, w.Close())
	b := openBag(t, path, bagstore.OpenOptions{})
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	it.SeekEnd()
	for i := n - 1; i >= 0; i-- {
		if !it.Prev() || binary.LittleEndian.Uint32(it.Message().Data) != uint32(i) {
			t.Fatalf("message %d: %v", i, it.Err())
		}
	}
	everywhere(t, path, readAll(t, path, bagstore.OpenOptions{}))
	if out, err := stockbag.Run(t, "/usr/bin/rosbag", "info", path); err != nil || !strings.Contains(out, "messages:    260") {
		t.Errorf("%s%v", out, err)
	}
}
