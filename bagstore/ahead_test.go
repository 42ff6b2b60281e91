package bagstore_test

import (
	"path/filepath"
	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/samplebag"
	"testing"
)

// TestAhead checks that sequential reading reads ahead as many chunks as there are cores.
func TestAhead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	samplebag.Strings{Topics: 1, Messages: 20, Size: func(int) int { return 1000 }}.Write(t, path, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 1})
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, ahead := range []int{1, 3} {
		v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
		v.ReadAhead(ahead)
		it := v.Iterator()
		for i, want := range []int{1, 2 + ahead, 3 + ahead} {
			if !it.Next() {
				t.Fatal(it.Err())
			}
			if chunks, _, _ := it.Cached(); chunks != want {
				t.Errorf("%d ahead: after message %d %d chunks are read, want %d", ahead, i, chunks, want)
			}
		}
		it.Close()
	}
}
