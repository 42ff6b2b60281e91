package verify

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore/proof"
)

// TestTamperedLog changes the log: nothing that wasn't signed is believed.
func TestTamperedLog(t *testing.T) {
	key, public := testKey(t)
	path := filepath.Join(t.TempDir(), "walk.bag")
	list := writeBag(t, path, forms(key)["none"], 50)
	log := proof.LogPath(path)
	whole := read(t, log)
	try := func(b []byte) (*Report, error) {
		t.Helper()
		if err := os.WriteFile(log, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return File(t.Context(), path, Options{Key: public})
	}
	for at := 0; at < len(whole); at += 23 {
		b := bytes.Clone(whole)
		b[at] ^= 0x11
		rep, err := try(b)
		if err == nil && (!rep.Complete || rep.Messages != uint64(len(list)) || !rep.Same()) {
			t.Fatalf("byte %d: a log that was changed proves %+v", at, rep)
		}
	}
	// Without the root beside it, a log that was cut off is that of a recording that was killed.
	for _, file := range proof.Files(path)[1:] {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	for at := 0; at < len(whole); at += 31 {
		rep, err := try(whole[:at])
		switch {
		case err == nil && (rep.Complete || !rep.Same()):
			t.Fatalf("%d bytes of the log prove %+v", at, rep)
		case err != nil && !errors.Is(err, proof.ErrSignature) && at > 20:
			t.Fatalf("%d bytes: %v", at, err)
		}
	}
	if _, err := try(nil); err == nil {
		t.Error("an empty log proves something")
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if _, err := File(t.Context(), path, Options{Key: public}); !errors.Is(err, proof.ErrNone) {
		t.Errorf("without a log: %v", err)
	}
}

// TestOtherKey verifies a recording with the key of somebody else.
func TestOtherKey(t *testing.T) {
	key, _ := testKey(t)
	_, other := testKey(t)
	path := filepath.Join(t.TempDir(), "walk.bag")
	writeBag(t, path, forms(key)["none"], 50)
	if _, err := File(t.Context(), path, Options{Key: other}); !errors.Is(err, proof.ErrSignature) {
		t.Error(err)
	}
}

// TestSwappedLogs gives a recording the log of another one by the same key.
func TestSwappedLogs(t *testing.T) {
	key, public := testKey(t)
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.bag"), filepath.Join(dir, "two.bag")
	writeBag(t, one, forms(key)["none"], 50)
	writeBag(t, two, forms(key)["none"], 90)
	if err := os.WriteFile(proof.LogPath(one), read(t, proof.LogPath(two)), 0o666); err != nil {
		t.Fatal(err)
	}
	rep := verified(t, one, public)
	if rep.Same() || rep.Recording != "two.bag" {
		t.Errorf("%+v", rep)
	}
}
