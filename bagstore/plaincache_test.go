package bagstore_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// sharedCount counts bytes read by several goroutines.
type sharedCount struct {
	io.ReaderAt
	n atomic.Int64
}

func (r *sharedCount) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	r.n.Add(int64(n))
	return n, err
}

// TestPlainCache checks that few uncompressed chunks of small messages are cached, and that none is
// read twice as a result.
func TestPlainCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	s := samplebag.Strings{Topics: 3, Messages: 2400, Size: func(int) int { return 10_000 }}
	s.Write(t, path, bagstore.Options{ChunkSize: 1 << 20})
	b, err := os.ReadFile(path)
	need.Must(t, err)
	r := &sharedCount{ReaderAt: bytes.NewReader(b)}
	bag, err := rosbag.OpenReader(r, int64(len(b)), "x.bag", bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	v := bagstore.NewView([]*bagstore.Recording{bag}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	n := 0
	for ; it.Next(); n++ {
		if _, _, plain := it.Cached(); plain > bagstore.PlainBytes {
			t.Fatalf("%d bytes of uncompressed chunks are kept", plain)
		}
	}
	if it.Err() != nil || n != s.Messages {
		t.Fatalf("%d messages, %v", n, it.Err())
	}
	if read := r.n.Load(); read > int64(len(b))*5/4 {
		t.Errorf("%d bytes are read of %d", read, len(b))
	}
}
