package rosbag

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// takesDirect skips a test if the file system of its folder refuses direct writes.
func takesDirect(t *testing.T) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "try"))
	need.Must(t, err)
	defer f.Close()
	if _, err := disk.TryDirect(f); err != nil {
		need.System(t, "no direct writing: %v", err)
	}
}

// TestSmallFilesAlike checks that Auto writes the same bytes as Buffered below the size at which it
// switches to direct writes.
func TestSmallFilesAlike(t *testing.T) {
	var files [2]memDisk
	for i, s := range []*disk.Sink{disk.NewBuffered(&files[0]), disk.NewGrowing(&files[1], 1<<20, disk.Grain, nil, refuse)} {
		w, err := newWriter(s, lendOptions(t, bagstore.Options{}))
		need.Must(t, err)
		small.feed(t, w)
		need.Must(t, w.Close())
		if files[i].count() != files[0].count() {
			t.Errorf("%d operations on the disk, %d if buffered", files[i].count(), files[0].count())
		}
	}
	if !bytes.Equal(files[0].data, files[1].data) {
		t.Error("the bytes differ")
	}
}

var errRefused = errors.New("no direct writes here")

func refuse(direct bool) error {
	if direct {
		return errRefused
	}
	return nil
}

// TestDirectRefused checks that a file that can't switch to direct writes continues through the page
// cache and says why.
func TestDirectRefused(t *testing.T) {
	d := &memDisk{}
	s := disk.NewGrowing(d, 5000, disk.Grain, nil, refuse)
	w, err := newWriter(s, lendOptions(t, bagstore.Options{}))
	need.Must(t, err)
	if s.Fallback() != nil {
		t.Error(s.Fallback())
	}
	l := newLender(t, w)
	for i := range 5 {
		need.Must(t, l.lend(i))
	}
	if !errors.Is(s.Fallback(), errRefused) {
		t.Error(s.Fallback())
	}
	need.Must(t, w.Close())
	stockbag.Compare(t, "refused", contentOf(t, d.data), l.want)
}

// TestAuto writes a real file across the switch to direct writes.
func TestAuto(t *testing.T) {
	takesDirect(t)
	path := filepath.Join(t.TempDir(), "x.bag")
	o := lendOptions(t, bagstore.Options{})
	o.directFrom = 700_000
	w, err := create(path, o)
	need.Must(t, err)
	l := newLender(t, w)
	for i := range 12 {
		need.Must(t, l.lend(i))
		if direct, large := w.c.sink.Grain() > 1, i > 4; i != 3 && i != 4 && direct != large {
			t.Errorf("after message %d at %d bytes, directly is %t", i, w.Size(), direct)
		}
		if i%5 == 4 {
			need.Must(t, w.Checkpoint())
			stockbag.Compare(t, "at a checkpoint", readAll(t, path, bagstore.OpenOptions{}), l.want)
		}
	}
	if s := w.c.sink; s.Kind() != bagstore.Direct || s.Fallback() != nil {
		t.Errorf("%v, %v", s.Kind(), s.Fallback())
	}
	need.Must(t, w.Close())
	everywhere(t, path, l.want)
}

// TestLarge checks that a large file is written directly from the second block on.
func TestLarge(t *testing.T) {
	takesDirect(t)
	path := filepath.Join(t.TempDir(), "x.bag")
	o := lendOptions(t, bagstore.Options{})
	o.Large, o.directFrom = true, 0 // without the defaults of lendOptions
	w, err := create(path, o)
	need.Must(t, err)
	l := newLender(t, w)
	for i := range 3 {
		need.Must(t, l.lend(i))
		if w.c.sink.Grain() == 1 {
			t.Errorf("message %d at %d bytes isn't written directly", i, w.Size())
		}
	}
	if got := w.WriteMethod(); got != "past the page cache" {
		t.Errorf("written %s", got)
	}
	need.Must(t, w.Close())
	everywhere(t, path, l.want)
}

// TestDirectOnTmpfs checks that Auto doesn't write directly on a file system in memory, and that Create
// returns an error if Direct is asked for and impossible.
func TestDirectOnTmpfs(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "rsros")
	if err != nil {
		need.System(t, "%v", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.bag")
	w := createBag(t, path, bagstore.Options{})
	if s := w.c.sink; s.Kind() != bagstore.Buffered || s.Fallback() == nil || !strings.Contains(w.WriteMethod(), s.Fallback().Error()) {
		t.Errorf("%v, %v, %s", s.Kind(), s.Fallback(), w.WriteMethod())
	}
	need.Must(t, w.Close())
	w, err = Create(path, bagstore.Options{Sink: bagstore.Direct, Overwrite: true})
	if err != nil {
		if !strings.Contains(err.Error(), "directly") {
			t.Errorf("refused with %v", err)
		}
		return
	}
	if err := w.Close(); err != nil { // Linux has accepted O_DIRECT on tmpfs since 6.6
		t.Error(err)
	}
}
