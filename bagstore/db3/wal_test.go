package db3

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

// TestWriteAheadLog reads what a killed recorder left: a database and its log.
func TestWriteAheadLog(t *testing.T) {
	python := need.Python(t, "sqlite3")
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db3")
	const script = `
import sqlite3, sys, os
c = sqlite3.connect(sys.argv[1])
c.execute("PRAGMA journal_mode=WAL")
c.executescript("""CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL);
INSERT INTO topics VALUES(1, '/a', 'std_msgs/msg/String', 'cdr');""")
c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
for i in range(500):
    c.execute("INSERT INTO messages VALUES(?, 1, ?, zeroblob(?))", (i + 1, i + 1, i * 20))
    if i % 10 == 0: c.commit()
c.commit()
c.execute("INSERT INTO messages VALUES(1000, 1, 1, zeroblob(2000000))")
os._exit(0)
`
	if out, err := exec.Command(python, "-c", script, path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names := func() (list []string) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	before := names()
	f := open(t, path)
	got := rows(t, f)
	if len(got) != 500 || got[499].Size != 499*20 {
		t.Errorf("%d messages", len(got))
	}
	if len(f.Info().Notes) != 1 || !strings.Contains(f.Info().Notes[0].Text, "-wal") {
		t.Errorf("notes %v", f.Info().Notes)
	}
	if after := names(); !slices.Equal(before, after) {
		t.Errorf("files %v became %v", before, after)
	}
	// A damaged log is valid up to the damage.
	log, err := os.ReadFile(path + "-wal")
	need.Must(t, err)
	log[len(log)/2] ^= 1
	need.Must(t, os.WriteFile(path+"-wal", log, 0o600))
	n := len(rows(t, open(t, path)))
	if n == 0 || n >= 500 {
		t.Errorf("%d messages with a spoiled log", n)
	}
	// SQLite itself, which may write, finds the same number.
	out, err := exec.Command(python, "-c", "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM messages').fetchone()[0])", path).Output()
	if err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(n) {
		t.Errorf("%d messages with a spoiled log; SQLite finds %s %v", n, out, err)
	}
}
