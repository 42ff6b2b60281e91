package pagedb

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var objects = []Object{
	{Name: "kinds", SQL: "CREATE TABLE kinds(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"},
	{Name: "rows", SQL: "CREATE TABLE rows(id INTEGER PRIMARY KEY, value INTEGER NOT NULL, data BLOB NOT NULL)"},
	{Name: "by_value", SQL: "CREATE INDEX by_value ON rows (value ASC)", Of: "rows", Column: 1},
}

func create(t *testing.T) (*os.File, *Writer) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, New(f, objects)
}

// row is what a reader has to find.
type row struct {
	value int64
	size  int
	sum   uint32
}

func (r row) String() string { return fmt.Sprintf("%d %d %d", r.value, r.size, r.sum) }

// add appends rows whose sizes are around all bounds of the format.
func add(t *testing.T, w *Writer, rnd *rand.Rand, list []row, n int, value func(i int) int64) []row {
	t.Helper()
	for range n {
		size := rnd.IntN(300)
		switch rnd.IntN(20) {
		case 0:
			size = 4030 + rnd.IntN(60)
		case 1:
			size = rnd.IntN(3 * pageSize)
		}
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		r := row{value(len(list)), size, crc32.ChecksumIEEE(data)}
		list = append(list, r)
		if err := w.Append("rows", int64(len(list)), Column{}, Int(r.value), Blob(data[:size/3], data[size/3:])); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// reader is Debian's python3 with its own SQLite: it prints the rows by id, and those by
// value, after it had SQLite compare everything.
const reader = `
import sqlite3, sys, zlib
c = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True)
for line in c.execute('PRAGMA integrity_check'):
    if line[0] != 'ok': print('bad', line[0])
for value, data in c.execute('SELECT value, data FROM rows ORDER BY id'):
    print(value, len(data), zlib.crc32(data))
by = [r for r in c.execute('SELECT value, id FROM rows INDEXED BY by_value ORDER BY value, id')]
if by != sorted(by): print('bad order')
print(len(by), c.execute('SELECT count(*) FROM kinds').fetchone()[0])
`

func read(t *testing.T, path string) []string {
	t.Helper()
	out, err := exec.Command("/usr/bin/python3", "-c", reader, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func compare(t *testing.T, path string, want []row, kinds int) {
	t.Helper()
	got := read(t, path)
	if last := got[len(got)-1]; last != fmt.Sprint(len(want), " ", kinds) {
		t.Fatalf("%s, want %d rows: %.200q", last, len(want), got)
	}
	for i, r := range want {
		if got[i] != r.String() {
			t.Fatalf("row %d: %s, want %s", i+1, got[i], r)
		}
	}
}

// TestOtherReader: what is written is what another SQLite reads, after each of many
// commits, with values in order, nearly in order, and in none.
func TestOtherReader(t *testing.T) {
	for name, value := range map[string]func(*rand.Rand, int) int64{
		"in order": func(_ *rand.Rand, i int) int64 { return int64(i) * 1e6 },
		"nearly":   func(rnd *rand.Rand, i int) int64 { return 1.7e18 + int64(i)*1e6 + rnd.Int64N(5e7) },
		"random":   func(rnd *rand.Rand, _ int) int64 { return rnd.Int64() >> rnd.IntN(64) * (1 - 2*rnd.Int64N(2)) },
		"backward": func(_ *rand.Rand, i int) int64 { return int64(-i) },
	} {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			f, w := create(t)
			var list []row
			for i := range 300 {
				if err := w.Append("kinds", int64(i+1), Column{}, Text(strings.Repeat("x", i))); err != nil {
					t.Fatal(err)
				}
				list = add(t, w, rnd, list, rnd.IntN(60), func(i int) int64 { return value(rnd, i) })
				if err := w.Commit(); err != nil {
					t.Fatal(err)
				}
				if i%75 == 3 {
					compare(t, f.Name(), list, i+1)
				}
			}
			compare(t, f.Name(), list, 300)
		})
	}
}
