package recording

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestHeadless checks that a .db3 with a zeroed first page is recognized by its name, and is read.
func TestHeadless(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile("../db3/testdata/small.db3")
	need.Must(t, err)
	clear(b[:512])
	for name, test := range map[string]struct {
		content []byte
		format  Format
		counts  map[string]int
	}{
		"walk.db3":      {b, SQLite, map[string]int{"/text std_msgs/msg/String": 40, "/number std_msgs/msg/UInt32": 20}},
		"walk.db3.save": {b, Bag, nil},
		"text.db3":      {[]byte(strings.Repeat("text ", 1000)), SQLite, nil},
		"empty.db3":     {nil, SQLite, nil},
	} {
		path := filepath.Join(dir, name)
		need.Must(t, os.WriteFile(path, test.content, 0o600))
		format, err := FormatOf(t.Context(), path)
		if err != nil || format != test.format {
			t.Errorf("%s: format %v, %v", name, format, err)
		}
		bag, topics, err := OpenRaw(path, bagstore.OpenOptions{})
		if err != nil {
			if test.counts != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		defer bag.Close() //nolint:errcheck // only read
		got := make(map[string]int)
		for id, n := range bag.Counts() {
			got[topics[id].Name+" "+topics[id].Type] += int(n)
		}
		if !maps.Equal(got, test.counts) {
			t.Errorf("%s: topics %v, want %v", name, got, test.counts)
		}
	}
}
