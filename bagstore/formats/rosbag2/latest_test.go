package rosbag2

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/test/need"
)

// latchedFile is written by SQLite: rows with times that jump and repeat, in small pages, of topics with
// many, few and no messages. It also returns a metadata.yaml, in which change may change counts.
func latchedFile(t testing.TB, n int, change func(counts map[string]uint64)) (b, metadata []byte, all []row) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db3")
	build(t, need.Python(t), path, fmt.Sprintf(`
PRAGMA page_size = 512; VACUUM;
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
INSERT INTO topics VALUES(2, '/once', 'std_msgs/msg/String', 'cdr'), (3, '/seldom', 'std_msgs/msg/String', 'cdr'),
  (4, '/never', 'std_msgs/msg/String', 'cdr'), (5, '/late', 'std_msgs/msg/String', 'cdr'), (6, '/early', 'std_msgs/msg/String', 'cdr'),
  (7, '/timeless', 'std_msgs/msg/String', 'cdr');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d)
INSERT INTO messages SELECT i, CASE WHEN i = 12 THEN 2 WHEN i %% 97 = 0 THEN 7 WHEN i %% 401 = 100 THEN 3 WHEN i = %[1]d - 3 THEN 5 WHEN i < 10 THEN 6 ELSE 1 END,
  CASE WHEN i %% 97 = 0 THEN i %% 2 - 1 ELSE (i / 4) * 1000 + 1 + (i * 7919) %% 30000 END,
  CAST(i || hex(zeroblob(20 + (i * 31) %% 700)) AS BLOB) FROM n;`, n))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := openBy(b, byRows)
	if err != nil {
		t.Fatal(err)
	}
	all = rows(t, whole)
	counts := make(map[string]uint64)
	m := Metadata{Storage: StorageSQLite, File: "a.db3", Start: bagstore.MinTime}
	for _, r := range all {
		counts[r.Topic]++
		m.End = max(m.End, bagstore.Time(r.Time))
	}
	if change != nil {
		change(counts)
	}
	for _, topic := range whole.Topics() {
		m.Topics = append(m.Topics, TopicCount{container.Topic{Name: topic.Name, Type: topic.Type}, counts[topic.Name]})
	}
	metadata, err = m.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return b, metadata, all
}

func openLatched(t testing.TB, b []byte) *File {
	t.Helper()
	f, err := openBy(b, byTime)
	if err != nil || !f.Partial() {
		t.Fatal("not a part:", err)
	}
	return f
}

// in is the file in a folder with a metadata.yaml.
func (f *File) in(metadata []byte) *Group {
	g := f.alone()
	g.metadata = metadata
	return g
}

func everyTopic(f *File) (list []uint32) {
	for i := range f.Topics() {
		list = append(list, uint32(i))
	}
	return list
}

// lastOfEach lists the last messages before start, of a list in the order of the file.
func lastOfEach(list []row, start bagstore.Time) map[string]row {
	last := make(map[string]row)
	for _, r := range list {
		if r.Time > int64(bagstore.MinTime) && r.Time < int64(start) && r.Time >= last[r.Topic].Time {
			last[r.Topic] = r
		}
	}
	return last
}

// TestLatest checks that a part has the last messages before it that the whole file has, and few others.
func TestLatest(t *testing.T) {
	b, metadata, all := latchedFile(t, 3000, nil)
	r := rand.New(rand.NewPCG(1, 2))
	ranges := [][2]bagstore.Time{{0, 5}, {1, 5000}, {2, 2}, {770_000, bagstore.MaxTime}, {bagstore.MaxTime, bagstore.MaxTime}}
	for range 30 {
		start := bagstore.Time(r.Int64N(780_000))
		ranges = append(ranges, [2]bagstore.Time{start, start + bagstore.Time(r.Int64N(20_000))})
	}
	for _, metadata := range [][]byte{metadata, nil} {
		f := openLatched(t, b)
		for _, p := range ranges {
			start, end := p[0], p[1]
			if err := f.in(metadata).Narrow(t.Context(), bagstore.Part{Start: start, End: end, Last: everyTopic(f)}); err != nil {
				t.Fatal(err)
			}
			list := rows(t, f)
			got, want := within(list, start, end), within(all, start, end)
			if !slices.Equal(got, want) || len(f.Found()) > 0 {
				t.Errorf("from %d to %d: %d messages, want %d, %v", start, end, len(got), len(want), f.Found())
			}
			last, wantLast := lastOfEach(list, start), lastOfEach(all, start)
			if fmt.Sprint(last) != fmt.Sprint(wantLast) {
				t.Errorf("before %d: %v, want %v", start, last, wantLast)
			}
			if others := len(list) - len(got); metadata != nil && others > headRows+2*len(last) {
				t.Errorf("before %d: %d messages of %d topics", start, others, len(last))
			}
		}
	}
}

// TestLatestOfLyingMetadata checks that messages that contradict the counts are found or a loss.
func TestLatestOfLyingMetadata(t *testing.T) {
	const start, end = 300_000, 420_000
	for name, c := range map[string]struct {
		change func(counts map[string]uint64)
		loss   bool
	}{
		"fewer at the start": {func(n map[string]uint64) { n["/early"] -= 5; n["/a"] += 5 }, false},
		"fewer at the end":   {func(n map[string]uint64) { n["/a"] -= 2000; n["/never"] += 2000 }, false},
		"more":               {func(n map[string]uint64) { n["/once"] += 3; n["/a"] -= 3 }, false},
		"other total":        {func(n map[string]uint64) { n["/once"]++ }, false},
		"none":               {func(n map[string]uint64) { n["/a"] += n["/seldom"]; n["/seldom"] = 0 }, true},
	} {
		b, metadata, all := latchedFile(t, 3000, c.change)
		f := openLatched(t, b)
		if err := f.in(metadata).Narrow(t.Context(), bagstore.Part{Start: start, End: end, Last: everyTopic(f)}); err != nil {
			t.Fatal(err)
		}
		list := rows(t, f)
		found := f.Found()
		if loss := len(found) > 0 && found[0].Severity == bagstore.Loss; loss != c.loss || loss != (len(found) > 0) {
			t.Errorf("%s: found %v", name, found)
		}
		if got, want := within(list, start, end), within(all, start, end); !slices.Equal(got, want) {
			t.Errorf("%s: %d messages, want %d", name, len(got), len(want))
		}
		if got, want := fmt.Sprint(lastOfEach(list, start)), fmt.Sprint(lastOfEach(all, start)); got != want && !c.loss {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestLatestDamaged spoils each page in turn: a last message that is missing, or an older one in its place, is
// a loss.
func TestLatestDamaged(t *testing.T) {
	b, metadata, _ := latchedFile(t, 240, nil)
	const start, end = 50_000, 60_000
	narrow := func(f *File) error {
		return f.in(metadata).Narrow(t.Context(), bagstore.Part{Start: start, End: end, Last: everyTopic(f)})
	}
	eachDamagedPage(t, b, bagstore.Part{Start: start, End: end}, narrow, func(at int, got, want []row) {
		last := lastOfEach(got, start)
		for topic, w := range lastOfEach(want, start) {
			if last[topic].Time < w.Time {
				t.Errorf("byte %d: the last message of %s is at %d, want %d, and no loss", at, topic, last[topic].Time, w.Time)
			}
		}
	})
}
