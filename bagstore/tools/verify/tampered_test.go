package verify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	// Without the root next to it, a log that was cut off is that of a recording that was killed, if the file header
	// names a section that it has.
	for _, file := range proof.Files(path)[1:] {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	for at := 0; at < len(whole); at += 31 {
		rep, err := try(whole[:at])
		switch {
		case err == nil && (rep.Complete || rep.Same() != (rep.Unproven == 0)):
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
	if rep, err := File(t.Context(), one, Options{Key: public}); err == nil || !strings.Contains(err.Error(), "another recording") {
		t.Errorf("the root next to it has another ID: %+v, %v", rep, err)
	}
	for _, file := range proof.Files(one)[1:] {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	rep := verified(t, one, public)
	if rep.Same() || rep.Recording != "two.bag" {
		t.Errorf("%+v", rep)
	}
	// With its bag, too, all is as signed, but under another name.
	if err := os.WriteFile(one, read(t, two), 0o666); err != nil {
		t.Fatal(err)
	}
	if rep = verified(t, one, public); !rep.Same() || !strings.Contains(rep.Note, "two.bag") {
		t.Errorf("%+v", rep)
	}
}

// TestTamperedRoot changes the root next to a recording, or its signature.
func TestTamperedRoot(t *testing.T) {
	key, public := testKey(t)
	path := filepath.Join(t.TempDir(), "walk.bag")
	writeBag(t, path, forms(key)["none"], 50)
	for _, file := range proof.Files(path)[1:] {
		whole := read(t, file)
		if err := os.WriteFile(file, bytes.Replace(whole, []byte("1"), []byte("2"), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		if rep, err := File(t.Context(), path, Options{Key: public}); !errors.Is(err, proof.ErrSignature) {
			t.Errorf("%s: %+v, %v", file, rep, err)
		}
		if err := os.WriteFile(file, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if rep := verified(t, path, public); !rep.Same() || rep.Note != "" {
		t.Errorf("%+v", rep)
	}
	// A file that isn't a root is never replaced by one.
	if err := WriteRoot(t.Context(), proof.LogPath(path), path, public); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a root replaces the recording: %v", err)
	}
	if err := WriteRoot(t.Context(), proof.LogPath(path), proof.Files(path)[1], public); err != nil {
		t.Error(err)
	}
	if rep := verified(t, path, public); !rep.Same() {
		t.Errorf("%+v", rep)
	}
}

// TestCutLog cuts a log off after its first root: the file header then names a section that isn't signed.
func TestCutLog(t *testing.T) {
	key, public := testKey(t)
	path := filepath.Join(t.TempDir(), "walk.bag")
	writeBag(t, path, forms(key)["none"], 50)
	log := proof.LogPath(path)
	whole, size := read(t, log), len("#RSPROOF 1\n")
	for kind := byte(0); kind != 'R'; {
		kind = whole[size]
		size += 5 + int(binary.LittleEndian.Uint32(whole[size+1:]))
	}
	for _, file := range proof.Files(path)[1:] {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(log, whole[:size], 0o666); err != nil {
		t.Fatal(err)
	}
	rep := verified(t, path, public)
	if rep.Complete || rep.Messages > 0 || len(rep.Differences) != 1 || rep.Differences[0].What != "file header" || rep.Unproven == 0 {
		t.Errorf("%+v", rep)
	}
	// Nor is an empty file the beginning of a recording.
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if rep := verified(t, path, public); rep.Same() {
		t.Errorf("%+v", rep)
	}
}

// TestManySections compares a file with more index sections than a recorder writes: what is kept of them is bounded.
func TestManySections(t *testing.T) {
	key, public := testKey(t)
	path := filepath.Join(t.TempDir(), "walk.bag")
	list := writeBag(t, path, forms(key)["none"], 1)
	l := layoutOf(t, path, public, list)
	last, b := l.sections[len(l.sections)-1], read(t, path)
	section := b[last.pos:last.end]
	if err := os.WriteFile(path, append(b, bytes.Repeat(section, maxStray+100)...), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := openSource(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	w := newWhole(t.Context(), nil, s, new(Report), nil)
	found, err := w.scan(nil, last.pos, s.size)
	if end := len(found) - 1; err != nil || end != maxStray || found[end].kind != 0 || found[end].end != s.size {
		t.Errorf("%d elements, %v", len(found), err)
	}
	if rep := verified(t, path, public); rep.Same() {
		t.Errorf("%+v", rep)
	}
}
