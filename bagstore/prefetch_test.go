package bagstore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// leadReader is a bag in memory that counts the reads of each offset and can block one of them.
type leadReader struct {
	*bytes.Reader
	mu    sync.Mutex
	reads map[int64]int // by offset
	held  int64
	gate  chan struct{} // if set, the first read at held waits until it is closed
	came  chan struct{} // closed when that read blocks
	once  sync.Once
}

func (r *leadReader) ReadAt(p []byte, off int64) (int, error) {
	r.mu.Lock()
	r.reads[off]++
	wait := r.gate != nil && off == r.held && r.reads[off] == 1
	r.mu.Unlock()
	if wait {
		close(r.came)
		<-r.gate
	}
	return r.Reader.ReadAt(p, off)
}

// open lets the blocked read continue.
func (r *leadReader) open() { r.once.Do(func() { close(r.gate) }) }

// leadBag is an LZ4 bag of n messages of size bytes, a second apart, each in its own chunk.
func leadBag(t *testing.T, n, size int) (*bagstore.Recording, *leadReader) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 1})
	for i := range n {
		w.Put(stockbag.StringType("/x"), bagstore.Time(i+1)*1e9, make([]byte, size))
	}
	w.Done()
	raw, err := os.ReadFile(path)
	need.Must(t, err)
	r := &leadReader{Reader: bytes.NewReader(raw), reads: make(map[int64]int), came: make(chan struct{})}
	b, err := rosbag.OpenFile(stockbag.NewFile(r, int64(len(raw)), path), bagstore.OpenOptions{})
	need.Must(t, err)
	return b, r
}

// leadIterator returns an iterator that reads at most bound bytes ahead.
func leadIterator(t *testing.T, b *bagstore.Recording, lead time.Duration, bound int64) *bagstore.Iterator {
	t.Helper()
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{Lead: lead})
	v.BoundLead(bound, time.Hour) // the worker may be late on a busy machine
	it := v.Iterator()
	t.Cleanup(it.Close)
	return it
}

// dataPos returns the offset of a chunk's data.
func dataPos(t *testing.T, b *bagstore.Recording, i int) int64 {
	t.Helper()
	layouts, _, err := b.Layouts()
	need.Must(t, err)
	return layouts[i].DataPos
}

// TestLead checks that the iterator reads ahead as far as the query says, within the bound, and
// discards nothing before it was used.
func TestLead(t *testing.T) {
	const chunks, size, bound = 60, 1000, 20_000
	b, r := leadBag(t, chunks, size)
	for _, lead := range []time.Duration{3 * time.Second, time.Hour} {
		clear(r.reads)
		it := leadIterator(t, b, lead, bound)
		for i := range chunks {
			if !it.Next() {
				t.Fatal(it.Err())
			}
			bytes := it.Ahead()
			if _, kept, _ := it.Cached(); bytes > bound || kept > bound+bound/4+3*size {
				t.Fatalf("message %d: %d bytes are ahead, %d are kept", i, bytes, kept)
			}
			// The file isn't at a path, and where the last chunk of one ends isn't known.
			ahead := max(0, min(int(lead/time.Second), chunks-i-2))
			if n := int(bytes / size); i > 0 && n != ahead && bytes+2*size < bound {
				t.Errorf("lead %v, message %d: %d chunks are ahead, want %d", lead, i, n, ahead)
			}
		}
		it.Close()
		for i := range chunks {
			if n := r.reads[dataPos(t, b, i)]; n != 1 {
				t.Errorf("lead %v: chunk %d was read %d times", lead, i, n)
			}
		}
	}
}

// TestLeadSeek checks that reads in progress don't delay reading after a seek, and that queued ones are
// dropped.
func TestLeadSeek(t *testing.T) {
	b, r := leadBag(t, 20, 1000)
	r.held, r.gate = dataPos(t, b, 5), make(chan struct{})
	it := leadIterator(t, b, time.Hour, bagstore.LeadBytes)
	t.Cleanup(r.open)
	for range 2 { // the second message starts reading ahead
		if !it.Next() {
			t.Fatal(it.Err())
		}
	}
	<-r.came
	it.Seek(15 * 1e9)
	if n := it.Ahead(); n != 0 {
		t.Errorf("after a seek %d bytes are ahead", n)
	}
	for want := bagstore.Time(15 * 1e9); want <= 16*1e9; want += 1e9 {
		if !it.Next() || it.Message().Time != want {
			t.Fatalf("%d, %v", it.Message().Time, it.Err())
		}
	}
	r.open()
	it.Close()
	for i := 6; i < 14; i++ {
		if r.reads[dataPos(t, b, i)] > 0 {
			t.Errorf("chunk %d, before the seek, was read", i)
		}
	}
}

// TestLeadPassed checks that chunks without a selected message take no room from others.
func TestLeadPassed(t *testing.T) {
	const bound = 20_000
	b, _ := leadBag(t, 100, 1000)
	it := leadIterator(t, b, time.Hour, bound)
	for range 2 {
		if !it.Next() {
			t.Fatal(it.Err())
		}
	}
	for range 40 { // as if they weren't selected
		if !it.SkipNext() {
			t.Fatal(it.Err())
		}
	}
	for range 3 {
		if !it.Next() {
			t.Fatal(it.Err())
		}
	}
	if n := it.Ahead(); n < bound/2 {
		t.Errorf("only %d bytes are ahead", n)
	}
}

// TestLeadStarves checks that the iterator doesn't wait for a blocked worker.
func TestLeadStarves(t *testing.T) {
	b, r := leadBag(t, 10, 1000)
	r.held, r.gate = dataPos(t, b, 5), make(chan struct{})
	v := b.View(bagstore.Query{Lead: time.Hour})
	v.BoundLead(bagstore.LeadBytes, time.Millisecond)
	it := v.Iterator()
	t.Cleanup(it.Close)
	t.Cleanup(r.open)
	for i := range 10 {
		if !it.Next() || it.Message().Time != bagstore.Time(i+1)*1e9 {
			t.Fatalf("message %d: %d, %v", i, it.Message().Time, it.Err())
		}
		if i == 1 {
			<-r.came
		}
	}
	sum := int64(0)
	layouts, _, err := b.Layouts()
	need.Must(t, err)
	for _, l := range layouts {
		sum += l.Size
	}
	if n, bytes, _ := it.Cached(); n != len(layouts) || bytes != sum {
		t.Errorf("%d chunks with %d bytes are cached, want %d with %d", n, bytes, len(layouts), sum)
	}
	r.open()
	it.Close()
	if n := r.reads[r.held]; n > 2 {
		t.Errorf("the chunk was read %d times", n)
	}
}

// TestAhead checks that sequential reading reads ahead as many chunks as there are cores.
func TestAhead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	samplebag.Strings{Topics: 1, Messages: 20, Size: func(int) int { return 1000 }}.Write(t, path, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 1})
	b := samplebag.Open(t, path)
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
