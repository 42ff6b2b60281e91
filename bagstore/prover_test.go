package bagstore

import (
	"errors"
	"path/filepath"
	"testing"

	"rsros/bagstore/proof"
	"rsros/test/signingkey"
)

// TestUnproven lets the log fail: the bag is complete, and Close returns ErrUnproven.
func TestUnproven(t *testing.T) {
	secret, _ := signingkey.Pair(t)
	key, err := proof.ReadKey(secret, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "walk.bag")
	w, err := Create(path, Options{Sign: key, Checkpoint: -1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddConnection(Connection{Topic: "/a", Type: "test/A"}); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if i == 10 {
			if err := w.c.prover.log.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Write(0, Time(i+1)*1e9, make([]byte, 100)), w.Checkpoint()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); !errors.Is(err, ErrUnproven) {
		t.Errorf("Close returns %v", err)
	}
	if r, err := Check(t.Context(), path, CheckOptions{}); err != nil || r.Outcome != Sound || r.Messages != 20 {
		t.Errorf("%+v, %v", r, err)
	}
}
