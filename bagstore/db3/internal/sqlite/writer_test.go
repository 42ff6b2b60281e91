package sqlite

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore/internal/disk"
	"rsros/test/need"
)

var objects = []Declaration{
	{Name: "kinds", SQL: "CREATE TABLE kinds(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"},
	{Name: "rows", SQL: "CREATE TABLE rows(id INTEGER PRIMARY KEY, value INTEGER NOT NULL, data BLOB NOT NULL)"},
	{Name: "by_value", SQL: "CREATE INDEX by_value ON rows (value ASC)", Of: "rows", Column: 1},
}

func create(t *testing.T) (*os.File, *Writer) { return createAs(t, false) }

func createAs(t *testing.T, private bool) (*os.File, *Writer) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "x.db"))
	need.Must(t, err)
	t.Cleanup(func() { f.Close() })
	pages := disk.NewPages(f, 64<<10) // most of the file past the page cache, where that works
	t.Cleanup(func() {
		if err := pages.Finish(); err != nil {
			t.Error(err)
		}
	})
	return f, NewWriter(pages, objects, private)
}

// row is a row that a reader must find.
type row struct {
	value int64
	size  int
	sum   uint32
}

func (r row) String() string { return fmt.Sprintf("%d %d %d", r.value, r.size, r.sum) }

// add appends rows with sizes around every limit of the format.
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
		need.Must(t, w.Append("rows", int64(len(list)), Value{}, Int(r.value), Blob(data[:size/3], data[size/3:])))
	}
	return list
}

// reader runs Debian's python3 with its own SQLite. For each file it prints the rows by id, their
// number by value, and the result of SQLite's integrity check.
const reader = `
import sqlite3, sys, zlib
for path in sys.argv[1:]:
    c = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
    for line in c.execute('PRAGMA integrity_check'):
        if line[0] != 'ok': print('bad', line[0])
    for value, data in c.execute('SELECT value, data FROM rows ORDER BY id'):
        print(value, len(data), zlib.crc32(data))
    by = [r for r in c.execute('SELECT value, id FROM rows INDEXED BY by_value ORDER BY value, id')]
    if by != sorted(by): print('bad order')
    print('end', len(by), c.execute('SELECT count(*) FROM kinds').fetchone()[0])
`

// read returns the lines for each file.
func read(t *testing.T, paths ...string) [][]string {
	t.Helper()
	python := need.Python(t, "sqlite3")
	out, err := exec.Command(python, append([]string{"-c", reader}, paths...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var files [][]string
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if lines = append(lines, line); strings.HasPrefix(line, "end ") {
			files, lines = append(files, lines), nil
		}
	}
	if len(files) != len(paths) {
		t.Fatalf("%d files of %d: %.200s", len(files), len(paths), out)
	}
	return files
}

func compare(t *testing.T, got []string, want []row, kinds int) {
	t.Helper()
	if last := got[len(got)-1]; last != fmt.Sprint("end ", len(want), " ", kinds) || len(got) != len(want)+1 {
		t.Fatalf("%s, want %d rows: %.200q", last, len(want), got)
	}
	for i, r := range want {
		if got[i] != r.String() {
			t.Fatalf("row %d: %s, want %s", i+1, got[i], r)
		}
	}
}

// TestOtherReader checks that SQLite reads what was written, after each of many commits, with values in
// order, nearly in order, and unordered. A private file is read at the end.
func TestOtherReader(t *testing.T) {
	for name, value := range map[string]func(*rand.Rand, int) int64{
		"in order": func(_ *rand.Rand, i int) int64 { return int64(i) * 1e6 },
		"nearly":   func(rnd *rand.Rand, i int) int64 { return 1.7e18 + int64(i)*1e6 + rnd.Int64N(5e7) },
		"random":   func(rnd *rand.Rand, _ int) int64 { return rnd.Int64() >> rnd.IntN(64) * (1 - 2*rnd.Int64N(2)) },
		"backward": func(_ *rand.Rand, i int) int64 { return int64(-i) },
	} {
		for _, private := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, private %t", name, private), func(t *testing.T) { testOrder(t, private, value) })
		}
	}
}

func testOrder(t *testing.T, private bool, value func(*rand.Rand, int) int64) {
	rnd := rand.New(rand.NewPCG(1, 2))
	f, w := createAs(t, private)
	var list []row
	const commits = 100
	for i := range commits {
		need.Must(t, w.Append("kinds", int64(i+1), Value{}, Text(strings.Repeat("x", i))))
		list = add(t, w, rnd, list, rnd.IntN(60), func(i int) int64 { return value(rnd, i) })
		need.Must(t, w.Commit())
		if i == 3 && !private {
			compare(t, read(t, f.Name())[0], list, i+1)
		}
	}
	need.Must(t, w.p.f.Wait())
	compare(t, read(t, f.Name())[0], list, commits)
}

// journal records every write to a file.
type journal struct {
	*os.File
	writes []write
}

func (j *journal) Buffer() []byte { return make([]byte, 4*pageSize) }
func (j *journal) Wait() error    { return nil }

func (j *journal) WriteHead(page []byte) error { return j.Write(page, 0) }

type write struct {
	data []byte
	off  int64
}

func (j *journal) Write(p []byte, off int64) error {
	j.writes = append(j.writes, write{append([]byte(nil), p...), off})
	_, err := j.File.WriteAt(p, off)
	return err
}

// TestEveryWrite checks that a file whose writer was killed between two writes, or within one, is whole
// as of the last commit.
func TestEveryWrite(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	f, _ := create(t)
	j := &journal{File: f}
	w := NewWriter(j, objects, false)
	type state struct{ rows, kinds int }
	var list []row
	states := map[int]state{} // by the number of writes after which it is there
	for i := range 2 * reuseAfter {
		need.Must(t, w.Append("kinds", int64(i+1), Value{}, Text("kind")))
		list = add(t, w, rnd, list, rnd.IntN(20), func(i int) int64 { return int64(i)*10 + rnd.Int64N(100) })
		need.Must(t, w.Commit())
		states[len(j.writes)] = state{len(list), i + 1}
	}
	var paths []string
	var want []state
	dir := t.TempDir()
	for n, now := 0, (state{}); n < len(j.writes); n++ {
		if s, ok := states[n]; ok {
			now = s
		}
		if now.kinds == 0 || rnd.IntN(25) > 0 {
			continue
		}
		path := filepath.Join(dir, fmt.Sprint(n))
		killed, err := os.Create(path)
		need.Must(t, err)
		for _, x := range j.writes[:n] {
			killed.WriteAt(x.data, x.off) //nolint:errcheck // reading shows it
		}
		if next := j.writes[n]; next.off > 0 {
			killed.WriteAt(next.data[:rnd.IntN(len(next.data))], next.off) //nolint:errcheck // reading shows it
		}
		killed.Close()
		paths, want = append(paths, path), append(want, now)
	}
	if len(paths) < 5 {
		t.Fatalf("%d files", len(paths))
	}
	for i, got := range read(t, paths...) {
		compare(t, got, list[:want[i].rows], want[i].kinds)
	}
}

// TestBound checks that commits alone don't grow the file.
func TestBound(t *testing.T) {
	_, w := create(t)
	for i := range 500 {
		need.Must(t, w.Append("rows", int64(i+1), Value{}, Int(int64(i)), Blob(nil)))
		need.Must(t, w.Commit())
	}
	if most := int64(500*40 + reuseAfter*12*pageSize); w.Size() > most {
		t.Errorf("%d bytes, want at most %d", w.Size(), most)
	}
}

// TestLockPage checks that the page at 1 GiB stays empty wherever a row's pages are. The pages before
// it are free, more than one free-list page can list.
func TestLockPage(t *testing.T) {
	f, w := create(t)
	for w.p.next.Load() < lockPage-3 {
		w.p.release(w.p.next.Load())
		w.p.next.Add(1)
	}
	var list []row
	list = add(t, w, rand.New(rand.NewPCG(5, 6)), list, 200, func(i int) int64 { return int64(i) })
	need.Must(t, w.Commit())
	compare(t, read(t, f.Name())[0], list, 0)
	b := make([]byte, pageSize)
	if _, err := f.ReadAt(b, 1<<30); err != nil || string(b) != string(make([]byte, pageSize)) {
		t.Errorf("the page at 1 GiB: %v, %x", err, b[:16])
	}
}

// TestRowsThatDontFit checks that row ids must increase.
func TestRowsThatDontFit(t *testing.T) {
	_, w := create(t)
	need.Must(t, w.Append("rows", 7, Value{}, Int(1), Blob(nil)))
	if err := w.Append("rows", 7, Value{}, Int(1), Blob(nil)); err == nil {
		t.Error("two rows have one id")
	}
	if err := w.Append("strange", 8); err == nil {
		t.Error("there is no such table")
	}
}

// FuzzIndexPage reads arbitrary index pages planted in the file.
func FuzzIndexPage(f *testing.F) {
	f.Add([]byte{kindIndexLeaf, 0, 0, 0, 1, 15, 0xf0, 0, 0x0f, 0xfa, 5, 3, 1, 1, 7, 9})
	f.Add([]byte{kindIndexInterior, 0, 0, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, page []byte) {
		file, w := create(t)
		if len(page) > pageSize {
			return
		}
		if _, err := file.WriteAt(append(page, make([]byte, pageSize-len(page))...), pageSize); err != nil {
			t.Fatal(err)
		}
		x := w.objects[2].index // by_value
		x.root = &node{children: []link{{page: 2}}}
		for i := range int64(3) {
			x.insert(entry{i, i})
		}
	})
}
