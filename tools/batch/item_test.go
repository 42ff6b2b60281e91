package batch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore/place"
	"rsros/test/need"
)

// write makes files whose content is their name.
func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		need.Must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(name), 0o666)))
	}
}

func names(items []Item) (names []string) {
	for _, it := range items {
		name := it.Name
		if it.Err != nil {
			name = "refused " + name
		}
		names = append(names, name)
	}
	return names
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.bag", "a.bag.active", "sub/c.db3", "sub/c.db3-wal", "sub/deep/d.mcap", "e.db3.zstd", "new.bag.partial", "notes.txt", "odd\n.bag",
		"robot/metadata.yaml", "robot/robot_0.db3", "robot/robot_1.db3", "robot/other.bag", "robot/inner/f.bag", "alone/metadata.yaml",
		".batch/check/b.bag.json", ".batch/unfinished/b.bag", "out/g.bag")
	link := filepath.Join(t.TempDir(), "link")
	if !need.Symlink(t, dir, link) {
		link = dir
	}
	want := []string{"a.bag.active", "b.bag", "e.db3.zstd", "refused odd\n.bag", "robot", "robot/inner/f.bag", "robot/other.bag", "sub/c.db3", "sub/deep/d.mcap"}
	for _, in := range []string{dir, dir + "/", link} {
		items, err := List(t.Context(), in, filepath.Join(in, "out"))
		if err != nil || !slices.Equal(names(items), want) {
			t.Errorf("%s: %q, %v\nwant %q", in, names(items), err, want)
		}
	}
	items, _ := List(t.Context(), dir, "")
	robot := items[slices.IndexFunc(items, func(it Item) bool { return it.Name == "robot" })]
	if robot.Size != int64(len("robot/metadata.yaml")+2*len("robot/robot_0.db3")) || robot.Path != filepath.Join(dir, "robot") {
		t.Errorf("%+v", robot)
	}
	if now, err := robot.now(t.Context()); err != nil || now != robot {
		t.Errorf("%+v now, %v; was %+v", now, err, robot)
	}
	write(t, dir, "robot/robot_2.db3")
	if now, err := robot.now(t.Context()); err != nil || now.Version == robot.Version {
		t.Errorf("another file didn't change it: %+v, %v", now, err)
	}
	if _, err := List(t.Context(), filepath.Join(dir, "robot"), ""); err == nil || !strings.Contains(err.Error(), "folder above") {
		t.Error(err)
	}
	for _, in := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "b.bag")} {
		if _, err := List(t.Context(), in, ""); err == nil {
			t.Errorf("%s is listed", in)
		}
	}
}

// keys is a store that consists of names.
type keys []string

func (k keys) List(_ context.Context, prefix string) iter.Seq2[place.Info, error] {
	return func(yield func(place.Info, error) bool) {
		for _, key := range k {
			if strings.HasPrefix(key, prefix) && !yield(place.Info{Name: key, Size: 1, Version: "1"}, nil) {
				return
			}
		}
	}
}

func (keys) Open(context.Context, string) (place.Object, error) { return nil, fs.ErrNotExist }

func (keys) Put(context.Context, string, io.ReaderAt, int64, place.PutOptions) (place.Info, error) {
	return place.Info{}, fs.ErrPermission
}

func (keys) Remove(context.Context, string) error { return nil }

// TestHostileKeys checks that names that only buckets can have never become paths.
func TestHostileKeys(t *testing.T) {
	hostile := []string{"../../etc/x.bag", "a/../../x.bag", "/x.bag", "a//x.bag", "./x.bag", "a/./x.bag", "a\x00.bag", "a\x1b[2J.bag", "\xff.bag", "../metadata.yaml", "../r.db3"}
	var store keys
	for _, key := range append(hostile, "ok/x.bag", "other") {
		store = append(store, "keys://bucket/in/"+key)
	}
	place.Register("keys", append(store, "keys://bucket/in2/y.bag"))
	items, err := List(t.Context(), "keys://bucket/in", "")
	if err != nil || len(items) != len(hostile) { // one is a metadata.yaml
		t.Fatalf("%q, %v", names(items), err)
	}
	for _, it := range items {
		if (it.Err == nil) != (it.Name == "ok/x.bag") {
			t.Errorf("%q: %v", it.Name, it.Err)
		}
	}
}

func TestOnly(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.bag", "b.bag", "sub/c.bag")
	items, err := List(t.Context(), dir, "")
	need.Must(t, err)
	list := "sub/c.bag\r\n\n" + filepath.Join(dir, "a.bag") + "\nsub/c.bag\nnone.bag\n../a.bag\n"
	chosen, err := only(items, dir, strings.NewReader(list))
	want := []string{"sub/c.bag", "a.bag", "refused none.bag", "refused ../a.bag"}
	if err != nil || !slices.Equal(names(chosen), want) {
		t.Errorf("%q, %v, want %q", names(chosen), err, want)
	}
	if _, err := only(items, dir, strings.NewReader(strings.Repeat("x", 1<<17))); err == nil {
		t.Error("a line without an end is read")
	}
}
