//go:build unix

package rosbag

import (
	"errors"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/test/need"
)

// TestOutputIsHeld checks that nobody can remove a complete bag before it has its name.
func TestOutputIsHeld(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bag")
	w, err := CreateOutput(t.Context(), out, bagstore.Options{})
	need.Must(t, err)
	need.Must(t, w.Close())
	if _, err := place.Create(t.Context(), out, true); !errors.Is(err, bagstore.ErrLocked) {
		t.Errorf("created by another one: %v", err)
	}
	if err := w.Finish(nil); err != nil {
		t.Error(err)
	}
	b, err := Open(out, bagstore.OpenOptions{})
	need.Must(t, err)
	b.Close()
	again, err := place.Create(t.Context(), out, true)
	if err != nil {
		t.Fatalf("it is still held: %v", err)
	}
	failed := errors.New("failed")
	if err := again.Finish(failed); !errors.Is(err, failed) {
		t.Error(err)
	}
}
