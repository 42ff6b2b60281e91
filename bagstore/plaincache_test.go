package bagstore

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
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
	s := sample{topics: 3, messages: 2400, size: func(int) int { return 10_000 }}
	w, err := Create(path, Options{ChunkSize: 1 << 20, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	s.feed(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &sharedCount{ReaderAt: bytes.NewReader(b)}
	bag, err := OpenReader(r, int64(len(b)), "x.bag", OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer bag.Close()
	v := NewView([]*Bag{bag}, Query{})
	it := v.Iterator()
	defer it.Close()
	n := 0
	for ; it.Next(); n++ {
		if it.reader.plain > plainBytes {
			t.Fatalf("%d bytes of uncompressed chunks are kept", it.reader.plain)
		}
	}
	if it.Err() != nil || n != s.messages {
		t.Fatalf("%d messages, %v", n, it.Err())
	}
	if read := r.n.Load(); read > int64(len(b))*5/4 {
		t.Errorf("%d bytes are read of %d", read, len(b))
	}
}
