package place

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/program/regular"
)

// TestFolders: a folder is a store like any other.
func TestFolders(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	name := Join(dir, "a/b", "one.txt")
	put := func(text string, o PutOptions) (Info, error) {
		return Put(ctx, name, strings.NewReader(text), int64(len(text)), o)
	}
	first, err := put("first", PutOptions{New: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := put("again", PutOptions{New: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second new file: %v", err)
	}
	if _, err := put("other", PutOptions{Replaces: "another version"}); !errors.Is(err, ErrChanged) {
		t.Errorf("another version: %v", err)
	}
	second, err := put("second", PutOptions{Replaces: first.Version})
	if err != nil || second.Version == first.Version {
		t.Errorf("%+v after %+v: %v", second, first, err)
	}
	f, err := Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := make([]byte, 3)
	if _, err := f.ReadAt(p, 3); err != nil || string(p) != "ond" || OnDisk(f) == nil || f.Info() != second {
		t.Errorf("%q, %+v, %v", p, f.Info(), err)
	}
	var names []string
	for i, err := range List(ctx, dir) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, i.Name)
	}
	if !slices.Equal(names, []string{name}) {
		t.Error(names)
	}
	for range 2 {
		if err := Remove(ctx, name); err != nil {
			t.Error(err)
		}
	}
	if _, err := Stat(ctx, name); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Stat(ctx, dir); !errors.Is(err, regular.ErrNot) {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for name, address := range map[string]bool{
		"s3://bucket/walk.bag": true, "https://host/a.bag": true, "walk.bag": false, `C:\walk.bag`: false, "c://walk": false,
		"/a/s3://b": false, "S3://bucket/key": false, "": false,
	} {
		if got := IsAddress(name); got != address {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := Join("s3://bucket/prefix/", "a/b", "c.bag"); got != "s3://bucket/prefix/a/b/c.bag" || Base(got) != "c.bag" {
		t.Error(got)
	}
	if got := Join("folder", "a/b"); got != filepath.Join("folder", "a", "b") {
		t.Error(got)
	}
	if _, err := Open(t.Context(), "gopher://host/walk.bag"); !errors.Is(err, ErrScheme) {
		t.Error(err)
	}
}
