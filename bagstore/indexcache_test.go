package bagstore

import (
	"sync"
	"testing"
)

// TestIndexCache checks that entries are counted as they are read, that the oldest are evicted first
// and the one in use stays, and that evicted entries no longer count.
func TestIndexCache(t *testing.T) {
	var x indexCache
	chunks := make([]chunk, 5)
	first := x.get(&chunks[0])
	if x.get(&chunks[0]) != first {
		t.Fatal("two indexes of one chunk")
	}
	for i := range chunks {
		x.grew(x.get(&chunks[i]), indexBytes/3)
	}
	if len(x.chunks) != 3 || len(x.order) != 3 || x.bytes != 3*(indexBytes/3) {
		t.Errorf("%d chunks with %d bytes are kept", len(x.chunks), x.bytes)
	}
	x.grew(first, indexBytes)
	if x.bytes > indexBytes || x.get(&chunks[0]) == first {
		t.Error("a dropped index came back")
	}
	x.grew(x.get(&chunks[0]), 2*indexBytes)
	if len(x.chunks) != 1 || x.bytes != 2*indexBytes {
		t.Errorf("beside a large one %d are kept, %d bytes", len(x.chunks), x.bytes)
	}
}

// TestManyIterators checks that many goroutines can read one bag, sharing what they have read of its
// index.
func TestManyIterators(t *testing.T) {
	path := t.TempDir() + "/x.bag"
	sample{topics: 5, messages: 400, size: func(i int) int { return i }}.write(t, path, Options{ChunkSize: 5000})
	b, err := Open(path, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var wait sync.WaitGroup
	for g := range 6 {
		wait.Go(func() {
			v := NewView([]*Bag{b}, Query{Connections: func(c *Connection) bool { return g == 0 || int(c.ID)%3 == g%3 }})
			it := v.Iterator()
			defer it.Close()
			ahead, back := uint64(0), uint64(0)
			for it.Next() {
				ahead++
			}
			for it.Prev() {
				back++
			}
			if it.Err() != nil || ahead != v.Count() || back != ahead {
				t.Errorf("%d messages ahead, %d back of %d, %v", ahead, back, v.Count(), it.Err())
			}
		})
	}
	wait.Wait()
}
