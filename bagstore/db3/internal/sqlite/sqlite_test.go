package sqlite

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rsros/test/need"
)

// makeDatabases makes databases of every form of the format with Debian's SQLite, under a folder. Those
// whose names end in -wal and -journal are left as by a killed recorder.
const makeDatabases = `
import os, sqlite3, sys
folder = sys.argv[1]
TABLES = """CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
CREATE TABLE other("a;b" TEXT, [c d] BLOB, 'e' NUMERIC, f, /* a comment, */ g VARCHAR(10, 2) DEFAULT ('x') -- another
);
INSERT INTO topics VALUES(1, '/a', 'std_msgs/msg/String', 'cdr'), (7, '/ümläut🙂', 'std_msgs/msg/String', 'cdr');
INSERT INTO other VALUES('x', 1.5, 3, NULL, 'y'), (NULL, 1, 2.5, x'00', ''), ('ü', -1e300, -9223372036854775808, 9223372036854775807, 0);"""
def fill(c, n, size):
    for i in range(n):
        c.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(?, ?, ?)", (1 + i % 2 * 6, i * i * 1000 - 5, bytes([i % 256]) * size(i)))
def make(name, *pragmas, n=300, size=lambda i: i * 37 % 5000, then=()):
    c = sqlite3.connect(os.path.join(folder, name + ".db3"), isolation_level=None)
    c.execute("PRAGMA synchronous=OFF")
    for p in pragmas:
        c.execute("PRAGMA " + p)
    c.executescript("BEGIN;" + TABLES)
    fill(c, n, size)
    c.execute("COMMIT")
    for sql in then:
        c.executescript(sql) if isinstance(sql, str) else sql(c)
    return c
for page in (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536):
    make("page%d" % page, "page_size=%d" % page).close()
make("vacuum_full", "auto_vacuum=1", "page_size=512", n=3000, size=lambda i: i % 900, then=["DELETE FROM messages WHERE id % 3 = 0"]).close()
make("vacuum_incremental", "auto_vacuum=2", "page_size=1024", then=["DELETE FROM messages WHERE id BETWEEN 20 AND 120; PRAGMA incremental_vacuum(5)"]).close()
make("utf16le", "encoding='UTF-16le'").close()
make("utf16be", "encoding='UTF-16be'", "page_size=512").close()
make("deleted", "page_size=512", then=["DELETE FROM messages WHERE id BETWEEN 50 AND 250", lambda c: fill(c, 20, lambda i: i * 100), "UPDATE messages SET data = zeroblob(9000) WHERE id = 7"]).close()
make("empty", n=0).close()
make("long", n=4, size=lambda i: i * 1000000).close()
make("small", n=20000, size=lambda i: i % 7).close()
make("deep", "page_size=512", n=20000, size=lambda i: 100).close()
make("negative", then=["UPDATE messages SET id = id - 150", "INSERT INTO messages VALUES(-9223372036854775808, 1, 1, x'00'), (9223372036854775807, 1, 1, x'00')"]).close()
make("added", then=["""ALTER TABLE topics ADD COLUMN offered_qos_profiles TEXT NOT NULL DEFAULT 'it''s ü';
ALTER TABLE topics ADD COLUMN type_description_hash TEXT NOT NULL DEFAULT "quoted";
ALTER TABLE topics ADD COLUMN n1 INTEGER DEFAULT -17;
ALTER TABLE topics ADD COLUMN n2 TEXT DEFAULT 12;
ALTER TABLE topics ADD COLUMN n3 INTEGER DEFAULT '99';
ALTER TABLE topics ADD COLUMN n4 BLOB DEFAULT x'0a0b';
ALTER TABLE topics ADD COLUMN n5 DEFAULT (TRUE);
ALTER TABLE topics ADD COLUMN n6;
ALTER TABLE topics ADD COLUMN n7 NOT NULL DEFAULT FALSE CHECK (n7 IN (0, 1, 'AS')) REFERENCES topics(id);
ALTER TABLE messages ADD COLUMN extra INTEGER DEFAULT 5;
INSERT INTO topics VALUES(9, '/b', 't', 'cdr', 'q', 'h', 1, 2, 3, 4, 5, 6, 1);
ALTER TABLE messages DROP COLUMN extra; ALTER TABLE topics RENAME COLUMN n6 TO "n 6";"""]).close()
make("order", then=["DROP TABLE messages; CREATE TABLE messages(data BLOB, timestamp INTEGER, topic_id INTEGER, id INTEGER, PRIMARY KEY(id))",
    "INSERT INTO messages VALUES(zeroblob(20000), 77, 1, 3), (x'01', 78, 7, 4)"]).close()
make("names", then=["CREATE TABLE \"it's \"\"a\"\"\" (" + ", ".join("c%d INTEGER" % i for i in range(64)) + ")", "INSERT INTO \"it's \"\"a\"\"\"(c0, c63) VALUES(1, 2)"]).close()
c = make("many")
for i in range(300):
    c.execute("CREATE TABLE t%d(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'abc', UNIQUE (b))" % i)
    c.execute("INSERT INTO t%d VALUES(%d, 'b')" % (i, i))
c.close()
c = make("log-wal", "journal_mode=WAL", "wal_autocheckpoint=0", then=["PRAGMA wal_checkpoint(TRUNCATE)"])
c.execute("DELETE FROM messages WHERE id < 100")
fill(c, 200, lambda i: i * 50)
c.execute("PRAGMA wal_checkpoint(PASSIVE)")
c.execute("UPDATE messages SET timestamp = 1 WHERE id = 250")
fill(c, 100, lambda i: i * 50)
c.execute("PRAGMA cache_size=5")
c.execute("BEGIN")
fill(c, 100, lambda i: 3000)
d = make("hot-journal", "cache_size=5", "journal_mode=DELETE")
d.execute("BEGIN")
d.execute("UPDATE messages SET data = x'01' WHERE id % 2 = 0")
d.execute("DELETE FROM topics")
fill(d, 300, lambda i: 3000)
os._exit(0)
`

// dumpDatabases lists all rows of all tables with Debian's SQLite. It reads copies, because SQLite
// applies a log or journal by writing.
const dumpDatabases = `
import json, os, shutil, sqlite3, sys, tempfile, zlib
def plain(kind, v):
    if isinstance(v, bytes):
        return ["%s %d %d" % (kind, len(v), zlib.crc32(v))]
    return v if kind in ("null", "integer") else "real"
for path in sys.stdin.read().split("\n"):
    with tempfile.TemporaryDirectory() as copy:
        for end in ("", "-wal", "-journal"):
            if os.path.exists(path + end):
                shutil.copy(path + end, os.path.join(copy, "x" + end))
        c = sqlite3.connect(os.path.join(copy, "x"))
        c.text_factory = bytes
        names = [n.decode() for n, in c.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' ORDER BY rowid")]
        for name in names:
            quoted = '"%s"' % name.replace('"', '""')
            info = list(c.execute("PRAGMA table_info(%s)" % quoted))
            columns = ['"%s"' % r[1].decode() for r in info]
            keys = [i for i, r in enumerate(info) if r[5]]
            alias = keys[0] if len(keys) == 1 and info[keys[0]][2].upper() == b"INTEGER" else -1
            values = ", ".join("CASE WHEN typeof(%s) = 'text' THEN CAST(%s AS TEXT) ELSE %s END" % (k, k, k) for k in columns)
            kinds = ", ".join("typeof(%s)" % k for k in columns)
            for row in c.execute("SELECT rowid, %s, %s FROM %s ORDER BY rowid" % (kinds, values, quoted)):
                half = len(columns) + 1
                print(json.dumps([name, row[0]] + [None if i == alias else plain(row[1 + i].decode(), row[half + i]) for i in range(len(columns))]))
    print("end", flush=True)
`

// TestAsSQLite reads every row of every table as Debian's SQLite does, for the examples and for
// databases of every form.
func TestAsSQLite(t *testing.T) {
	python := need.Python(t, "sqlite3")
	dir := t.TempDir()
	if out, err := exec.Command(python, "-c", makeDatabases, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	need.Programs(t, "sqlite3")
	for _, reserved := range []string{"1", "32", "255"} {
		path := filepath.Join(dir, "reserved"+reserved+".db3")
		if out, err := exec.Command("sqlite3", filepath.Join(dir, "page1024.db3"), ".filectrl reserve_bytes "+reserved, "VACUUM INTO '"+path+"'").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if b, err := os.ReadFile(path); err != nil || strconv.Itoa(int(b[20])) != reserved {
			t.Fatalf("%d bytes of each page are reserved, want %s; %v", b[20], reserved, err)
		}
	}
	var paths []string
	for _, pattern := range []string{filepath.Join(dir, "*.db3"), "../../testdata/*.db3", filepath.Join(need.Bag(t, "db3"), "*.db3"), filepath.Join(need.Bag(t, "db3"), "public", "*.db3")} {
		list, err := filepath.Glob(pattern)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(list), err)
		}
		paths = append(paths, list...)
	}
	cmd := exec.Command(python, "-c", dumpDatabases)
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	need.Must(t, err)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for _, path := range paths {
		var want []string
		for lines.Scan() && lines.Text() != "end" {
			want = append(want, lines.Text())
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".db3"), func(t *testing.T) {
			got := dump(t, path)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("%d rows, SQLite reads %d; the first that differs is %s, SQLite reads %s", len(got), len(want), got[min(i, len(got)):][:1], want[min(i, len(want)):][:1])
				}
			}
		})
	}
}

// openPath opens a database including what a killed writer left.
func openPath(t *testing.T, path string) *File {
	t.Helper()
	read := func(ending string) []byte {
		b, err := os.ReadFile(path + ending)
		if err != nil && (ending == "" || !os.IsNotExist(err)) {
			t.Fatal(err)
		}
		return b
	}
	b := read("")
	var r io.ReaderAt = bytes.NewReader(b)
	size := int64(len(b))
	for ending, take := range map[string]func(io.ReaderAt, int64, io.ReaderAt, int64) (*Overlay, error){"-wal": OpenWAL, "-journal": OpenJournal} {
		if beside := read(ending); len(beside) > 0 {
			o, err := take(r, size, bytes.NewReader(beside), int64(len(beside)))
			if err != nil || o.Pages() == 0 {
				t.Fatalf("%s: %v", ending, err)
			}
			r, size = o, o.Size()
		} else if strings.HasSuffix(strings.TrimSuffix(path, ".db3"), ending) {
			t.Fatalf("no %s", ending)
		}
	}
	f, err := Open(r, size)
	need.Must(t, err)
	return f
}

// dump lists all rows of all tables in the form of dumpDatabases.
func dump(t *testing.T, path string) (list []string) {
	t.Helper()
	f := openPath(t, path)
	objects, err := f.Schema()
	need.Must(t, err)
	r := f.NewReader()
	for i := range objects {
		table, ok := objects[i].Table()
		if !ok {
			continue
		}
		err := f.Rows(table.Root, func(c *Cell) error {
			table.Complete(c)
			row := []any{objects[i].Name, c.Row}
			for k := range c.Columns {
				row = append(row, plain(t, r, c, k))
			}
			b, err := json.Marshal(row)
			// Python puts spaces between values and leaves names as they are.
			list = append(list, strings.ReplaceAll(string(b), ",", ", "))
			return err
		})
		if err != nil {
			t.Fatalf("table %s: %v", objects[i].Name, err)
		}
	}
	return slices.Clip(list)
}

func plain(t *testing.T, r *Reader, c *Cell, k int) any {
	col := c.Columns[k]
	switch {
	case col.IsNull():
		return nil // also one of the row id, which the record lacks
	case col.IsInt():
		v, ok := r.Int(c, k)
		if !ok {
			t.Fatalf("column %d of row %d is no integer", k, c.Row)
		}
		return v
	case col.IsText():
		s, err := r.Text(c, k, 1<<30)
		need.Must(t, err)
		return []string{fmt.Sprintf("text %d %d", len(s), crc32.ChecksumIEEE([]byte(s)))}
	case col.IsBlob():
		b, err := r.Value(c, k, func(n int) []byte { return make([]byte, 0, n) })
		need.Must(t, err)
		return []string{fmt.Sprintf("blob %d %d", len(b), crc32.ChecksumIEEE(b))}
	}
	return "real"
}
