package place

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

// memory is a store whose Put fails for names that contain "refused".
type memory map[string]string

var errRefused = errors.New("refused")

type inMemory struct {
	info Info
	text string
}

func (o inMemory) Info() Info { return o.info }

func (o inMemory) Range(_ context.Context, off, n int64) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(o.text[off : off+n])), nil
}

func (m memory) Open(_ context.Context, name string) (Object, error) {
	text, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return inMemory{Info{Name: name, Size: int64(len(text))}, text}, nil
}

func (m memory) List(_ context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if strings.HasPrefix(name, prefix) && !yield(Info{Name: name, Size: int64(len(m[name]))}, nil) {
				return
			}
		}
	}
}

func (m memory) Put(ctx context.Context, name string, body io.ReaderAt, size int64, o PutOptions) (Info, error) {
	if _, there := m[name]; there && o.New {
		return Info{}, taken(name)
	}
	if strings.Contains(name, "refused") {
		return Info{}, errRefused
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.NewSectionReader(Until(ctx, body), 0, size)); err != nil {
		return Info{}, err
	}
	if path.Base(name) == "metadata.yaml" && len(m) < 2 {
		return Info{}, errors.New("the description is put first")
	}
	m[name] = b.String()
	return Info{Name: name, Size: size}, nil
}

func (m memory) Remove(_ context.Context, name string) error {
	delete(m, name)
	return nil
}

// newMemory registers a store, and also returns the folder of temporary files.
func newMemory(t *testing.T) (memory, string) {
	t.Helper()
	m, dir := memory{}, t.TempDir()
	Register("memory", m)
	SetTemp(dir)
	t.Cleanup(func() {
		tempFolder.Store(nil)
		if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return m, dir
}

// unsent removes the only output that couldn't be uploaded, and returns what a file of it has.
func unsent(t *testing.T, temp, file string, err error) string {
	t.Helper()
	list, _ := filepath.Glob(filepath.Join(temp, "*", "unsent-*", "*"))
	if len(list) != 1 || !strings.HasSuffix(err.Error(), list[0]) {
		t.Fatalf("%v: %v", list, err)
	}
	dir := filepath.Dir(list[0])
	defer os.RemoveAll(dir) //nolint:errcheck // found at the end
	return read(t, filepath.Join(dir, file))
}

// TestWriteObject is TestWrite for an address.
func TestWriteObject(t *testing.T) {
	m, dir := newMemory(t)
	const name = "memory://bucket/x"
	failed := errors.New("failed")
	if err := Write(t.Context(), name, false, func(f *os.File) error {
		if st, err := os.Stat(filepath.Dir(f.Name())); err != nil || st.Mode().Perm()&0o077 != 0 || !strings.HasPrefix(f.Name(), dir) {
			t.Errorf("%s: %v, %v", f.Name(), st, err)
		}
		if err := Write(t.Context(), name, true, text("second")); err == nil {
			t.Error("two programs write one object")
		}
		return errors.Join(text("half")(f), failed)
	}); !errors.Is(err, failed) || len(m) > 0 {
		t.Errorf("got %v, %v", err, m)
	}
	if err := Write(t.Context(), name, false, text("first")); err != nil || m[name] != "first" {
		t.Fatal(err, m)
	}
	if err := Write(t.Context(), name, false, text("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("replaced an object: %v", err)
	}
	if err := Write(t.Context(), name, true, text("third")); err != nil || m[name] != "third" {
		t.Errorf("overwriting: %v", err)
	}
	if err := Write(t.Context(), "memory://bucket/refused", false, text("x")); !errors.Is(err, errRefused) || unsent(t, dir, "refused", err) != "x" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Write(ctx, "memory://bucket/y", false, func(f *os.File) error {
		cancel()
		return text("y")(f)
	}); !errors.Is(err, context.Canceled) || len(m) != 1 || unsent(t, dir, "y", err) != "y" {
		t.Errorf("got %v, %v", err, m)
	}
	if err := Write(t.Context(), "gopher://bucket/y", true, text("y")); !errors.Is(err, ErrScheme) {
		t.Error(err)
	}
	appeared := "memory://bucket/z"
	if err := Write(t.Context(), appeared, false, func(f *os.File) error {
		m[appeared] = "theirs"
		return text("ours")(f)
	}); !errors.Is(err, fs.ErrExist) || m[appeared] != "theirs" || unsent(t, dir, "z", err) != "ours" {
		t.Error(err, m)
	}
}

// TestTempOfOthers checks that content isn't written to a folder that others can read.
func TestTempOfOthers(t *testing.T) {
	_, dir := newMemory(t)
	name, err := temporary("memory://bucket/x")
	if err != nil || !strings.HasPrefix(name, dir) {
		t.Fatal(name, err)
	}
	need.Must(t, os.Chmod(filepath.Dir(name), 0o755))
	if err := Write(t.Context(), "memory://bucket/x", false, text("x")); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

// TestWriteFolderOfObjects checks that a folder at an address has all its files or none, and that the
// file that describes it is written last.
func TestWriteFolderOfObjects(t *testing.T) {
	m, temp := newMemory(t)
	const name = "memory://bucket/walk"
	fill := func(files ...string) func(string) error {
		return func(dir string) error {
			for _, file := range files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(file), 0o600); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if err := WriteFolder(t.Context(), name, fill("a", "refused/b", "c")); !errors.Is(err, errRefused) || len(m) > 0 || unsent(t, temp, "walk/refused/b", err) != "refused/b" {
		t.Errorf("%v, %v", err, m)
	}
	if err := WriteFolder(t.Context(), name, fill("b", "manifest.json", "refused", "a")); !errors.Is(err, errRefused) || len(m) > 0 || unsent(t, temp, "walk/a", err) != "a" {
		t.Errorf("%v, %v", err, m)
	}
	if err := WriteFolder(t.Context(), name+"/", fill("walk_0.db3", "metadata.yaml", "a/b")); err != nil || len(m) != 3 || m[name+"/a/b"] != "a/b" {
		t.Errorf("%v, %v", err, m)
	}
	if err := WriteFolder(t.Context(), name, fill("b")); !errors.Is(err, fs.ErrExist) || len(m) != 3 {
		t.Errorf("%v, %v", err, m)
	}
	// After a kill, a part is there, with the mark.
	clear(m)
	m[name+"/a"], m[name+"/"+unfinished] = "a", "x"
	if err := WriteFolder(t.Context(), name, fill("a", "b", "refused", "manifest.json")); !errors.Is(err, errRefused) || len(m) != 2 || m[name+"/a"] != "a" || unsent(t, temp, "walk/b", err) != "b" {
		t.Errorf("%v, %v", err, m)
	}
	if err := WriteFolder(t.Context(), name, fill("a", "b", "manifest.json")); err != nil || len(m) != 3 || m[name+"/"+unfinished] != "" {
		t.Errorf("%v, %v", err, m)
	}
	clear(m)
	m[name+"/a"], m[name+"/"+unfinished] = "another", "x"
	if err := WriteFolder(t.Context(), name, fill("a", "b", "manifest.json")); !errors.Is(err, fs.ErrExist) || len(m) != 2 || m[name+"/a"] != "another" || unsent(t, temp, "walk/a", err) != "a" {
		t.Errorf("%v, %v", err, m)
	}
}

// meddled is a store in which something happens before an object is put.
type meddled struct {
	memory
	before func(name string)
}

func (m *meddled) Put(ctx context.Context, name string, body io.ReaderAt, size int64, o PutOptions) (Info, error) {
	if do := m.before; do != nil && path.Base(name) == "b" {
		m.before = nil
		do(name)
	}
	return m.memory.Put(ctx, name, body, size, o)
}

// TestTwoUploads lets a second program find the mark while a first one is uploading the folder.
func TestTwoUploads(t *testing.T) {
	m := &meddled{memory: memory{}}
	Register("memory", m)
	const name = "memory://bucket/walk"
	folder := func(files ...string) string {
		dir := t.TempDir()
		for _, file := range files {
			need.Must(t, os.WriteFile(filepath.Join(dir, file), []byte(file), 0o600))
		}
		return dir
	}
	for _, test := range []struct {
		what          string
		first, second []string
		want          error
	}{
		{"the same files", []string{"a", "b", "c", "manifest.json"}, []string{"a", "b", "c", "manifest.json"}, nil},
		{"the first one fails later", []string{"a", "b", "refused", "manifest.json"}, []string{"a", "b", "manifest.json"}, errRefused},
		{"the second one has more files", []string{"a", "b", "metadata.yaml"}, []string{"a", "b", "manifest.json", "metadata.yaml"}, nil},
	} {
		clear(m.memory)
		m.before = func(string) {
			if err := uploadFolder(t.Context(), folder(test.second...), name, true); err != nil {
				t.Errorf("%s: the second program: %v", test.what, err)
			}
		}
		if err := uploadFolder(t.Context(), folder(test.first...), name, false); !errors.Is(err, test.want) {
			t.Errorf("%s: the first program: %v", test.what, err)
		}
		for _, file := range test.second {
			if m.memory[name+"/"+file] != file {
				t.Errorf("%s: %s isn't there: %v", test.what, file, m.memory)
			}
		}
		if len(m.memory) != len(test.second) {
			t.Errorf("%s: %v", test.what, m.memory)
		}
	}
	// Another program's file of the same name isn't a reason to remove what a third one may have found.
	clear(m.memory)
	m.before = func(to string) { m.memory[to] = "another" }
	if err := uploadFolder(t.Context(), folder("a", "b"), name, false); !errors.Is(err, fs.ErrExist) || m.memory[name+"/a"] != "a" || m.memory[name+"/"+unfinished] == "" {
		t.Errorf("%v, %v", err, m.memory)
	}
	// Files that a second program found, and the first one removed before the end.
	clear(m.memory)
	m.memory[name+"/a"], m.memory[name+"/"+unfinished] = "a", "x"
	m.before = func(string) { delete(m.memory, name+"/a") }
	if err := uploadFolder(t.Context(), folder("a", "b"), name, true); !errors.Is(err, fs.ErrNotExist) || m.memory[name+"/"+unfinished] == "" {
		t.Errorf("%v, %v", err, m.memory)
	}
}
