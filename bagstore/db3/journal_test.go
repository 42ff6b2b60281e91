package db3

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/test/need"
)

// recorder writes 60 messages, then 400 more in a transaction that spills to the file, prints a line
// and waits to be killed. Its journal holds the pages of the 60.
const recorder = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode = " + sys.argv[2])
db.execute("PRAGMA synchronous = " + sys.argv[3])
db.execute("PRAGMA cache_size = 10")
topic, = db.execute("SELECT min(id) FROM topics").fetchone()
db.execute("BEGIN")
db.execute("UPDATE messages SET data = x'00010000', timestamp = 7")
for i in range(400):
    db.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)", (topic, 5000 + i, b"\x00\x01\x00\x00" + bytes(2000)))
print("now", flush=True)
sys.stdin.read()
`

// files returns names and contents of a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := make(map[string]string)
	entries, err := os.ReadDir(dir)
	need.Must(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		need.Must(t, err)
		list[e.Name()] = string(b)
	}
	return list
}

// TestHotJournal kills a recorder in a transaction. The messages committed before are found without
// changing the folder, also through a link, and equal those that SQLite finds when it repairs a copy.
func TestHotJournal(t *testing.T) {
	python := need.Python(t, "sqlite3")
	for _, synchronous := range []string{"OFF", "FULL"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.db3")
		need.Must(t, os.WriteFile(path, smallBytes(t), 0o600))
		want := rows(t, open(t, path))
		cmd := exec.Command(python, "-c", recorder, path, "DELETE", synchronous)
		out, err := cmd.StdoutPipe()
		need.Must(t, err)
		in, err := cmd.StdinPipe()
		need.Must(t, err)
		defer in.Close()
		need.Must(t, cmd.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "now\n" {
			t.Errorf("the recorder says %q, %v", line, err)
		}
		cmd.Process.Kill() //nolint:errcheck // it runs
		cmd.Wait()         //nolint:errcheck // it was killed
		before := files(t, dir)
		if len(before) != 2 || before["x.db3"] == string(smallBytes(t)) {
			t.Fatalf("%d files, and the database is as it was: the transaction was all in memory", len(before))
		}
		if err := os.Chmod(dir, 0o500); err != nil { //nolint:gosec // a folder
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) }) //nolint:errcheck,gosec // for its removal
		link := filepath.Join(t.TempDir(), "link.db3")
		need.Must(t, os.Symlink(path, link))
		for _, path := range []string{path, link} {
			f := open(t, path)
			if got := rows(t, f); !slices.Equal(got, want) {
				t.Errorf("synchronous %s: %d messages, want %d", synchronous, len(got), len(want))
			}
			if n := f.Info().Notes; len(n) != 1 || n[0].Severity != bagstore.Repairable || !strings.Contains(n[0].Text, "-journal") {
				t.Errorf("notes %v", n)
			}
		}
		if after := files(t, dir); len(after) != 2 || after["x.db3"] != before["x.db3"] || after["x.db3-journal"] != before["x.db3-journal"] {
			t.Error("the folder isn't as it was")
		}
		asSQLite(t, python, before, want)
	}
}

// asSQLite reads a copy that SQLite repairs.
func asSQLite(t *testing.T, python string, content map[string]string, want []row) {
	t.Helper()
	dir := t.TempDir()
	for name, b := range content {
		need.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(b), 0o600))
	}
	out, err := exec.Command(python, "-c", strings.Replace(pythonRows, "?immutable=1", "", 1), filepath.Join(dir, "x.db3")).Output()
	need.Must(t, err)
	var got []row
	for line := range strings.Lines(string(out)) {
		var r row
		need.Must(t, json.Unmarshal([]byte(line), &r))
		r.Time = max(r.Time, 1)
		got = append(got, r)
	}
	if !slices.Equal(got, want) {
		t.Errorf("SQLite reads %d messages, want %d", len(got), len(want))
	}
}

// TestUselessJournal checks that a journal without content is noted and kept; one of a completed
// transaction isn't noted.
func TestUselessJournal(t *testing.T) {
	for content, notes := range map[string]int{
		"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + strings.Repeat("\x00", 504): 1,
		strings.Repeat("\x00", 512):                                      0,
		"":                                                               0,
	} {
		path := filepath.Join(t.TempDir(), "x.db3")
		for name, b := range map[string]string{path: string(smallBytes(t)), path + "-journal": content} {
			need.Must(t, os.WriteFile(name, []byte(b), 0o600))
		}
		f := open(t, path)
		if n := f.Info().Notes; len(n) != notes || notes > 0 && n[0].Severity != bagstore.Loss {
			t.Errorf("notes %v", n)
		}
		if len(rows(t, f)) != 60 {
			t.Error("messages are missing")
		}
		if b, err := os.ReadFile(path + "-journal"); err != nil || string(b) != content {
			t.Errorf("the journal: %v", err)
		}
	}
}

// guarded is a store that forbids listing, so that missing files look forbidden.
type guarded struct {
	place.Store
	path string
}

func (g guarded) Open(ctx context.Context, name string) (place.Object, error) {
	if strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-journal") {
		return nil, fs.ErrPermission
	}
	f, err := place.Open(ctx, g.path)
	if err != nil {
		return nil, err
	}
	return renamed{f.(place.Object), name}, nil
}

type renamed struct {
	place.Object
	name string
}

func (r renamed) Info() place.Info {
	i := r.Object.Info()
	i.Name = r.name
	return i
}

// TestForbiddenLeftovers checks that a recording in a bucket that can't be listed opens without journal
// or log.
func TestForbiddenLeftovers(t *testing.T) {
	place.Register("guarded", guarded{path: examples(t)[0]})
	in, err := place.Open(t.Context(), "guarded://bucket/walk.db3")
	need.Must(t, err)
	f, err := OpenFile(t.Context(), in, nil)
	need.Must(t, err)
	defer f.Close()
	if len(f.Info().Notes) > 0 || len(f.Topics()) == 0 {
		t.Error(f.Info().Notes, f.Topics())
	}
}
