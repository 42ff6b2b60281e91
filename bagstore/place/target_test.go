package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	need.Must(t, err)
	return string(b)
}

func text(s string) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.WriteString(s)
		return err
	}
}

// TestWrite checks that a file appears whole or not at all, and replaces another only if asked to.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	failed := errors.New("failed")
	if err := Write(t.Context(), path, false, func(f *os.File) error {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Error("the name is there before the file is whole")
		}
		return errors.Join(text("half")(f), failed)
	}); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	need.Must(t, Write(t.Context(), path, false, text("first")))
	if err := Write(t.Context(), path, false, text("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("replaced a file: %v", err)
	}
	if got := read(t, path); got != "first" {
		t.Errorf("the file holds %q", got)
	}
	if err := Write(t.Context(), path, true, text("third")); err != nil || read(t, path) != "third" {
		t.Errorf("overwriting: %v", err)
	}
}

// TestAppearedMeanwhile checks that a file that another program creates during the write stays.
func TestAppearedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	err := Write(t.Context(), path, false, func(f *os.File) error {
		need.Must(t, os.WriteFile(path, []byte("theirs"), 0o600))
		return text("ours")(f)
	})
	if !errors.Is(err, fs.ErrExist) || read(t, path) != "theirs" {
		t.Errorf("got %v, the file holds %q", err, read(t, path))
	}
	if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestLeftover checks that a killed program's file is replaced, and a running program's is not.
func TestLeftover(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	need.Must(t, os.WriteFile(path+Suffix, []byte("from a killed program"), 0o600))
	err := Write(t.Context(), path, false, func(f *os.File) error {
		if err := Write(t.Context(), path, true, text("second")); err == nil {
			t.Error("two programs write one file")
		}
		return text("whole")(f)
	})
	if err != nil || read(t, path) != "whole" {
		t.Errorf("got %v", err)
	}
}

// TestDiscardOfAnother checks that an error removes only what its own program has made.
func TestDiscardOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	failed := errors.New("failed")
	ours, err := Create(t.Context(), path, false)
	need.Must(t, err)
	need.Must(t, os.Remove(path+Suffix))
	theirs, err := New(path+Suffix, false)
	need.Must(t, err)
	if err := ours.Finish(failed); !errors.Is(err, failed) {
		t.Error(err)
	}
	if err := theirs.Gone(0); err != nil {
		t.Error(err)
	}
	if err := theirs.Finish(failed); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := os.Lstat(path + Suffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its own file: %v", err)
	}
}

// TestWriteFolder checks that a folder appears whole or not at all, and replaces nothing but what a
// killed program left.
func TestWriteFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	one := func(dir string) error { return Write(t.Context(), filepath.Join(dir, "a"), false, text("whole")) }
	failed := errors.New("failed")
	if err := WriteFolder(t.Context(), path, func(dir string) error { return errors.Join(one(dir), failed) }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	need.Must(t, os.Mkdir(path+Suffix, 0o700))
	kept := filepath.Join(path+Suffix, "mine")
	need.Must(t, os.WriteFile(kept, []byte("mine"), 0o600))
	if err := WriteFolder(t.Context(), path, one); !errors.Is(err, fs.ErrExist) || read(t, kept) != "mine" {
		t.Errorf("a folder of somebody else: %v", err)
	}
	need.Must(t, os.Rename(kept, filepath.Join(path+Suffix, unfinished)))
	need.Must(t, os.WriteFile(kept, []byte("complete"), 0o600))
	if err := WriteFolder(t.Context(), path+"/", one); err != nil || read(t, filepath.Join(path, "a")) != "whole" {
		t.Errorf("got %v", err)
	}
	if err := WriteFolder(t.Context(), path, one); !errors.Is(err, fs.ErrExist) {
		t.Errorf("replaced a folder: %v", err)
	}
	if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestFillFolder checks that a folder of somebody else isn't filled, and one of a program that failed is.
func TestFillFolder(t *testing.T) {
	dir := t.TempDir()
	fill := func(name string, err error) func() error {
		return func() error { return errors.Join(os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600), err) }
	}
	failed := errors.New("failed")
	if err := FillFolder(dir, fill("a", failed)); !errors.Is(err, failed) {
		t.Error(err)
	}
	if err := FillFolder(dir, func() error { return errors.Join(FillFolder(dir, fill("c", nil)), fill("b", nil)()) }); !errors.Is(err, ErrLocked) {
		t.Errorf("two programs fill one folder: %v", err)
	}
	if err := FillFolder(dir, fill("b", nil)); err != nil {
		t.Error(err)
	}
	if err := FillFolder(dir, fill("c", nil)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a complete folder: %v", err)
	}
	if list, err := os.ReadDir(dir); len(list) != 1 || list[0].Name() != "b" {
		t.Errorf("%v, %v", list, err)
	}
}

// TestFolderInUse checks that the folder of a running program isn't taken away.
func TestFolderInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	err := WriteFolder(t.Context(), path, func(dir string) error {
		return Write(t.Context(), filepath.Join(dir, "a"), false, func(f *os.File) error {
			if err := WriteFolder(t.Context(), path, func(string) error { return nil }); err == nil {
				t.Error("two programs write one folder")
			}
			return text("whole")(f)
		})
	})
	if err != nil || read(t, filepath.Join(path, "a")) != "whole" {
		t.Errorf("got %v", err)
	}
}

// TestAbandonedLink checks that a temporary file whose program was killed while it gave it its name keeps its content.
func TestAbandonedLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	need.Must(t, os.WriteFile(path+Suffix, []byte("whole"), 0o600))
	need.Must(t, os.Link(path+Suffix, path))
	f, err := Create(t.Context(), path, true)
	need.Must(t, err)
	defer f.Close()
	if got := read(t, path); got != "whole" {
		t.Errorf("the file holds %q", got)
	}
}

// TestAppear checks that a file can get its name while it is being written, and stays then whatever comes.
func TestAppear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	f, err := Create(t.Context(), path, false)
	need.Must(t, err)
	need.Must(t, errors.Join(text("first ")(f.File), f.Appear(), f.Gone(6), text("second")(f.File)))
	if !InUse(path) {
		t.Error("it isn't locked any more")
	}
	failed := errors.New("failed")
	if err := f.Finish(failed); !errors.Is(err, failed) || read(t, path) != "first second" {
		t.Errorf("%v; the file holds %q", err, read(t, path))
	}
}
