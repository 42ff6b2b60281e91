package upload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"rsros/bagstore/place"
)

// TestProofs checks that what proves a recording is uploaded with it, and removed when everything is safe.
func TestProofs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		path := filepath.Join(dir, "walk.bag")
		for _, ext := range []string{".proof", ".root", ".root.minisig"} {
			write(t, path+ext, "of walk"+ext)
		}
		s.onPut(func(name string, _ place.PutOptions) error {
			if !strings.HasSuffix(name, ".root") {
				return nil
			}
			if left := names(t, dir); len(left) != 5 {
				t.Errorf("while a proof is sent, there is %q", left)
			}
			if s.puts[name] == 0 {
				s.puts[name]++
				return errors.New("no route to host")
			}
			return nil
		})
		q := begun(t, Options{Wait: lastPause}, dir)
		q.record(t, path, "walk")
		q.Close()
		s.want(t, map[string]string{
			"queue://bucket/robot/walk.bag": "walk", "queue://bucket/robot/walk.bag.proof": "of walk.proof",
			"queue://bucket/robot/walk.bag.root": "of walk.root", "queue://bucket/robot/walk.bag.root.minisig": "of walk.root.minisig",
		})
		if s.puts["queue://bucket/robot/walk.bag"] != 1 || s.puts["queue://bucket/robot/walk.bag.proof"] != 1 {
			t.Errorf("sent again: %v", s.puts)
		}
		if left := names(t, dir); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// TestProofOfAnother gives the address of a log to that of another recording: all names get the time.
func TestProofOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		s.objects["queue://bucket/robot/walk.bag.proof"] = "of another"
		path := filepath.Join(dir, "walk.bag")
		write(t, path+".proof", "of walk")
		q := begun(t, Options{Wait: lastPause, Keep: true}, dir)
		q.record(t, path, "walk")
		q.Close()
		if len(s.objects) != 3 || s.objects["queue://bucket/robot/walk.bag.proof"] != "of another" {
			t.Fatalf("objects: %v", s.objects)
		}
		for name, text := range s.objects {
			if text == "walk" && s.objects[name+".proof"] != "of walk" {
				t.Errorf("%s has no proof: %v", name, s.objects)
			}
		}
		if _, err := os.Stat(path + ".proof"); err != nil || len(names(t, dir)) != 2 {
			t.Errorf("kept %q, %v", names(t, dir), err)
		}
	})
}
