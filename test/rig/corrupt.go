package rig

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
)

// CorruptChunks copies a bag and overwrites the data of its chunks, so that the index is undamaged
// but no message can be read.
func CorruptChunks(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	need.Must(t, err)
	bag, err := rosbag.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close() //nolint:errcheck // only read
	for _, c := range bag.Blocks() {
		at := c.Pos + 4 + int64(binary.LittleEndian.Uint32(data[c.Pos:])) // past the header
		size := int64(binary.LittleEndian.Uint32(data[at:]))
		for i := range size {
			data[at+4+i] = 0xff
		}
	}
	ruined := filepath.Join(t.TempDir(), filepath.Base(path))
	need.Must(t, os.WriteFile(ruined, data, 0o600))
	return ruined
}
