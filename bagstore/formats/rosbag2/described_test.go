package rosbag2

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/place"
)

// writeDescribed writes n messages of two topics, and metadata with the given count of each.
func writeDescribed(t *testing.T, n int, a, b uint64, start, end bagstore.Time) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db3")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewDefinedWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	m := Metadata{Storage: StorageSQLite, File: "a.db3", Start: start, End: end}
	for i, name := range []string{"/a", "/b"} {
		topic := container.Topic{Name: name, Type: "std_msgs/msg/String", Encoding: container.CDR}
		if _, err := w.AddDefined(topic); err != nil {
			t.Fatal(err)
		}
		m.Topics = append(m.Topics, TopicCount{topic, []uint64{a, b}[i]})
	}
	for i := range n {
		if err := w.Write(int64(1+i%2), int64(1000+i), make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Describe(&m); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDescribed checks that a file's metadata are used as its description if the first and the last row
// agree with them.
func TestDescribed(t *testing.T) {
	const n = 5001
	for name, c := range map[string]struct {
		n          int
		a, b       uint64
		start, end bagstore.Time
		believed   bool
	}{
		"right":     {n, 2501, 2500, 1000, 1000 + n - 1, true},
		"longer":    {n, 2501, 2500, 1, 10 * n, true}, // of a folder, or counting messages of other files
		"too few":   {n, 2500, 2500, 1000, 1000 + n - 1, false},
		"too many":  {n, 2501, 2501, 1000, 1000 + n - 1, false},
		"killed":    {n, 0, 0, 0, 0, false},
		"begins":    {n, 2501, 2500, 1001, 1000 + n - 1, false},
		"ends":      {n, 2501, 2500, 1000, 1000 + n - 2, false},
		"backwards": {n, 2501, 2500, 1000 + n - 1, 1000, false},
		"empty":     {0, 0, 0, 0, 0, true},
	} {
		path := writeDescribed(t, c.n, c.a, c.b, c.start, c.end)
		in, err := place.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := OpenDescribed(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		counts := make(map[string]uint64)
		for _, b := range f.Blocks() {
			for _, k := range b.Counts {
				counts[f.Topics()[k.ID].Name] += uint64(k.Count)
			}
		}
		want := fmt.Sprint(map[string]uint64{"/a": 2501, "/b": 2500})
		if c.n == 0 {
			want = fmt.Sprint(map[string]uint64{})
		}
		if got := fmt.Sprint(counts); f.described != c.believed || got != want || len(f.Notes()) > 0 {
			t.Errorf("%s: believed %v: %s, %v", name, f.described, got, f.Notes())
		}
		for i := range f.Blocks() {
			if list, err := f.Entries(i); (err == nil) == f.described || err == nil && len(list) == 0 {
				t.Errorf("%s: %d entries, %v", name, len(list), err)
			}
		}
		f.Close()
	}
}
