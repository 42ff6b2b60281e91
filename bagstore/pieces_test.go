package bagstore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// TestPiecesOfFew checks that uncompressed chunks of which one message is selected aren't read as a whole.
func TestPiecesOfFew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	s := samplebag.Strings{Topics: 100, Messages: 2000, Size: func(int) int { return 10_000 }}
	s.Write(t, path, bagstore.Options{ChunkSize: 1 << 20, Checkpoint: -1}) // a checkpoint ends a chunk, after a time
	b, err := os.ReadFile(path)
	need.Must(t, err)
	r := &sharedCount{ReaderAt: bytes.NewReader(b)}
	bag, err := rosbag.OpenFile(stockbag.NewFile(r, int64(len(b)), "x.bag"), bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	v := bag.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == "/topic_7" }})
	n := 0
	for p, err := range v.Pieces(bagstore.None, func(*bagstore.WholeChunk) bool { return true }) {
		if err != nil || p.Whole != nil {
			t.Fatal(p.Whole, err)
		}
		n++
	}
	if n != s.Messages/s.Topics {
		t.Fatalf("%d messages", n)
	}
	if read := r.n.Load(); read > int64(len(b))/4 {
		t.Errorf("%d bytes are read of %d", read, len(b))
	}
}
