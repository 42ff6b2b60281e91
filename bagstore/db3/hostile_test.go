package db3

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
	"rsros/test/need"
)

// testdata/small.db3 has 60 messages, in pages of 512 bytes.
const small = "testdata/small.db3"

func smallBytes(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(small)
	need.Must(t, err)
	return b
}

// readAll lists what can be read of a database, and checks that it doesn't exceed the limits.
func readAll(b []byte) (list []row, f *File, err error) {
	f, err = OpenReader(bytes.NewReader(b), int64(len(b)), "test")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	fetched := int64(0)
	f.pages.Fetch = func(off, n int64) {
		if fetched += n; off < 0 || n <= 0 || off+n > int64(len(b)) || fetched > 2*int64(len(b)) {
			panic(fmt.Sprintf("%d bytes at %d of %d are fetched, %d so far", n, off, len(b), fetched))
		}
	}
	_ = f.pages.Rows(f.rows.table.Root, func(*sqlite.Cell) error { return nil }) // the scan found the error
	return readBlocks(f)
}

// readBlocks lists the messages that can be read.
func readBlocks(f *File) (list []row, _ *File, err error) {
	for i := range f.Blocks() {
		entries, err := f.Entries(nil, i)
		if err != nil {
			return list, f, err
		}
		for _, e := range entries {
			data, err := f.Read(nil, i, e, func(n int) []byte { return make([]byte, 0, n) })
			if err == nil {
				list = append(list, row{f.topics[e.Conn].Name, int64(e.Time), len(data), 0})
			}
		}
	}
	return list, f, nil
}

// placed is a message and the pages that hold parts of it.
type placed struct {
	row
	pages []int64
}

// placedMessages lists the messages of a sound file with their pages: the leaf and the overflow pages.
func placedMessages(t *testing.T, b []byte) (list []placed) {
	w := watched{bytes.NewReader(b), make(map[int64]bool), 512, true}
	f, err := OpenReader(w, int64(len(b)), "test")
	need.Must(t, err)
	defer f.Close()                 //nolint:errcheck // only read
	leaves := make(map[int64]int64) // by time, which is unique
	f.pages.EachLeaf(func(number uint32, page []byte) bool {
		f.pages.EachRow(page, number, func(c *sqlite.Cell) bool {
			if m := f.message(f.pages.NewReader(), c, true); m.ok {
				leaves[m.time] = int64(number)
			}
			return true
		})
		return true
	})
	for i := range f.Blocks() {
		entries, err := f.Entries(nil, i)
		need.Must(t, err)
		for _, e := range entries {
			clear(w.seen)
			data, err := f.Read(nil, i, e, func(n int) []byte { return make([]byte, 0, n) })
			need.Must(t, err)
			p := placed{row{f.topics[e.Conn].Name, int64(e.Time), len(data), 0}, []int64{leaves[int64(e.Time)]}}
			for page := range w.seen {
				p.pages = append(p.pages, page+1)
			}
			list = append(list, p)
		}
	}
	return list
}

// TestDamagedPages damages each page in turn, interior pages included. Messages outside it are still
// read, and the loss is reported.
func TestDamagedPages(t *testing.T) {
	whole := smallBytes(t)
	want := placedMessages(t, whole)
	if len(want) != 60 {
		t.Fatalf("%d messages", len(want))
	}
	const topics, schema = 3, 5 // the pages of their tables
	for page := int64(1); (page-1)*512 < int64(len(whole)); page++ {
		fill := func(with byte) func([]byte) {
			return func(b []byte) { copy(b, bytes.Repeat([]byte{with}, len(b))) }
		}
		cells := func(of int) func([]byte) {
			return func(b []byte) {
				if b[0] == 0x05 || b[0] == 0x0d {
					binary.BigEndian.PutUint16(b[3:], binary.BigEndian.Uint16(b[3:])*uint16(of)/2)
				}
			}
		}
		for name, damage := range map[string]func([]byte){"zeros": fill(0), "ones": fill(0xff), "noise": fill(0x5d), "no cells": cells(0), "half the cells": cells(1)} {
			if name == "half the cells" && page <= schema {
				continue // nothing tells how many tables and topics there were
			}
			b := slices.Clone(whole)
			damage(b[(page-1)*512 : page*512])
			got, f, err := readAll(b)
			if err != nil {
				t.Errorf("page %d, %s: %v", page, name, err)
				continue
			}
			lost := slices.ContainsFunc(f.Info().Notes, func(n bagstore.Note) bool { return n.Severity == bagstore.Loss })
			if page == topics {
				if text := fmt.Sprint(f.Info().Notes); !strings.Contains(text, "60 messages have no topic with a name") || len(got) > 0 {
					t.Errorf("the topics, %s: %d messages, notes %s", name, len(got), text)
				}
				continue
			}
			for _, m := range want {
				if slices.Contains(got, row{m.Topic, m.Time, m.Size, 0}) {
					continue
				}
				if !slices.Contains(m.pages, page) {
					t.Errorf("page %d, %s: the message at %d is lost, which is in %d; notes %v", page, name, m.Time, m.pages, f.Info().Notes)
				}
				if !lost && messages(f) == uint64(len(got)) {
					t.Errorf("page %d, %s: %d messages, and nothing is said", page, name, len(got))
				}
			}
			if len(got) > len(want) {
				t.Errorf("page %d, %s: %d messages", page, name, len(got))
			}
		}
	}
}

func messages(f *File) (n uint64) {
	for _, b := range f.Blocks() {
		n += b.Messages()
	}
	return n
}

// TestTorn cuts the file after each page.
func TestTorn(t *testing.T) {
	whole := smallBytes(t)
	last := 0
	for size := 512; size < len(whole); size += 512 {
		got, f, err := readAll(whole[:size])
		if err != nil {
			continue // the schema or a root is missing
		}
		if len(got) < last {
			t.Errorf("cut at %d: %d messages, %d with less", size, len(got), last)
		}
		last = len(got)
		if !strings.Contains(f.Info().Notes[0].Text, "torn") {
			t.Errorf("cut at %d: %v", size, f.Info().Notes)
		}
	}
	if last < 40 {
		t.Errorf("%d messages of the longest", last)
	}
}

// TestLyingLength checks a message that claims a gigabyte.
func TestLyingLength(t *testing.T) {
	python := need.Python(t, "sqlite3")
	path := filepath.Join(t.TempDir(), "x.db3")
	build(t, python, path, "INSERT INTO messages VALUES(1, 1, 5, zeroblob(3000))")
	b, err := os.ReadFile(path)
	need.Must(t, err)
	// The cell: a payload of 3007 bytes, row 1, a header of 6 bytes: null (the row), 1, an integer of 1
	// byte, a blob of 3000. The false header is longer and covers the first bytes of the blob.
	at := bytes.Index(b, []byte{0x97, 0x3f, 1, 6, 0, 9, 1})
	if at < 0 {
		t.Fatal("SQLite laid the row out in another way")
	}
	const claims = 1 << 30
	cell := append(varint(1+9+1+claims), 1, 9, 0, 9, 1)
	cell = append(cell, varint(12+2*claims)...)
	copy(b[at:], append(cell, 5))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list, f, err := readAll(b)
	runtime.ReadMemStats(&after)
	if err != nil || messages(f) != 1 || len(list) > 0 {
		t.Errorf("%d of %d messages could be read, %v", len(list), messages(f), err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d MB were allocated", n>>20)
	}
}

// varint encodes a number as SQLite does.
func varint(n uint64) (b []byte) {
	for b = []byte{byte(n & 127)}; n > 127; b = append([]byte{byte(n&127 | 128)}, b...) {
		n >>= 7
	}
	return b
}

// build makes a database with rosbag2's tables and one topic, and runs SQL on it.
func build(t testing.TB, python, path, sql string) {
	t.Helper()
	const script = `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.executescript("""CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL);
INSERT INTO topics VALUES(1, '/a', 'std_msgs/msg/String', 'cdr');""")
c.executescript(sys.argv[2])
c.commit()
c.close()
`
	if out, err := exec.Command(python, "-c", script, path, sql).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestHostileSchemas checks that a schema is treated as data: anything that reading would execute is
// refused.
func TestHostileSchemas(t *testing.T) {
	python := need.Python(t, "sqlite3")
	const rows = "INSERT INTO messages VALUES(1, 1, 5, x'0001'), (2, 1, 6, x'0001');"
	for name, test := range map[string]struct {
		sql     string
		refused string // empty: two messages are read
	}{
		"triggers":             {rows + "CREATE TRIGGER t AFTER INSERT ON messages BEGIN DELETE FROM topics; END;", ""},
		"SQL in a name":        {rows + `UPDATE topics SET name = '''; DROP TABLE messages; --';`, ""},
		"odd tables":           {rows + `CREATE TABLE "a'b;--"(x); CREATE VIEW v AS SELECT load_extension('x');`, ""},
		"index of expressions": {rows + `CREATE INDEX evil ON messages(abs(timestamp)); CREATE INDEX other ON messages(id, topic_id, timestamp);`, ""},
		"a view":               {"DROP TABLE messages; CREATE VIEW messages AS SELECT 1 AS id, 1 AS topic_id, 5 AS timestamp, x'00' AS data;", "no table messages"},
		"an endless view": {"DROP TABLE topics; CREATE VIEW topics AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id+1 FROM r)" +
			" SELECT id, 'n' AS name, 't' AS type, 'cdr' AS serialization_format FROM r;", "no table topics"},
		"a computed column": {"DROP TABLE messages; CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, " +
			"data BLOB GENERATED ALWAYS AS (zeroblob(1000000000)));", "is computed"},
		"without rows":        {"DROP TABLE messages; CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data) WITHOUT ROWID;", "no table messages"},
		"a missing column":    {"ALTER TABLE messages RENAME COLUMN data TO other;", "no column data"},
		"other types":         {"INSERT INTO messages VALUES(1, 1, 5, 'text'), (2, 1, 6, x'0001'), (3, 'x', 7, x'00'), (4, 1, 'y', x'00'), (5, 99, 8, x'00');", ""},
		"far rows":            {"INSERT INTO messages VALUES(-9223372036854775808, 1, 5, x'00'), (9223372036854775807, 1, 6, x'00');", ""},
		"a computed topic":    {"ALTER TABLE topics ADD COLUMN offered_qos_profiles TEXT AS (hex(zeroblob(100000000)));", "is computed"},
		"an attached virtual": {rows + "CREATE VIRTUAL TABLE f USING fts5(x);", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x.db3")
			build(t, python, path, test.sql)
			before, err := os.ReadFile(path)
			need.Must(t, err)
			list, f, err := readAll(before)
			switch {
			case test.refused == "" && (err != nil || len(list) != 2):
				t.Errorf("%d messages, %v", len(list), err)
			case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("%v, want %q", err, test.refused)
			}
			if name == "other types" && !strings.Contains(f.Info().Notes[0].Text, "3 messages have no topic with a name") {
				t.Errorf("notes %v", f.Info().Notes)
			}
			opened, err := Open(path)
			if err == nil {
				opened.Check() // it must not write
				opened.Close() //nolint:errcheck // only read
			}
			after, err := os.ReadFile(path)
			entries, _ := os.ReadDir(dir)
			if err != nil || !bytes.Equal(before, after) || len(entries) != 1 {
				t.Errorf("reading changed the file, or left files: %v", entries)
			}
		})
	}
}

// manyTables adds empty tables to small.db3 until its own tables move from page 1 to another page.
func manyTables(t testing.TB, tables int) []byte {
	const page, headSize, rowsInLeaf, childrenInNode = 512, 100, 8, 30
	b := smallBytes(t)
	be := binary.BigEndian
	add := func(content []byte) (number uint32) {
		b = append(b, content...)
		return uint32(len(b) / page)
	}
	lay := func(head []byte, cells [][]byte) []byte {
		p, end := make([]byte, page), page
		copy(p, head)
		be.PutUint16(p[3:], uint16(len(cells)))
		for i, c := range cells {
			end -= len(c)
			copy(p[end:], c)
			be.PutUint16(p[len(head)+2*i:], uint16(end))
		}
		be.PutUint16(p[5:], uint16(end))
		return p
	}
	leaf := func(cells [][]byte) []byte { return lay([]byte{13, 0, 0, 0, 0, 0, 0, 0}, cells) }
	node := func(level []uint32, keys []uint64) []byte { // the last child is the right one
		last := len(level) - 1
		var cells [][]byte
		for i, child := range level[:last] {
			cells = append(cells, append(be.AppendUint32(nil, child), varint(keys[i])...))
		}
		return lay(be.AppendUint32([]byte{5, 0, 0, 0, 0, 0, 0, 0}, level[last]), cells)
	}
	old := slices.Concat(b[headSize:page], make([]byte, headSize))
	end := be.Uint16(old[5:])
	copy(old[end:], b[end:page])
	level, keys := []uint32{add(old)}, []uint64{1000}
	for first := 0; first < tables; first += rowsInLeaf {
		var rows [][]byte
		for i := first; i < first+rowsInLeaf; i++ {
			name := fmt.Sprintf("t%05d", i)
			sql := "CREATE TABLE " + name + "(x)"
			text := func(s string) byte { return byte(2*len(s) + 13) }
			record := []byte{6, text("table"), text(name), text(name), 4, text(sql)} // 4: a 32-bit integer
			record = be.AppendUint32(append(record, "table"+name+name...), add(leaf(nil)))
			record = append(record, sql...)
			rows = append(rows, slices.Concat(varint(uint64(len(record))), varint(uint64(1001+i)), record))
		}
		level, keys = append(level, add(leaf(rows))), append(keys, uint64(1000+first+rowsInLeaf))
	}
	for len(level) > childrenInNode {
		var up []uint32
		var last []uint64
		for i := 0; i < len(level); i += childrenInNode {
			to := min(i+childrenInNode, len(level))
			up, last = append(up, add(node(level[i:to], keys[i:to]))), append(last, keys[to-1])
		}
		level, keys = up, last
	}
	root := node(level, keys)
	clear(b[headSize:page])
	copy(b[headSize:], root[:12+2*(len(level)-1)])
	copy(b[be.Uint16(root[5:]):page], root[be.Uint16(root[5:]):])
	be.PutUint32(b[28:], uint32(len(b)/page))
	return b
}

// TestManyTables checks that 20,000 empty tables beside those of rosbag2 don't take long or much memory
// to open: once it took 11 s, then all memory.
func TestManyTables(t *testing.T) {
	b := manyTables(t, 20_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list, f, err := readAll(b)
	runtime.ReadMemStats(&after)
	if err != nil || len(list) != 60 || len(f.Info().Notes) > 0 {
		t.Fatalf("%d messages, %v", len(list), err)
	}
	// Total allocation is no measure here: the race detector empties pools.
	if took := int64(after.HeapSys - before.HeapSys); took > 60<<20 {
		t.Errorf("the heap grew by %d MB", took>>20)
	}
}

// TestCircle makes an interior page refer to one leaf many times.
func TestCircle(t *testing.T) {
	b := slices.Clone(smallBytes(t))
	found := false
	for page := 512; page < len(b); page += 512 {
		if b[page] != 0x05 { // an interior page of a table
			continue
		}
		found = true
		cells := int(binary.BigEndian.Uint16(b[page+3:]))
		first := b[page+int(binary.BigEndian.Uint16(b[page+12:])):][:4]
		for i := range cells {
			copy(b[page+int(binary.BigEndian.Uint16(b[page+12+2*i:])):], first)
		}
		copy(b[page+8:], first)
	}
	if !found {
		t.Fatal("no interior page")
	}
	list, f, err := readAll(b)
	need.Must(t, err)
	if len(list) != 60 || len(f.Info().Notes) == 0 { // the leaves are whole, wherever they are
		t.Errorf("%d messages, notes %v", len(list), f.Info().Notes)
	}
}

// FuzzOpen reads arbitrary bytes as a database.
func FuzzOpen(f *testing.F) {
	f.Add(smallBytes(f))
	for _, page := range []int{0, 2, 3} { // the header and the schema, the topics, the root of the messages
		b := slices.Clone(smallBytes(f))
		clear(b[page*512 : (page+1)*512])
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, _, err := readAll(b)
		if err != nil && errors.Is(err, sqlite.ErrNotDatabase) && len(list) > 0 {
			t.Fatal("messages of no database")
		}
		if len(list) > len(b) {
			t.Fatalf("%d messages in %d bytes", len(list), len(b))
		}
	})
}
