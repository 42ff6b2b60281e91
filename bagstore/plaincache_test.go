package bagstore_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
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
	bag, err := rosbag.OpenFile(stockbag.NewFile(r, int64(len(b)), "x.bag"), bagstore.OpenOptions{})
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

// TestFiles checks that overlapping compressed chunks for which memory has no room are in temporary files while the iterator is in
// them, and not any longer.
func TestFiles(t *testing.T) {
	const chunks, size = 4, 100_000
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 3 * size})
	put := func(second int) { w.Put(stockbag.StringType("/x"), bagstore.Time(second)*1e9, make([]byte, size)) }
	for k := range chunks {
		put(1 + k)
		put(11 + k)
		put(21 + k)
	}
	for k := range 6 * (runtime.GOMAXPROCS(0) + 1) { // the next ones are read ahead
		put(1000 * (1 + k/3))
	}
	w.Done()
	bag, err := rosbag.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close() //nolint:errcheck // only read
	it := bag.View(bagstore.Query{}).Iterator()
	defer it.Close()
	it.BoundCache(4 * size)
	filed := int64(0)
	for it.Next() {
		filed = max(filed, it.Filed())
		if it.Message().Time >= 14e9 {
			it.BoundCache(1 << 30) // memory has room for the rest
		}
	}
	if err := it.Err(); err != nil || filed == 0 || it.Filed() > 0 {
		t.Errorf("%v; %d bytes were in files, %d still are", err, filed, it.Filed())
	}
}
