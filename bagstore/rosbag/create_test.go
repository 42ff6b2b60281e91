package rosbag

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/program/localfile"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// sinks lists the sinks that this system supports.
func sinks() []bagstore.SinkKind {
	if strings.HasPrefix(disk.DirectCall(), "no") {
		return []bagstore.SinkKind{bagstore.Buffered}
	}
	return []bagstore.SinkKind{bagstore.Buffered, bagstore.Direct}
}

// forcedAlike skips the rest of a test that chooses how files are written, or uses no files, in a build
// that reads and writes every file directly (force_direct.go).
func forcedAlike(t *testing.T) {
	t.Helper()
	if forceDirect {
		need.Repeats(t)
	}
}

// ways are options that each select a different way of writing.
func ways() []bagstore.Options {
	list := []bagstore.Options{{}, {Compression: bagstore.LZ4, Workers: 4}}
	if slices.Contains(sinks(), bagstore.Direct) {
		list = append(list, bagstore.Options{Sink: bagstore.Direct})
	}
	return list
}

// eachSink runs a test with each sink.
func eachSink(t *testing.T, f func(t *testing.T, o bagstore.Options)) {
	forcedAlike(t)
	for _, kind := range sinks() {
		t.Run(kind.String(), func(t *testing.T) { f(t, bagstore.Options{Sink: kind}) })
	}
}

// TestCreateReplacesNothing checks that Create refuses an existing file and leaves it untouched unless
// Overwrite is set.
func TestCreateReplacesNothing(t *testing.T) {
	eachSink(t, func(t *testing.T, o bagstore.Options) {
		path := filepath.Join(t.TempDir(), "x.bag")
		want := stockbag.ByTime(small.write(t, path, o))
		if _, err := Create(path, o); !errors.Is(err, fs.ErrExist) || errors.Is(err, bagstore.ErrLocked) {
			t.Errorf("a name that is taken: %v", err)
		}
		stockbag.Compare(t, "after the refusal", readAll(t, path, bagstore.OpenOptions{}), want)
		o.Overwrite = true
		w := createBag(t, path, o)
		need.Must(t, w.Close())
		if got := readAll(t, path, bagstore.OpenOptions{}); len(got) != 0 {
			t.Errorf("%d messages of the file that was overwritten", len(got))
		}
	})
}

// TestCreateLocked checks that the second of two recorders of one file gets an error, even with
// Overwrite.
func TestCreateLocked(t *testing.T) {
	eachSink(t, func(t *testing.T, o bagstore.Options) {
		path := filepath.Join(t.TempDir(), "x.bag")
		w := createBag(t, path, o)
		if _, err := Create(path, o); !errors.Is(err, fs.ErrExist) || !errors.Is(err, bagstore.ErrLocked) {
			t.Errorf("the second recorder: %v", err)
		}
		again := o
		again.Overwrite = true
		if _, err := Create(path, again); !errors.Is(err, bagstore.ErrLocked) {
			t.Errorf("the second recorder, overwriting: %v", err)
		}
		want := stockbag.ByTime(small.feed(t, w))
		need.Must(t, w.Close())
		stockbag.Compare(t, "the first one's bag", readAll(t, path, bagstore.OpenOptions{}), want)
		need.Must(t, createBag(t, path, again).Close()) // the first one has closed
	})
}

// TestCreateRegularOnly checks that devices, named pipes, folders and links are refused with their kind
// and left in place.
func TestCreateRegularOnly(t *testing.T) {
	dir := t.TempDir()
	pipe, link, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "folder")
	target, dangling := filepath.Join(dir, "target"), filepath.Join(dir, "dangling")
	need.Must(t, errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(target, []byte("keep"), 0o600)))
	refused := []string{folder, os.DevNull}
	if need.Pipe(t, pipe) {
		refused = append(refused, pipe)
	}
	links := need.Symlink(t, target, link) && need.Symlink(t, filepath.Join(dir, "none"), dangling)
	if links {
		refused = append(refused, link, dangling)
	}
	eachSink(t, func(t *testing.T, o bagstore.Options) {
		for _, overwrite := range []bool{false, true} {
			o.Overwrite = overwrite
			for _, path := range refused {
				if _, err := Create(path, o); !errors.Is(err, localfile.ErrNotRegular) {
					t.Errorf("%s, overwrite %v: %v", path, overwrite, err)
				}
				if _, err := os.Lstat(path); err != nil {
					t.Errorf("%s is gone: %v", path, err)
				}
			}
		}
		if got, err := os.ReadFile(target); err != nil || string(got) != "keep" {
			t.Errorf("the link's target holds %q, %v", got, err)
		}
	})
}

// TestCreateFails checks that a file that can't be written is removed, unless somebody else has
// replaced it.
func TestCreateFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "x.bag")
	if _, err := Create(path, bagstore.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := Create(filepath.Join(t.TempDir(), "x.bag"), bagstore.Options{Compression: "zip"}); err == nil {
		t.Error("an unknown compression is accepted")
	}
}
