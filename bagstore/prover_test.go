package bagstore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"aead.dev/minisign"

	"rsros/bagstore/proof"
)

// TestUnproven lets the log fail: the bag is complete, and Close returns ErrUnproven.
func TestUnproven(t *testing.T) {
	_, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := private.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := proof.ReadKey(file, nil)
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
