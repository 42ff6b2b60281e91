package disk

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/test/need"
)

// coldTestFile returns a file that isn't in the page cache, opened for reading, and its content.
func coldTestFile(t *testing.T, n int) (*os.File, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	data := randomBytes(n)
	w, err := os.Create(path)
	need.Must(t, err)
	defer w.Close()
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	need.Must(t, w.Sync())
	f, err := os.Open(path)
	need.Must(t, err)
	t.Cleanup(func() { f.Close() })
	need.Must(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	return f, data
}

// TestAheadFile reads a real file, which stays out of the page cache.
func TestAheadFile(t *testing.T) {
	for _, size := range []int{1, 4095, 4096, aheadBlock + 4097} {
		f, data := coldTestFile(t, size)
		a := OpenAhead(f, int64(size), true)
		if a == nil {
			need.System(t, "the file system of the temporary folder has no O_DIRECT")
		}
		cold := a.f.(*coldFile)
		if cold.Cached(0, size) {
			need.System(t, "the file stays in the page cache")
		}
		got, err := io.ReadAll(io.NewSectionReader(a, 0, int64(size)))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
		if a.refused {
			need.System(t, "the system refuses to read past the page cache")
		}
		for off := 0; off < size; off += Grain {
			if cold.Cached(int64(off), min(Grain, size-off)) {
				t.Errorf("%d bytes: the page at %d was read into the page cache", size, off)
				break
			}
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		for tries := 1; ; tries++ { // the kernel may have dropped some
			if _, err := f.ReadAt(got, 0); err != nil {
				t.Errorf("the file is closed, too: %v", err)
			}
			if cold.Cached(0, size) {
				break
			}
			if tries == 5 {
				t.Errorf("%d bytes: read as usual, they aren't in the page cache", size)
				break
			}
		}
	}
}

// TestCached checks that both ways to query the page cache return the same pages.
func TestCached(t *testing.T) {
	page := os.Getpagesize()
	f, data := coldTestFile(t, 40*page+100)
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM); err != nil { // or the kernel reads others meanwhile
		t.Fatal(err)
	}
	if _, err := f.ReadAt(make([]byte, 3*page), int64(5*page)); err != nil {
		t.Fatal(err)
	}
	c := &coldFile{File: f}
	if _, err := c.countCached(0, 1); err != nil {
		need.System(t, "cachestat: %v", err)
	}
	if c.Cached(0, len(data)) {
		need.System(t, "the file system keeps all pages, as tmpfs does")
	}
	for first := range 41 {
		off := first * page
		for n := 1; n <= len(data)-off; n += page / 2 {
			counted, err := c.countCached(int64(off), n)
			resident := c.countResident(int64(off), n)
			if again, _ := c.countCached(int64(off), n); again != counted {
				continue // the kernel has dropped some
			}
			if err != nil || counted != resident {
				t.Errorf("%d bytes from page %d: cachestat counts %d pages, %v, mincore %d", n, first, counted, err, resident)
			}
		}
	}
	var cached bool
	for range 100 { // the kernel may drop them at once
		if _, err := f.ReadAt(make([]byte, 3*page), int64(5*page)); err != nil {
			t.Fatal(err)
		}
		cached = cached || c.Cached(int64(5*page), 3*page)
	}
	if !cached {
		t.Error("pages that were just read aren't in the page cache")
	}
}

// TestAheadRefused checks that pipes, and files that were removed or replaced, are read as usual.
func TestAheadRefused(t *testing.T) {
	f, _ := coldTestFile(t, 100)
	if a := OpenAhead(f, 0, false); a != nil {
		t.Error("an empty file is read ahead")
	}
	need.Must(t, os.Remove(f.Name()))
	if a := OpenAhead(f, 100, false); a != nil {
		t.Error("a file that was removed is opened")
	}
	need.Must(t, unix.Mkfifo(f.Name(), 0o600))
	if a := OpenAhead(f, 100, false); a != nil {
		t.Error("a named pipe in the place of the file is opened")
	}
	pipe, err := os.OpenFile(f.Name(), os.O_RDONLY|unix.O_NONBLOCK, 0)
	need.Must(t, err)
	defer pipe.Close()
	if a := OpenAhead(pipe, 100, false); a != nil {
		t.Error("a named pipe is read ahead")
	}
}
