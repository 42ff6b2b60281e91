package place

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"rsros/test/need"
)

// noise is a store of objects with random bytes. It counts the bytes requested.
type noise struct {
	Store
	version string
	asked   atomic.Int64
}

type noiseObject struct {
	*noise
	name string
	data []byte
}

func (n *noise) Open(_ context.Context, name string) (Object, error) {
	data := make([]byte, 5*blockSize+100)
	fill := rand.NewChaCha8([32]byte([]byte((name + n.version + strings.Repeat(" ", 32))[:32])))
	_, err := fill.Read(data)
	return noiseObject{n, name, data}, err
}

func (o noiseObject) Info() Info {
	return Info{Name: o.name, Size: int64(len(o.data)), Version: o.version}
}

func (o noiseObject) Range(_ context.Context, off, n int64) (io.ReadCloser, error) {
	o.asked.Add(n)
	return io.NopCloser(bytes.NewReader(o.data[off : off+n])), nil
}

// forgetBlocks empties the cache in memory, as if the process were new.
func forgetBlocks() {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	for _, b := range cache.byKey {
		cache.remove(b)
	}
}

// readNoise reads an object, compares it, and returns the number of bytes requested from the store.
func readNoise(t *testing.T, s *noise, name string) int64 {
	t.Helper()
	forgetBlocks()
	before := s.asked.Load()
	f, err := Open(t.Context(), name)
	need.Must(t, err)
	got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if o, _ := s.Open(t.Context(), name); !bytes.Equal(got, o.(noiseObject).data) {
		t.Errorf("%s was read wrong", name)
	}
	return s.asked.Load() - before
}

func keepIn(t *testing.T, dir string, limit int64) *[]error {
	t.Helper()
	var warned []error
	need.Must(t, KeepIn(dir, limit, func(err error) { warned = append(warned, err) }))
	t.Cleanup(func() { kept.Store(nil) })
	return &warned
}

// TestDiskCache checks that what one run read isn't fetched by the next, and that after a change of
// version or damage to a block the data are still right.
func TestDiskCache(t *testing.T) {
	s := &noise{version: "1"}
	Register("noise", s)
	dir := filepath.Join(t.TempDir(), "cache")
	warned := keepIn(t, dir, 1<<30)
	const name, whole = "noise://a", 5*blockSize + 100
	before := TrafficNow().Kept
	for i, want := range []int64{whole, 0, 0} {
		if got := readNoise(t, s, name); got != want {
			t.Errorf("reading %d fetched %d bytes, want %d", i, got, want)
		}
	}
	if got := TrafficNow().Kept - before; got != 2*whole {
		t.Errorf("%d bytes are said to come from the disk", got)
	}
	s.version = "2"
	if got := readNoise(t, s, name); got != whole {
		t.Errorf("another version fetched %d bytes", got)
	}
	s.version = "1"
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 2 {
		t.Fatalf("files %v", files)
	}
	for what, spoil := range map[string]func(b []byte) []byte{
		"a bit":    func(b []byte) []byte { b[slotSize+1000] ^= 1; return b },
		"length":   func(b []byte) []byte { b[2*slotSize-6] ^= 1; return b },
		"trailer":  func(b []byte) []byte { clear(b[2*slotSize-16 : 2*slotSize]); return b },
		"swapped":  func(b []byte) []byte { copy(b[slotSize:2*slotSize], b[2*slotSize:]); return b },
		"cut off":  func(b []byte) []byte { return b[:2*slotSize-1] },
		"nothing":  func([]byte) []byte { return nil },
		"nonsense": func(b []byte) []byte { return bytes.Repeat([]byte("rsblock1"), len(b)/8) },
	} {
		for _, path := range files {
			b, err := os.ReadFile(path)
			need.Must(t, err)
			if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
				t.Errorf("%s can be read by others: %v", path, st.Mode())
			}
			need.Must(t, os.WriteFile(path, spoil(b), 0o600))
		}
		if got := readNoise(t, s, name); got < blockSize {
			t.Errorf("%s: fetched %d bytes", what, got)
		}
		s.version = "2"
		readNoise(t, s, name)
		s.version = "1"
		if got := readNoise(t, s, name); got != 0 {
			t.Errorf("%s: not mended, fetched %d bytes", what, got)
		}
	}
	if len(*warned) > 0 {
		t.Error(*warned)
	}
}

// TestDiskCacheIsBounded checks that the least recently read objects are evicted, and that other files
// stay.
func TestDiskCacheIsBounded(t *testing.T) {
	s := &noise{version: "1"}
	Register("noise", s)
	dir := t.TempDir()
	need.Must(t, os.Chmod(dir, 0o700))
	other := filepath.Join(dir, "other")
	need.Must(t, os.WriteFile(other, make([]byte, 1<<20), 0o600))
	const limit = 20 * slotSize
	keepIn(t, dir, limit)
	names := strings.Split("abcdefghijkl", "")
	for _, n := range names {
		readNoise(t, s, "noise://"+n)
	}
	total := int64(0)
	files, _ := filepath.Glob(filepath.Join(dir, "*"+keptSuffix))
	for _, path := range files {
		st, err := os.Stat(path)
		need.Must(t, err)
		total += stored(st)
	}
	if total > limit+slotSize || total < limit/2 {
		t.Errorf("%d bytes in %d files, want up to %d", total, len(files), limit)
	}
	if got := readNoise(t, s, "noise://l"); got != 0 {
		t.Error("the newest object is gone")
	}
	if got := readNoise(t, s, "noise://a"); got == 0 {
		t.Error("the oldest object is still there")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// TestDiskCacheShared checks that concurrent readers of an object, and a folder that disappears, never
// cause wrong data.
func TestDiskCacheShared(t *testing.T) {
	s := &noise{version: "1"}
	Register("noise", s)
	dir := filepath.Join(t.TempDir(), "cache")
	keepIn(t, dir, 8*slotSize)
	var wait sync.WaitGroup
	for _, name := range []string{"noise://p", "noise://q", "noise://p"} {
		wait.Go(func() {
			for range 20 {
				readNoise(t, s, name)
			}
		})
	}
	wait.Wait()
	warned := keepIn(t, dir, 1<<30)
	need.Must(t, os.RemoveAll(dir))
	readNoise(t, s, "noise://r")
	readNoise(t, s, "noise://r")
	if len(*warned) != 1 || !errors.Is((*warned)[0], fs.ErrNotExist) {
		t.Errorf("warned %v", *warned)
	}
	if err := KeepIn(t.TempDir(), 1<<20, nil); err == nil {
		t.Error("a folder that others can read is used")
	}
}
