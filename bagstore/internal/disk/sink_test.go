package disk

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRewindGivesBack checks that what a failed write has left after the end is given back, as the room may be needed for
// an index.
func TestRewindGivesBack(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := NewBuffered(NewFile(f))
	if err := s.Append([]byte("head"), []byte("body"), nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("the beginning of a chunk"), s.Size()); err != nil {
		t.Fatal(err)
	}
	if err := s.Rewind(s.Intact()); err != nil {
		t.Fatal(err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != 8 {
		t.Errorf("%d bytes, %v", st.Size(), err)
	}
}
