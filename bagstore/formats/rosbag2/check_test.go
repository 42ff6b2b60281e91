package rosbag2

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// checkBytes changes one byte of a database at a time, checks each variant with Debian's SQLite, and
// prints a line saying whether it is damaged and how.
const checkBytes = `
import sqlite3, sys
path, copy = sys.argv[1:]
sys.stdout.reconfigure(errors="replace")
whole = open(path, "rb").read()
for line in sys.stdin:
    at, value = map(int, line.split())
    with open(copy, "wb") as f:
        f.write(whole[:at] + bytes([value]) + whole[at+1:])
    try:
        c = sqlite3.connect("file:" + copy + "?immutable=1", uri=True)
        c.text_factory = bytes
        print(*[r[0].decode(errors="replace").replace("\n", " ") for r in c.execute("PRAGMA integrity_check")], *["" for r in c.execute("SELECT * FROM messages JOIN topics ON topic_id = topics.id")])
    except Exception as e: # of SQLite, or of a text that is none
        print(str(e).replace("\n", " "))
`

// TestCheckAsSQLite changes single bytes of a database and checks that Check reports all damage that
// SQLite's own check reports, except what matters only to writers, such as unused space in pages.
func TestCheckAsSQLite(t *testing.T) {
	python := need.Python(t, "sqlite3")
	long := filepath.Join(t.TempDir(), "x.db3") // with overflow and free pages
	build(t, python, long, `PRAGMA page_size=512; VACUUM; CREATE INDEX i ON messages(timestamp); PRAGMA secure_delete=OFF;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20) INSERT INTO messages SELECT i, 1, i, zeroblob(i * 200) FROM n;
		DELETE FROM messages WHERE id BETWEEN 5 AND 12;`)
	for path, wanted := range map[string]func(off int) bool{
		small: func(off int) bool { return off < 16 || off > 496 || off%64 == 0 },
		long:  func(off int) bool { return off < 12 },
	} {
		checkAsSQLite(t, python, path, wanted)
	}
}

// checkAsSQLite changes the header, and the selected bytes of each page.
func checkAsSQLite(t *testing.T, python, path string, wanted func(off int) bool) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type change struct {
		at    int
		value byte
	}
	var changes []change
	var in strings.Builder
	for at := range whole {
		if at < 100 || wanted(at%512) {
			changes = append(changes, change{at, whole[at] ^ 1<<(at%8)})
			fmt.Fprintln(&in, at, whole[at]^1<<(at%8))
		}
	}
	cmd := exec.Command(python, "-c", checkBytes, path, t.TempDir()+"/x.db3")
	cmd.Stdin = strings.NewReader(in.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(changes) {
		t.Fatalf("%d lines for %d changes", len(lines), len(changes))
	}
	noticed, more := 0, 0
	for i, c := range changes {
		b := slices.Clone(whole)
		b[c.at] = c.value
		damaged := !strings.HasPrefix(lines[i], "ok")
		var notes []bagstore.Note
		f, err := OpenReader(bytes.NewReader(b), int64(len(b)), "test")
		if err == nil {
			notes = f.Notes()
			f.Check(func(n bagstore.Note) { notes = append(notes, n) })
		}
		switch ours := err != nil || len(notes) > 0; {
		case ours && damaged:
			noticed++
		case ours:
			more++
		case damaged:
			t.Errorf("byte %d of page %d of %s: SQLite says %q", c.at%512, c.at/512+1, path, lines[i])
		}
	}
	t.Logf("%d changes, %d noticed", len(changes), noticed)
	if noticed < len(changes)/5 || more > 10 {
		t.Errorf("%s: %d changes, %d noticed, and %d that SQLite doesn't notice", path, len(changes), noticed, more)
	}
}
