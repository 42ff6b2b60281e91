package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestUploadLive checks that the last file of a camera's recording is uploaded, too.
func TestUploadLive(t *testing.T) {
	b := bucket.Start(t)
	dir := t.TempDir()
	env := peer.Env(t, rig.Master(t).URI())
	peer.Run(t, env, peer.Program(t), "live", "--device", "sim", "--depth", "424x240@6", "--color", "off", "--infra1", "off", "--infra2", "off", "--duration", "1",
		"--record", filepath.Join(dir, "walk.bag"), "--upload", b.Address("robot"))
	peer.Run(t, env, peer.Program(t), "check", filepath.Join(b.Folder, "robot", "walk.bag"))
	if left, _ := filepath.Glob(filepath.Join(dir, "walk*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestUploadKilled checks that a recorder killed during an upload loses nothing. The next process sends
// what is missing, after an outage, and each file arrives unchanged.
func TestUploadKilled(t *testing.T) {
	b := bucket.Start(t)
	dir := t.TempDir()
	isPart := func(r *http.Request, n string) bool {
		return r.Method == http.MethodPut && r.URL.Query().Get("partNumber") == n && strings.HasSuffix(r.URL.Path, "/robot/walk_0.bag")
	}
	var inTheMidst atomic.Bool
	b.Inject(func(r *http.Request, _ int) bucket.Fault {
		if isPart(r, "3") {
			inTheMidst.Store(true)
			return bucket.Stall
		}
		return bucket.None
	})
	env := peer.Env(t, rig.Master(t).URI())
	recorder := peer.Start(t, env, peer.Program(t), "live", "--device", "sim", "--depth", "640x480@30", "--color", "off", "--record", filepath.Join(dir, "walk.bag"), "--split-size", "40M", "--upload", b.Address("robot"))
	sent := func() bool { // the recorder has noted that the first part arrived
		text, _ := os.ReadFile(filepath.Join(dir, "walk_0.bag.upload")) // it may not be there yet
		var state struct{ Resume []byte }
		var upload struct{ Parts map[int]any }
		return json.Unmarshal(text, &state) == nil && json.Unmarshal(state.Resume, &upload) == nil && upload.Parts[1] != nil
	}
	recorder.Await("an upload of which parts have arrived", func(string) bool { return inTheMidst.Load() && sent() })
	recorder.Signal(syscall.SIGKILL)
	recorder.Wait()
	bags := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(dir, "walk_*.bag"))
	if err != nil || len(names) < 2 {
		t.Fatalf("recorded %q: %v", names, err)
	}
	for _, name := range names {
		if bags[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	again := new(atomic.Int32)
	b.Inject(func(*http.Request, int) bucket.Fault { return bucket.Expired })
	rest := peer.Start(t, env, peer.Program(t), "upload", dir)
	peer.Await(t, "a failure", func() bool { return strings.Contains(rest.Stderr(), "upload failed") })
	b.Inject(func(r *http.Request, _ int) bucket.Fault {
		if isPart(r, "1") {
			again.Add(1)
		}
		return bucket.None
	})
	if code := rest.Wait(); code != 0 || strings.Contains(rest.Output(), bucket.Secret) {
		t.Fatalf("exit code %d: %s", code, rest.Output())
	}
	if n := again.Load(); n > 0 {
		t.Errorf("a part that had arrived was sent %d times again", n)
	}
	found := 0
	for info, err := range place.List(t.Context(), b.Address("robot/")) {
		need.Must(t, err)
		found++
		f, err := place.Open(t.Context(), info.Name)
		need.Must(t, err)
		got := make([]byte, f.Info().Size)
		if _, err := f.ReadAt(got, 0); err != nil || !bytes.Equal(got, bags[place.Base(info.Name)]) {
			t.Errorf("%s has %d bytes that weren't recorded: %v", info.Name, len(got), err)
		}
		f.Close()
	}
	left, _ := filepath.Glob(filepath.Join(dir, "walk*"))
	left = slices.DeleteFunc(left, func(name string) bool { // the last bag, if it has a tail
		bag, _, _ := strings.Cut(name, ".bag")
		tails, _ := filepath.Glob(bag + ".bag.tail-*")
		return len(tails) > 0
	})
	if found != len(bags) || len(left) > 0 {
		t.Errorf("%d files of %d arrived, left: %q", found, len(bags), left)
	}
}
