package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
)

// content returns bytes that differ from place to place.
func content(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b) // never fails
	return b
}

// TestStore checks that objects are written, found, listed and removed, with and without conditions.
func TestStore(t *testing.T) {
	b := bucket.Start(t)
	ctx := t.Context()
	for _, n := range []int{0, 10, 64 << 10, 64<<10 + 1, 40 << 20} {
		want := content(n)
		name := b.Address(fmt.Sprintf("a folder/%d.bag", n))
		written := int64(0)
		first, err := place.Put(ctx, name, bytes.NewReader(want), int64(n), place.PutOptions{New: true, Progress: func(n int64) { written = n }})
		if err != nil || written != int64(n) {
			t.Fatalf("%d bytes: %d written, %v", n, written, err)
		}
		if _, err := place.Put(ctx, name, strings.NewReader("x"), 1, place.PutOptions{New: true}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%d bytes: an object was replaced: %v", n, err)
		}
		if _, err := place.Put(ctx, name, strings.NewReader("x"), 1, place.PutOptions{Replaces: "0123"}); !errors.Is(err, place.ErrChanged) {
			t.Errorf("%d bytes: another version was replaced: %v", n, err)
		}
		f, err := place.Open(ctx, name)
		need.Must(t, err)
		got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()+1))
		if err != nil || !bytes.Equal(got, want) || f.Info().Version != first.Version {
			t.Errorf("%d bytes: read %d of version %s, %s was written: %v", n, len(got), f.Info().Version, first.Version, err)
		}
		f.Close()
	}
	var names []string
	for i, err := range place.List(ctx, b.Address("a folder/6")) {
		need.Must(t, err)
		names = append(names, fmt.Sprint(place.Base(i.Name), " ", i.Size))
	}
	if want := []string{"65536.bag 65536", "65537.bag 65537"}; !slices.Equal(names, want) {
		t.Errorf("listed %q", names)
	}
	name := b.Address("a folder/10.bag")
	for range 2 {
		if err := place.Remove(ctx, name); err != nil {
			t.Error(err)
		}
	}
	if _, err := place.Stat(ctx, name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed object: %v", err)
	}
}

// TestWithoutETag checks that a file put directly into the server's folder has a version, too.
func TestWithoutETag(t *testing.T) {
	b := bucket.Start(t)
	path, name := filepath.Join(b.Folder, "x.bag"), b.Address("x.bag")
	write := func(n int) {
		need.Must(t, os.WriteFile(path, content(n), 0o600))
	}
	write(1 << 20)
	f, err := place.Open(t.Context(), name)
	need.Must(t, err)
	defer f.Close()
	for i, err := range place.List(t.Context(), name) {
		if err != nil || i.Version == "" || i.Version != f.Info().Version {
			t.Errorf("listed %+v, open %+v: %v", i, f.Info(), err)
		}
	}
	p := make([]byte, 10)
	if _, err := f.ReadAt(p, 500_000); err != nil || !bytes.Equal(p, content(1 << 20)[500_000:500_010]) {
		t.Error(err)
	}
	write(1<<20 + 1)
	if _, err := f.ReadAt(p, 900_000); !errors.Is(err, place.ErrChanged) {
		t.Errorf("a replaced file: %v", err)
	}
}

// TestFaults checks that a transient fault is survived, and that a persistent one is an error without
// credentials.
func TestFaults(t *testing.T) {
	b := bucket.Start(t)
	want := content(1 << 20)
	path := filepath.Join(t.TempDir(), "a.bag")
	need.Must(t, os.WriteFile(path, want, 0o600))
	name := ""
	read := func() error {
		f, err := place.Open(t.Context(), name)
		if err != nil {
			return err
		}
		defer f.Close()
		got := make([]byte, 300_000)
		_, err = f.ReadAt(got, 500_000)
		if err == nil && !bytes.Equal(got, want[500_000:800_000]) {
			t.Error("wrong bytes")
		}
		return err
	}
	for fault, lasting := range map[bucket.Fault]error{bucket.Reset: nil, bucket.Busy: nil, bucket.Cut: nil, bucket.WrongRange: nil, bucket.Expired: fs.ErrPermission} {
		name = b.Put(fmt.Sprintf("%d.bag", fault), path)
		b.Inject(func(_ *http.Request, n int) bucket.Fault {
			if n == 2 {
				return fault
			}
			return bucket.None
		})
		if err := read(); !errors.Is(err, lasting) {
			t.Errorf("fault %d once: %v", fault, err)
		}
		b.Inject(nil)
	}
	b.Inject(nil)
	name = b.Put("a.bag", path)
	f, err := place.Open(t.Context(), name)
	need.Must(t, err)
	defer f.Close()
	want[0]++
	if _, err := place.Put(t.Context(), name, bytes.NewReader(want), int64(len(want)), place.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(make([]byte, 10), 900_000); !errors.Is(err, place.ErrChanged) || !errors.Is(place.Failed(f), place.ErrChanged) {
		t.Errorf("a changed object: %v", err)
	}
	b.Inject(func(*http.Request, int) bucket.Fault { return bucket.Expired })
	if err := read(); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), bucket.Secret) || strings.Contains(err.Error(), "Signature=") {
		t.Errorf("expired credentials: %v", err)
	}
}
