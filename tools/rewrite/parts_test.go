package rewrite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
	"rsros/tools/info"
)

// TestJoinPartsWhole checks that the chunks of all parts stay as they are stored, but for the first, which describes the
// connection, whatever the options say.
func TestJoinPartsWhole(t *testing.T) {
	dir := t.TempDir()
	kinds := []bagstore.Compression{bagstore.None, bagstore.BZ2, bagstore.LZ4}
	var parts []string
	n := 0
	for i, kind := range kinds {
		path := filepath.Join(dir, fmt.Sprintf("part_%d.bag", i))
		w := samplebag.Create(t, path, bagstore.Options{Compression: kind, ChunkSize: 1000, Checkpoint: -1})
		for range 100 {
			n++
			w.Put(stockbag.StringType("/count"), bagstore.Time(n)*1e9, fmt.Appendf(nil, "%d%s", n, strings.Repeat(" ", 100)))
		}
		w.Done()
		parts = append(parts, path)
	}
	out, asked := filepath.Join(dir, "out.bag"), 0
	if err := JoinParts(t.Context(), parts, out, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 50}, func() error { asked++; return nil }); err != nil {
		t.Fatal(err)
	}
	b := samplebag.Open(t, out)
	next := 0
	for m, err := range b.View(bagstore.Query{}).Messages() {
		if next++; err != nil || strings.TrimSpace(string(m.Data)) != fmt.Sprint(next) {
			t.Fatalf("%q, %v; want %d", m.Data, err, next)
		}
	}
	if next != n || asked < len(b.Blocks()) {
		t.Errorf("%d of %d messages, paced %d times", next, n, asked)
	}
	uses, _, err := info.Compressions(b)
	need.Must(t, err)
	for _, u := range uses {
		if want := map[bagstore.Compression]int{bagstore.None: 14, bagstore.BZ2: 15, bagstore.LZ4: 16}[u.Kind]; int(u.Chunks) != want {
			t.Errorf("%d chunks are %s, want %d", u.Chunks, u.Kind, want)
		}
	}
}
