package disk

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// TestStaging checks that files have the memory of those before them, one file at a time, and that little is kept.
func TestStaging(t *testing.T) {
	var s Staging
	a, b, c := s.take(), s.take(), s.take()
	if &a[0] == &b[0] || &b[0] == &c[0] {
		t.Fatal("two files have the same memory")
	}
	for _, m := range [][]byte{a, b, c} {
		s.give(m)
	}
	if len(s.free) != maxStaging {
		t.Errorf("%d are kept", len(s.free))
	}
	if d, e := s.take(), s.take(); &d[0] != &b[0] || &e[0] != &a[0] {
		t.Error("memory isn't used again")
	}
	var none *Staging
	none.give(none.take())
}

// TestStagingOfSinks writes two files one after another: closing the first gives its memory to the second.
func TestStagingOfSinks(t *testing.T) {
	var s Staging
	for range 2 {
		f, err := os.Create(filepath.Join(t.TempDir(), "x"))
		need.Must(t, err)
		d := NewDirect(NewFile(f), Grain, &s)
		need.Must(t, d.Append([]byte("x"), nil, nil, nil))
		if len(s.free) != 0 {
			t.Fatalf("%d spare before the end", len(s.free))
		}
		for range 2 {
			_ = d.Close() // the second one finds the file closed
		}
		if len(s.free) != 1 {
			t.Fatalf("%d spare after the end", len(s.free))
		}
	}
}
