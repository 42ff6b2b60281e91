package proof

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func fill(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func listed(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestMove moves a recording with its log. While the recording moves, both names have the log; a name that is taken,
// and a recording that doesn't move, leave everything as it was.
func TestMove(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "ring.bag"), filepath.Join(dir, "walk.bag")
	fill(t, from, from+LogExt, from+RootExt) // a recorder was killed before it wrote the signature
	before := listed(t, dir)
	move := func() error { return os.Rename(from, to) }
	for _, ext := range []string{RootExt, SignatureExt} { // that of another recording would become this one's
		fill(t, to+ext)
		if err := Move(from, to, move); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s is taken: %v", ext, err)
		}
		if err := os.Remove(to + ext); err != nil {
			t.Fatal(err)
		}
		if have := listed(t, dir); !slices.Equal(have, before) {
			t.Errorf("%s was taken: %q", ext, have)
		}
	}
	broken := errors.New("the disk")
	if err := Move(from, to, func() error { return broken }); !errors.Is(err, broken) || !slices.Equal(listed(t, dir), before) {
		t.Errorf("after %v: %q", err, listed(t, dir))
	}
	err := Move(from, to, func() error {
		for _, path := range []string{from + LogExt, to + LogExt} {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
		return move()
	})
	if have := listed(t, dir); err != nil || !slices.Equal(have, []string{"walk.bag", "walk.bag.proof", "walk.bag.root"}) {
		t.Errorf("%q, %v", have, err)
	}
}

// TestReplace replaces the files of an earlier recording, of which the new one hasn't all.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	walk := filepath.Join(dir, "walk.bag")
	fill(t, Files(walk)...)
	if err := Replace(walk + activeExt); err != nil || len(listed(t, dir)) != 0 {
		t.Fatalf("the log of a recording that isn't signed: %q, %v", listed(t, dir), err)
	}
	fill(t, append(Files(walk), walk+activeExt+LogExt)...)
	if err := Replace(walk + activeExt); err != nil || !slices.Equal(listed(t, dir), []string{"walk.bag.proof"}) {
		t.Errorf("%q, %v", listed(t, dir), err)
	}
	if text, err := os.ReadFile(walk + LogExt); err != nil || string(text) != "walk.bag.active.proof" {
		t.Errorf("the log is %s, %v", text, err)
	}
	if LogPath(walk+activeExt) != walk+LogExt {
		t.Error(LogPath(walk + activeExt))
	}
}

// TestLogOfAnotherName refuses to create a log that readers wouldn't find: an earlier recording's has the name that they
// try first.
func TestLogOfAnotherName(t *testing.T) {
	dir, k := t.TempDir(), testKey(t)
	walk := filepath.Join(dir, "walk.bag")
	fill(t, walk+activeExt+LogExt)
	if _, err := Create(walk+activeExt, k, false, true); !errors.Is(err, fs.ErrExist) || len(listed(t, dir)) != 1 {
		t.Errorf("%q, %v", listed(t, dir), err)
	}
	l, err := Create(walk+activeExt, k, true, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
