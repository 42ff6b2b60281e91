package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore"
	"rsros/test/need"
)

// smallFile has 60 messages.
const smallFile = "../db3/testdata/small.db3"

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	need.Must(t, err)
	return b
}

func pack(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	need.Must(t, err)
	defer w.Close() //nolint:errcheck // nothing is open
	return w.EncodeAll(b, nil)
}

// folder writes files, by name, to a folder.
func folder(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "[walk]")
	need.Must(t, os.Mkdir(dir, 0o700))
	for name, content := range files {
		need.Must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return dir
}

func yamlOf(messages string, files ...string) []byte {
	return []byte("rosbag2_bagfile_information:\n  version: 5\n  storage_identifier: sqlite3\n  message_count: " + messages +
		"\n  relative_file_paths:\n    - " + strings.Join(files, "\n    - ") + "\n  topics_with_message_count:\n" +
		"    - topic_metadata:\n        name: /text\n        offered_qos_profiles: \"- history: 3\\n  depth: 0\"\n      message_count: 40\n")
}

func TestFolders(t *testing.T) {
	small := read(t, smallFile)
	packed := pack(t, small)
	for name, test := range map[string]struct {
		files    map[string][]byte
		messages int
		note     string // in one of the notes; empty: no notes
	}{
		"split":           {map[string][]byte{"metadata.yaml": yamlOf("120", "w_0.db3", "w_1.db3"), "w_0.db3": small, "w_1.db3": small}, 120, ""},
		"named by folder": {map[string][]byte{"metadata.yaml": yamlOf("60", "walk/w_0.db3"), "w_0.db3": small}, 60, ""},
		"others in it":    {map[string][]byte{"metadata.yaml": yamlOf("60", "w_0.db3"), "w_0.db3": small, "old.db3": small}, 60, ""},
		"compressed":      {map[string][]byte{"metadata.yaml": yamlOf("120", "w_0.db3.zstd", "w_1.db3.zstd"), "w_0.db3.zstd": packed, "w_1.db3.zstd": packed}, 120, ""},
		"killed":          {map[string][]byte{"w_0.db3": small, "w_10.db3": small, "w_9.db3": small}, 180, "the recorder was killed"},
		"a file is gone":  {map[string][]byte{"metadata.yaml": yamlOf("120", "w_0.db3", "w_1.db3"), "w_0.db3": small}, 60, "left out"},
		"a file is torn":  {map[string][]byte{"metadata.yaml": yamlOf("120", "w_0.db3", "w_1.db3"), "w_0.db3": small, "w_1.db3": small[:8000]}, -1, "torn"},
		"too few":         {map[string][]byte{"metadata.yaml": yamlOf("61", "w_0.db3"), "w_0.db3": small}, 60, "counts 61 messages, 60 are in the files"},
		"outside":         {map[string][]byte{"metadata.yaml": yamlOf("60", "../w_0.db3"), "w_0.db3": small}, 60, "isn't in the folder"},
		"anchors":         {map[string][]byte{"metadata.yaml": []byte("a: &a [1, 2]\nb: [*a, *a]\n"), "w_0.db3": small}, 60, "anchors"},
		"deep":            {map[string][]byte{"metadata.yaml": []byte(strings.Repeat("[", 100<<10)), "w_0.db3": small}, 60, "metadata.yaml is invalid"},
		"deep mappings":   {map[string][]byte{"metadata.yaml": []byte(strings.Repeat("{a: ", 30000)), "w_0.db3": small}, 60, "metadata.yaml is invalid"},
		"no YAML":         {map[string][]byte{"metadata.yaml": []byte("\x00{{{"), "w_0.db3": small}, 60, "metadata.yaml is invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, folder(t, test.files))
			got := list(t, b)
			if test.messages >= 0 && len(got) != test.messages || len(got) == 0 {
				t.Errorf("%d messages, want %d", len(got), test.messages)
			}
			if len(b.Connections()) != 2 {
				t.Errorf("%d topics", len(b.Connections()))
			}
			var notes []string
			for _, n := range b.Notes() {
				notes = append(notes, n.Text)
			}
			if all := strings.Join(notes, "\n"); !strings.Contains(all, test.note) || test.note == "" && all != "" {
				t.Errorf("notes %q, want %q", all, test.note)
			}
		})
	}
}

func TestCompressedFile(t *testing.T) {
	dir := folder(t, map[string][]byte{"a": pack(t, read(t, smallFile)), "bomb": pack(t, make([]byte, 8<<20)), "text": pack(t, []byte("text"))})
	if got := list(t, open(t, filepath.Join(dir, "a"))); len(got) != 60 {
		t.Errorf("%d messages", len(got))
	}
	for name, want := range map[string]string{"bomb": "over 1000 times", "text": "neither a .db3"} {
		if _, err := Open(filepath.Join(dir, name), bagstore.OpenOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTogether reads a bag, a .db3 and an MCAP file as one recording, in time order.
func TestTogether(t *testing.T) {
	first := open(t, sample)
	path := filepath.Join(t.TempDir(), "x")
	writeMCAP(t, path, first, mcapOptions)
	bags := []*bagstore.Recording{first, open(t, smallFile), open(t, path)}
	v := bagstore.NewView(bags, bagstore.Query{Start: bagstore.MinTime + 1})
	it := v.Iterator()
	defer it.Close()
	last, seen := bagstore.Time(0), make(map[int]int)
	for it.Next() {
		if m := it.Message(); m.Time < last {
			t.Fatalf("%d follows %d", m.Time, last)
		}
		last = it.Message().Time
		seen[it.Message().Bag]++
	}
	if it.Err() != nil || seen[1] != 60 || seen[0] == 0 || seen[0] != seen[2] {
		t.Errorf("%v, %v", it.Err(), seen)
	}
}
