package rosbag2

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
)

// TestJournal: a journal beside the file is said, and stays.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db3")
	for name, content := range map[string]string{path: string(smallBytes(t)), path + "-journal": journalMagic + strings.Repeat("\x00", 504)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, path)
	if n := f.Notes(); len(n) != 1 || n[0].Severity != bagstore.Repairable || !strings.Contains(n[0].Text, "-journal") {
		t.Errorf("notes %v", n)
	}
	if len(rows(t, f)) != 60 {
		t.Error("messages are missing")
	}
	if st, err := os.Stat(path + "-journal"); err != nil || st.Size() != 512 {
		t.Errorf("the journal: %v", err)
	}
}
