package place

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/program/localfile"
	"rsros/test/need"
)

// TestFolders checks that a folder is a store like any other.
func TestFolders(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	name := Join(dir, "a/b", "one.txt")
	put := func(text string, o PutOptions) (Info, error) {
		return Put(ctx, name, strings.NewReader(text), int64(len(text)), o)
	}
	first, err := put("first", PutOptions{New: true})
	need.Must(t, err)
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
	need.Must(t, err)
	defer f.Close()
	p := make([]byte, 3)
	if _, err := f.ReadAt(p, 3); err != nil || string(p) != "ond" || OnDisk(f) == nil || f.Info() != second {
		t.Errorf("%q, %+v, %v", p, f.Info(), err)
	}
	var names []string
	for i, err := range List(ctx, dir) {
		need.Must(t, err)
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
	if _, err := Stat(ctx, dir); !errors.Is(err, localfile.ErrNotRegular) {
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
	for name, hint := range map[string]string{"gopher://host/walk.bag": "this program has: ", "gs://b/walk.bag": "AWS_ENDPOINT_URL", "azblob://b/walk.bag": "https://"} {
		if _, err := Open(t.Context(), name); !errors.Is(err, ErrScheme) || !strings.Contains(err.Error(), hint) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRedact checks that a redacted name has no secret, stands for its own address only, and finds
// files next to it.
func TestRedact(t *testing.T) {
	for _, c := range []struct{ address, name, wal string }{
		{"https://h/a/walk.bag?sig=1", "https://…@h/a/walk.bag", "https://h/a/x-wal?sig=1"},
		{"https://h/a/walk.bag?sig=2", "https://…2@h/a/walk.bag", "https://h/a/x-wal?sig=2"},
		{"https://h/a/walk.bag?sig=1", "https://…@h/a/walk.bag", "https://h/a/x-wal?sig=1"},
		{"HTTP://user:pw@h/b/walk.bag", "http://…@h/b/walk.bag", "HTTP://user:pw@h/b/x-wal"},
		{"http://user:pw@[::1/walk.bag?sig", "http://…", "http://user:pw@[::1/x-wal?sig"},
		{"http://h/a@b.bag", "http://h/a@b.bag", "http://h/x-wal"}, {"s3://b/what?.bag", "s3://b/what?.bag", "s3://b/x-wal"}, {"a?b.bag", "a?b.bag", "x-wal"},
	} {
		name := Redact(c.address)
		if name != c.name || Redact(name) != name || secretURL(name) != c.address || secretURL(Sibling(name, "x-wal")) != c.wal {
			t.Errorf("%s: %s, address %s, sibling %s", c.address, name, secretURL(name), secretURL(Sibling(name, "x-wal")))
		}
		if strings.HasPrefix(c.name, "https:") && Base(name) != "walk.bag" {
			t.Errorf("%s: base %s", name, Base(name))
		}
	}
}

// growing is a store with one object whose size differs at each opening while its version stays.
type growing struct {
	Store
	size *int
}

type grown struct{ text string }

// TestSizes checks that sizes with which offsets would overflow are refused at once.
func TestSizes(t *testing.T) {
	for _, size := range []int64{math.MaxInt64, math.MinInt64, -1} {
		Register("sized", sized{size: size})
		if _, err := Open(t.Context(), "sized://x"); !errors.Is(err, ErrUnusable) {
			t.Errorf("open %d bytes: %v", size, err)
		}
		for _, err := range List(t.Context(), "sized://") {
			if !errors.Is(err, ErrUnusable) {
				t.Errorf("list %d bytes: %v", size, err)
			}
		}
	}
	Register("sized", sized{size: maxSize})
	f, err := Open(t.Context(), "sized://x")
	need.Must(t, err)
	defer f.Close()
	if !f.Has(maxSize, math.MaxInt64) || f.Has(1, math.MaxInt64) {
		t.Error("has what isn't there, or not what is")
	}
}

// sized is a store with one object without content.
type sized struct {
	Store
	Object
	size int64
}

func (s sized) Open(context.Context, string) (Object, error) { return s, nil }

func (s sized) Info() Info { return Info{Name: "sized://x", Size: s.size} }

func (s sized) List(context.Context, string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) { yield(s.Info(), nil) }
}

func (g growing) Open(context.Context, string) (Object, error) {
	*g.size += 100
	return grown{strings.Repeat("x", *g.size)}, nil
}

func (g grown) Info() Info {
	return Info{Name: "growing://x", Size: int64(len(g.text)), Version: "1"}
}

func (g grown) Range(_ context.Context, off, n int64) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(g.text[off : off+n])), nil
}

// TestSizeOfAnotherVersion checks that a store that doesn't distinguish versions of an object can't
// make a read wait forever.
func TestSizeOfAnotherVersion(t *testing.T) {
	Register("growing", growing{size: new(int)})
	for range 3 {
		f, err := Open(t.Context(), "growing://x")
		need.Must(t, err)
		defer f.Close()
		if text, err := io.ReadAll(io.NewSectionReader(f, 0, f.Info().Size)); err != nil || int64(len(text)) != f.Info().Size {
			t.Errorf("%d bytes of %d: %v", len(text), f.Info().Size, err)
		}
	}
}
