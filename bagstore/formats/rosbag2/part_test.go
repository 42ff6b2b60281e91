package rosbag2

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// openBy opens a database in memory.
func openBy(b []byte, by listing) (*File, error) {
	f := &File{path: "test", r: bytes.NewReader(b), size: int64(len(b)), dbSize: int64(len(b))}
	return f.opened(f.read(by))
}

// partOf lists the messages of a part, by time.
func partOf(t testing.TB, f *File, start, end bagstore.Time) []row {
	t.Helper()
	if err := f.Narrow(t.Context(), bagstore.Part{Start: start, End: end}); err != nil {
		t.Fatal(err)
	}
	return within(rows(t, f), start, end)
}

func within(list []row, start, end bagstore.Time) []row {
	list = slices.DeleteFunc(slices.Clone(list), func(r row) bool {
		at := bagstore.Time(r.Time)
		return at > bagstore.MinTime && (at < start || at > end)
	})
	slices.SortFunc(list, func(x, y row) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.Sum, y.Sum), cmp.Compare(x.Size, y.Size))
	})
	return list
}

// timedFile is written by SQLite: rows with times that jump, repeat, are 0 or negative, in small pages, some after
// others were deleted.
func timedFile(t testing.TB, rows int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db3")
	build(t, need.Python(t), path, fmt.Sprintf(`
PRAGMA page_size = 512; VACUUM;
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
INSERT INTO topics VALUES(7, '/b', 'std_msgs/msg/String', 'cdr');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
INSERT INTO messages SELECT i, CASE i %% 3 WHEN 0 THEN 7 ELSE 1 END,
  CASE WHEN i %% 97 = 0 THEN 0 WHEN i %% 501 = 0 THEN -5 ELSE (i / 4) * 1000 + (i * 7919) %% 30000 END,
  CAST(i || hex(zeroblob(20 + (i * 31) %% 700)) AS BLOB) FROM n;
DELETE FROM messages WHERE id %% 11 = 3;
INSERT INTO messages SELECT id + 100000, topic_id, timestamp + 3, data FROM messages WHERE id %% 13 = 5;`, rows))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPart checks that a part has the messages that the whole file has in its time.
func TestPart(t *testing.T) {
	b := timedFile(t, 3000)
	whole, err := openBy(b, byRows)
	if err != nil {
		t.Fatal(err)
	}
	all := rows(t, whole)
	last := bagstore.Time(0)
	for _, r := range all {
		last = max(last, bagstore.Time(r.Time))
	}
	f, err := openBy(b, byTime)
	if err != nil || !f.Partial() {
		t.Fatal("not a part:", err)
	}
	if n := len(rows(t, f)); n == 0 || n > len(all)/10 {
		t.Errorf("%d messages of %d before the part is known", n, len(all))
	}
	r := rand.New(rand.NewPCG(1, 2))
	ranges := [][2]bagstore.Time{{0, bagstore.MaxTime}, {0, 0}, {last, last}, {last + 1, bagstore.MaxTime}, {1000, 999}}
	for range 40 {
		start := r.Int64N(int64(last))
		ranges = append(ranges, [2]bagstore.Time{bagstore.Time(start), bagstore.Time(start + r.Int64N(100_000))})
	}
	for _, p := range ranges {
		start, end := p[0], p[1]
		got, want := partOf(t, f, start, end), within(all, start, end)
		if !slices.Equal(got, want) || len(f.Found()) > 0 {
			t.Errorf("from %d to %d: %d messages, want %d, %v", start, end, len(got), len(want), f.Found())
		}
		for i, k := range f.Blocks() {
			entries, err := f.Entries(i)
			if err != nil || len(entries) != k.Unlisted || len(k.Counts) > 0 {
				t.Errorf("block %d: %d entries of %d, %v", i, len(entries), k.Unlisted, err)
			}
			for _, e := range entries {
				if e.Time < k.Start || e.Time > k.End {
					t.Errorf("block %d: %d isn't from %d to %d", i, e.Time, k.Start, k.End)
				}
			}
		}
	}
}

// TestPartDamaged spoils each page in turn: what a part lacks of the whole file's messages is a loss.
func TestPartDamaged(t *testing.T) {
	p := bagstore.Part{Start: 10_000, End: 25_000}
	eachDamagedPage(t, timedFile(t, 120), p, func(f *File) error { return f.Narrow(t.Context(), p) }, nil)
}

// eachDamagedPage clears each page of a file in turn, and checks that what a part lacks of the file's messages is a loss. check, if not
// nil, gets the messages read and those wanted if there is no loss.
func eachDamagedPage(t *testing.T, b []byte, p bagstore.Part, narrow func(*File) error, check func(at int, got, want []row)) {
	t.Helper()
	noticed := 0
	for at := 512; at < len(b); at += 512 {
		damaged := slices.Clone(b)
		clear(damaged[at : at+512])
		want, _, err := readAll(damaged)
		if err != nil {
			continue // it isn't opened either way
		}
		f, err := openBy(damaged, byTime)
		if err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
		if err := narrow(f); err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
		got, _, err := readBlocks(f)
		listed := 0
		for _, k := range f.Blocks() {
			listed += k.Unlisted + int(k.Messages())
		}
		if err != nil || len(got) < listed || len(f.Found()) > 0 || slices.ContainsFunc(f.Notes(), func(n bagstore.Note) bool { return n.Severity == bagstore.Loss }) {
			noticed++
			continue
		}
		if g, w := len(within(got, p.Start, p.End)), len(within(want, p.Start, p.End)); g < w {
			t.Errorf("byte %d: %d messages of %d, and no loss", at, g, w)
		}
		if check != nil {
			check(at, got, want)
		}
	}
	if noticed == 0 {
		t.Error("no page mattered")
	}
}

// TestPartOfLyingIndex changes times in the table's rows: the index is no longer that of the rows.
func TestPartOfLyingIndex(t *testing.T) {
	b := timedFile(t, 3000)
	f, err := openBy(b, byTime)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Narrow(t.Context(), bagstore.Part{Start: 200_000, End: 400_000}); err != nil {
		t.Fatal(err)
	}
	row, time := f.part.rows[len(f.part.rows)/2], f.part.times[len(f.part.rows)/2]
	was := binary.BigEndian.AppendUint32(nil, uint32(time))[1:] // SQLite stores 3 bytes
	changed := false
	for _, k := range f.blocks {
		for _, page := range k.pages {
			at := int(f.pages.Offset(page))
			list, err := f.pageRows(f.reader(), page, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(list, func(m found) bool { return m.row == row }) {
				continue
			}
			if i := bytes.Index(b[at:at+512], was); i > 0 && !changed {
				b[at+i+2] ^= 1
				changed = true
			}
		}
	}
	if f, err = openBy(b, byTime); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if err := f.Narrow(t.Context(), bagstore.Part{Start: 200_000, End: 400_000}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readBlocks(f); err != nil || len(f.Found()) != 1 || f.Found()[0].Severity != bagstore.Loss {
		t.Errorf("%v, found %v", err, f.Found())
	}
}

// TestPartOfShortIndex reads a part by an index that lacks some rows.
func TestPartOfShortIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db3")
	build(t, need.Python(t), path, `
CREATE INDEX timestamp_idx ON messages (timestamp ASC) WHERE id % 10 <> 4;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO messages SELECT 1000 + i, 1, i * 1000, zeroblob(20) FROM n;
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = 'CREATE INDEX timestamp_idx ON messages (timestamp ASC)' WHERE name = 'timestamp_idx';`)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for end, wrong := range map[bagstore.Time]int{60_000: 1, 53_000: 0} {
		f, err := openBy(b, byTime)
		if err != nil || !f.Partial() {
			t.Fatal("not a part:", err)
		}
		if err := f.Narrow(t.Context(), bagstore.Part{Start: 50_000, End: end}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readBlocks(f); err != nil || len(f.Found()) != wrong {
			t.Errorf("up to %d: %v, found %v", end, err, f.Found())
		}
	}
}

// FuzzPart reads parts of arbitrary bytes, with the last messages from before and all of one topic.
func FuzzPart(f *testing.F) {
	f.Add(smallBytes(f), []byte{}, int64(0), int64(1<<40))
	f.Add(timedFile(f, 50), []byte{}, int64(5000), int64(20_000))
	latched, metadata, _ := latchedFile(f, 50, nil)
	f.Add(latched, metadata, int64(20_000), int64(30_000))
	f.Fuzz(func(t *testing.T, b, metadata []byte, start, end int64) {
		p, err := openBy(b, byTime)
		if err != nil {
			return
		}
		part := bagstore.Part{Start: bagstore.Time(start), End: bagstore.Time(end), Last: everyTopic(p)}
		if n := len(part.Last); n > 0 {
			part.All = part.Last[n-1:]
		}
		if err := p.in(metadata).Narrow(t.Context(), part); err != nil {
			t.Fatal(err) // nothing fails to be read
		}
		list, _, _ := readBlocks(p) // an error is one of the block
		if len(list) > len(b) {
			t.Fatalf("%d messages in %d bytes", len(list), len(b))
		}
	})
}

// TestFewEntries checks that pages of an index aren't fetched ahead of time for its first entries.
func TestFewEntries(t *testing.T) {
	f, err := openBy(timedFile(t, 3000), byTime)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, few := range []bool{true, false} {
		entries, fetched := 0, 0
		f.pages.Fetch = func(int64, int64) { fetched++ }
		err := f.pages.Between(f.part.index, 1, 1<<40, few, func(int64, int64) bool { entries++; return entries < headRows })
		if err != nil || entries != headRows || few != (fetched == 0) {
			t.Errorf("few: %v: %d entries, %d ranges fetched: %v", few, entries, fetched, err)
		}
	}
}
