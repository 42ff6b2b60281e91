package bagstore

import "testing"

// TestIndexCache checks that entries are counted as they are read, that the oldest are evicted first
// and the one in use stays, and that evicted entries no longer count.
func TestIndexCache(t *testing.T) {
	var x indexCache
	first := x.get(0)
	if x.get(0) != first {
		t.Fatal("two indexes of one block")
	}
	for i := range 5 {
		x.get(i).Grew(indexBytes / 3)
	}
	if len(x.blocks) != 3 || len(x.order) != 3 || x.bytes != 3*(indexBytes/3) {
		t.Errorf("%d blocks with %d bytes are kept", len(x.blocks), x.bytes)
	}
	first.Grew(indexBytes)
	if x.bytes > indexBytes || x.get(0) == first {
		t.Error("a dropped index came back")
	}
	x.get(0).Grew(2 * indexBytes)
	if len(x.blocks) != 1 || x.bytes != 2*indexBytes {
		t.Errorf("beside a large one %d are kept, %d bytes", len(x.blocks), x.bytes)
	}
}
