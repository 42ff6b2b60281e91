package rosbag

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// copyBag copies the messages of a bag to a new one and returns their number.
func copyBag(t *testing.T, in, out string) uint64 {
	t.Helper()
	b := openBag(t, in, bagstore.OpenOptions{Sequential: true})
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	w, err := CreateOutput(t.Context(), out, bagstore.Options{})
	need.Must(t, err)
	it := v.Iterator()
	defer it.Close()
	for err == nil && it.Next() {
		err = w.Copy(it.Message(), it.Message().Time)
	}
	need.Must(t, w.Finish(errors.Join(err, it.Err())))
	return w.Stats().Messages
}

// TestOutput checks that a bag gets its name only when it is whole, and that an error leaves no file.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.bag"), filepath.Join(dir, "out.bag")
	want := small.write(t, in, bagstore.Options{Compression: bagstore.LZ4})
	copyBag(t, in, out)
	everywhere(t, out, want)
	gone := filepath.Join(dir, "gone.bag")
	w, err := CreateOutput(t.Context(), gone, bagstore.Options{})
	need.Must(t, err)
	small.feed(t, w.Writer)
	reason := errors.New("a reason")
	if err := w.Finish(reason); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
	if list, _ := filepath.Glob(gone + "*"); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

// TestCancelled checks that operations on whole files end with their context and leave no file.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.bag"), filepath.Join(dir, "out.bag")
	small.write(t, in, bagstore.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Recover(ctx, in, out, bagstore.RecoverOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Recover: %v", err)
	}
	if _, err := checkFile(ctx, in, bagstore.CheckOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Check: %v", err)
	}
	if list, _ := filepath.Glob(out + "*"); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

// checkFile is [File.Check] for a path.
func checkFile(ctx context.Context, path string, o bagstore.CheckOptions) (*bagstore.CheckReport, error) {
	b, err := Open(path, bagstore.OpenOptions{Context: ctx, Sequential: true})
	if err != nil {
		return &bagstore.CheckReport{Path: path, Outcome: bagstore.Unreadable}, err
	}
	defer b.Close()
	return FileOf(b).Check(ctx, o)
}
