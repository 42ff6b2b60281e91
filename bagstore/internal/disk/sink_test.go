package disk

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// TestRewindGivesBack checks that what a failed write has left after the end is given back, as the room may be needed for
// an index.
func TestRewindGivesBack(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	need.Must(t, err)
	defer f.Close()
	s := NewBuffered(NewFile(f))
	need.Must(t, s.Append([]byte("head"), []byte("body"), nil, nil))
	if _, err := f.WriteAt([]byte("the beginning of a chunk"), s.Size()); err != nil {
		t.Fatal(err)
	}
	need.Must(t, s.Rewind(s.Intact()))
	if st, err := f.Stat(); err != nil || st.Size() != 8 {
		t.Errorf("%d bytes, %v", st.Size(), err)
	}
}
