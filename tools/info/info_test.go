package info

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestAsStock compares the text with rosbag info's, without a bag of unsorted chunks,
// for which rosbag prints a wrong duration.
func TestAsStock(t *testing.T) {
	paths := exampleBags(t)
	own := filepath.Join(t.TempDir(), "own.bag")
	samplebag.Small.Write(t, own, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 9000})
	for _, path := range append(paths, own, mixedBag(t)) {
		name := filepath.Base(path)
		if strings.Contains(name, "unindexed") || strings.Contains(name, "truncated") || strings.Contains(name, "unsorted") || strings.Contains(name, "no-") {
			continue
		}
		s, err := summarizeFile(t, path, Options{Rates: true})
		need.Must(t, err)
		for _, f := range []struct {
			args  []string
			write func(*bytes.Buffer) error
		}{
			{[]string{"info", "--freq", path}, func(b *bytes.Buffer) error { return s.WriteText(b) }},
			{[]string{"info", "--freq", "-y", path}, func(b *bytes.Buffer) error { return s.WriteYAML(b) }},
		} {
			want, err := stockbag.Run(t, "/usr/bin/rosbag", f.args...)
			need.Must(t, err)
			var got bytes.Buffer
			need.Must(t, f.write(&got))
			stockPart, _, _ := strings.Cut(got.String(), "\nrates: ")
			gotLines, wantLines := lines(stockPart), lines(want)
			for i := range max(len(gotLines), len(wantLines)) {
				// Stock computes rates in floating point seconds.
				if i < len(gotLines) && strings.Contains(gotLines[i], "frequency:") {
					continue
				}
				if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
					t.Errorf("%s %v: line %d differs:\n%s\nstock:\n%s", name, f.args[:2], i, got.String(), want)
					break
				}
			}
		}
	}
}

// mixedBag writes one of which half of the chunks are compressed: the commonest is the one that rosbag info takes for that.
func mixedBag(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "mixed.bag")
	w := samplebag.Create(t, path, bagstore.Options{LZ4Topics: regexp.MustCompile("^/packed$")})
	for n, topic := range []string{"/packed", "/plain"} {
		w.Put(stockbag.StringType(topic), bagstore.Time(1+n)*1e9, stockbag.Text(n, 20<<10))
	}
	w.Done()
	return path
}

func exampleBags(t *testing.T) (paths []string) {
	t.Helper()
	folder := os.Getenv("RS_BAGS")
	if folder == "" {
		need.Missing(t, "RS_BAGS, the folder of example bags, is not set")
	}
	for _, dir := range []string{"librealsense", "public"} {
		list, err := filepath.Glob(filepath.Join(folder, dir, "*.bag"))
		if err != nil || len(list) == 0 {
			t.Fatalf("no bags in %s: %v", dir, err)
		}
		paths = append(paths, list...)
	}
	return paths
}

// TestKeysAsStock compares values byte by byte with rosbag info -y -k.
func TestKeysAsStock(t *testing.T) {
	dir := t.TempDir()
	packed, tiny := filepath.Join(dir, "packed.bag"), filepath.Join(dir, "tiny.bag")
	samplebag.Small.Write(t, packed, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 9000})
	samplebag.Strings{Topics: 1, Messages: 1, Size: func(int) int { return 3 }}.Write(t, tiny, bagstore.Options{})
	for path, keys := range map[string][]string{
		packed: {"path", "version", "duration", "start", "end", "size", "messages", "indexed", "compression", "uncompressed",
			"compressed", "types", "topics", "types[0]", "topics[1]", "topics[-1].topic", "topics[0].messages"},
		tiny: {"duration", "topics"},
	} {
		s, err := summarizeFile(t, path, Options{})
		need.Must(t, err)
		out, err := stockbag.Run(t, "/usr/bin/python3", append([]string{"testdata/keys.py", path}, keys...)...)
		need.Must(t, err)
		want := strings.Split(out, "\x00")
		for i, key := range keys {
			var got bytes.Buffer
			if found, err := s.WriteKey(&got, key); !found || err != nil || got.String() != want[i] {
				t.Errorf("%s: %q, want %q; %v", key, got.String(), want[i], err)
			}
		}
		for _, key := range []string{"", "nothing", "topics[9]", "topics[0].nothing", "size[0]", "topics.topic", "a b"} {
			var got bytes.Buffer
			if found, err := s.WriteKey(&got, key); found || err != nil || got.Len() > 0 {
				t.Errorf("%q is found: %q, %v", key, got.String(), err)
			}
		}
	}
}

// TestPython checks that numbers are printed like Python's.
func TestPython(t *testing.T) {
	for text, want := range map[string]string{
		"0.000000": "0.0", "0.000001": "1e-06", "1.500000": "1.5", "1600000000.000000": "1600000000.0", "1396293888.046000": "1396293888.046",
	} {
		if got := (yamlField{"start", text}).python(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func lines(s string) []string {
	var out []string
	for _, l := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		out = append(out, strings.TrimRight(l, " "))
	}
	return out
}

func TestDetails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{ChunkSize: 500, Compression: bagstore.LZ4})
	// 10 Hz with one gap of a second.
	at := bagstore.Time(time.Second)
	for i := range 50 {
		if i == 20 {
			at += bagstore.Time(900 * time.Millisecond)
		}
		w.Put(stockbag.StringType("/steady"), at, stockbag.Text(i, 10+i))
		at += bagstore.Time(100 * time.Millisecond)
	}
	w.Done()
	samplebag.Everywhere(t, path, samplebag.Read(t, path, bagstore.OpenOptions{}))
	s, err := summarizeFile(t, path, Options{Rates: true, Sizes: true})
	need.Must(t, err)
	r, z := s.Topics[0].Rates, s.Topics[0].Sizes
	if r.Median != 10 || r.Max != 10 || r.Min != 1 || r.Gaps != 1 || r.LongestGap != time.Second || r.GapAt != bagstore.Time(2_900_000_000) {
		t.Errorf("rates %+v", r)
	}
	var text strings.Builder
	need.Must(t, s.WriteText(&text))
	for _, line := range []string{
		"rates:        /steady   8.4 Hz, 1.0 Hz to 10.0 Hz; 1 gap, longest 1s after 1.9s\n",
		"sizes:        /steady   1.9 KB, 14 to 63 bytes each\n",
	} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("no line %q in\n%s", line, text.String())
		}
	}
	if z.Min != 14 || z.Max != 63 || z.Bytes != 50*(14+63)/2 {
		t.Errorf("sizes %+v", z)
	}
}

// summarize is Summarize for a file.
func summarizeFile(tb testing.TB, path string, o Options) (*Summary, error) {
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return Summarize(tb.Context(), b, o)
}

// TestDamagedChunk checks that a chunk whose head can't be read is a note beside the rest.
func TestDamagedChunk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{ChunkSize: 900})
	stockbag.Small.Feed(t, w.Writer)
	w.Done()
	whole, err := summarizeFile(t, path, Options{Rates: true, Sizes: true})
	need.Must(t, err)
	samplebag.LoseChunk(t, path, 1)
	s, err := summarizeFile(t, path, Options{Rates: true, Sizes: true})
	need.Must(t, err)
	if s.Messages != whole.Messages || s.Compressions[0].Chunks != whole.Chunks-1 || s.Topics[0].Rates == nil || s.Topics[0].Sizes == nil {
		t.Errorf("%d messages in %v of %d chunks", s.Messages, s.Compressions, whole.Chunks)
	}
	if len(s.Notes) != 1 || s.Notes[0].Severity != bagstore.Loss {
		t.Errorf("notes %v", s.Notes)
	}
}
