package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/proof"
	"rsros/bagstore/tools/verify"
	"rsros/test/signingkey"
)

// unproven is a complete bag whose log couldn't be written.
type unproven struct{ topicWriter }

func (unproven) Close() error { return fmt.Errorf("%w: no space", bagstore.ErrUnproven) }

// TestUnproven records into several files whose logs fail: all of them get their names, and only the result is an error.
func TestUnproven(t *testing.T) {
	dir := t.TempDir()
	s := &series[*topicFile]{log: zerolog.Nop(), base: filepath.Join(dir, "walk"), ext: ".bag", numbered: true}
	s.create = func(path string) (*topicFile, error) {
		return &topicFile{topicWriter: unproven{}, active: path + activeSuffix, final: path}, os.WriteFile(path+activeSuffix, nil, 0o600)
	}
	for range 3 {
		if err := s.next(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.end(); !errors.Is(err, bagstore.ErrUnproven) {
		t.Errorf("the recording ends with %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "walk_?.bag")); len(files) != 3 {
		t.Errorf("complete files: %v", files)
	}
}

func signingKey(t *testing.T) *proof.Key {
	t.Helper()
	secret, _ := signingkey.Pair(t)
	key, err := proof.ReadKey(secret, nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// signed checks that recordings are as they were signed, to their ends, and have signed roots next to them.
func signed(t *testing.T, key *proof.Key, paths ...string) {
	t.Helper()
	for _, path := range paths {
		rep, err := verify.File(t.Context(), path, verify.Options{Key: key.Public()})
		if err != nil {
			t.Error(err)
			continue
		}
		if !rep.Same() || !rep.Complete || rep.Messages == 0 {
			t.Errorf("%s: %+v", path, rep)
		}
		for _, file := range proof.Files(path) {
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestOverwriteSigned checks that an earlier recording and its log belong together until the new one replaces both.
func TestOverwriteSigned(t *testing.T) {
	dir, key := t.TempDir(), signingKey(t)
	path := filepath.Join(dir, "walk.bag")
	o := TopicOptions{Output: path, Bag: bagstore.Options{Sign: key, Overwrite: true}}
	var ids []string
	for range 2 {
		f, _ := files(t, o)
		id, err := f.cur.AddConnection(bagstore.Connection{Topic: "/x", Type: "std_msgs/Empty"})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.cur.Lend(id, 1e9, func() {}, []byte("message")); err != nil {
			t.Fatal(err)
		}
		if len(ids) > 0 {
			signed(t, key, path)
		}
		if rep, err := verify.File(t.Context(), path+activeSuffix, verify.Options{Key: key.Public()}); err != nil || !rep.Same() || rep.Complete {
			t.Errorf("while it is recorded: %+v, %v", rep, err)
		}
		finish(t, f)
		signed(t, key, path)
		p, err := proof.Open(t.Context(), proof.LogPath(path), key.Public())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, fmt.Sprint(p.ID))
		p.Close() //nolint:errcheck // read
		if names := listing(t, dir); names != "walk.bag walk.bag.proof walk.bag.root walk.bag.root.minisig" {
			t.Errorf("files: %s", names)
		}
	}
	if ids[0] == ids[1] {
		t.Error("the log is still that of the first recording")
	}
}

// TestOverwriteUnsigned checks that the log of an earlier recording goes with it, also if the new one has none, and that
// of one that was killed.
func TestOverwriteUnsigned(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "walk.bag")
	o := TopicOptions{Output: path, Bag: bagstore.Options{Sign: signingKey(t), Overwrite: true}}
	f, _ := files(t, o)
	finish(t, f)
	for _, file := range []string{path + activeSuffix, path + activeSuffix + proof.LogExt} {
		if err := os.WriteFile(file, []byte("of a killed recorder"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o.Bag.Sign = nil
	f, _ = files(t, o)
	if names := listing(t, dir); names != "walk.bag walk.bag.active walk.bag.proof walk.bag.root walk.bag.root.minisig" {
		t.Errorf("while it is recorded: %s", names)
	}
	finish(t, f)
	if names := listing(t, dir); names != "walk.bag" {
		t.Errorf("files: %s", names)
	}
}

// TestLogIsLeft checks that a recording doesn't get a name whose log, or root, is that of an earlier one, whether it is signed or not.
func TestLogIsLeft(t *testing.T) {
	for _, ext := range []string{proof.LogExt, proof.SignatureExt, activeSuffix + proof.LogExt} {
		for _, key := range []*proof.Key{nil, signingKey(t)} {
			path := filepath.Join(t.TempDir(), "walk.bag")
			if err := os.WriteFile(path+ext, []byte("of another"), 0o666); err != nil {
				t.Fatal(err)
			}
			f, _ := files(t, TopicOptions{Output: path, Bag: bagstore.Options{Sign: key}})
			finish(t, f)
			if f.paths[0] == path {
				t.Errorf("%s of another recording is next to a topic recording", ext)
			}
			if strings.HasPrefix(ext, activeSuffix) {
				continue // a camera's recording has no other name while it is written
			}
			s := newStudio(t, Options{Bag: bagstore.Options{Sign: key}})
			got, err := s.Start(path)
			s.must(err)
			s.raise(1)
			if _, err := s.Stop(); err != nil || got == path {
				t.Errorf("%s of another recording is next to a camera's %s, %v", ext, got, err)
			}
		}
	}
}
