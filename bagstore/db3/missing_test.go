package db3

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
)

// TestMissing checks that rows that aren't there are missed by the numbers of the others, and at the end by the number of
// messages in the metadata.
func TestMissing(t *testing.T) {
	python := need.Python(t, "sqlite3")
	const (
		rows     = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 60) INSERT INTO messages SELECT i, 1, i, zeroblob(i) FROM n;"
		metadata = "CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL); INSERT INTO metadata VALUES(1, 5, 'message_count: 60');"
	)
	for name, test := range map[string]struct{ sql, want string }{
		"whole":       {metadata, ""},
		"a gap":       {"DELETE FROM messages WHERE id BETWEEN 20 AND 29;", "from row 20 to 29"},
		"the first":   {"DELETE FROM messages WHERE id < 3;", "from row 1 to 2"},
		"the last":    {metadata + "DELETE FROM messages WHERE id > 58;", "counts 60 messages, the file has 58"},
		"of a killed": {strings.Replace(metadata, "60", "0", 1), ""},
	} {
		path := filepath.Join(t.TempDir(), "x.db3")
		build(t, python, path, rows+test.sql)
		notes := open(t, path).Info().Notes
		if text := fmt.Sprint(notes); !strings.Contains(text, test.want) || (len(notes) > 0) != (test.want != "") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
