package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/proof"
	"rsros/test/bucket"
	"rsros/test/signingkey"
)

// signedBag writes a bag as record --sign does.
func signedBag(t *testing.T, path, secret string) {
	t.Helper()
	key, err := proof.ReadKey(secret, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := bagstore.Create(path, bagstore.Options{Sign: key, ChunkSize: 4000})
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range []string{"/a", "/b"} {
		if _, err := w.AddConnection(bagstore.Connection{Topic: topic, Type: "std_msgs/String", MD5: "992ce8a1687cec8c8bd883ec73ca41d1", Definition: "string data\n"}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 200 {
		data := append([]byte{100, 0, 0, 0}, make([]byte, 100)...)
		data[50] = byte(i)
		if err := w.Write(uint32(i%2), bagstore.Time(i+1)*1e9, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyInBucket verifies a bag and a part of it at addresses, whose logs are next to them. What can't be read is
// neither verified nor different.
func TestVerifyInBucket(t *testing.T) {
	secret, public := signingkey.Pair(t)
	dir, b := t.TempDir(), bucket.Start(t)
	walk, cut := filepath.Join(dir, "walk.bag"), filepath.Join(dir, "cut.bag")
	signedBag(t, walk, secret)
	want(t, exitOK, "filter", walk, cut, "--start", "33.5", "--end", "150.5")
	for _, path := range proof.Files(walk) {
		b.Put(filepath.Base(path), path)
	}
	walkAt, cutAt := b.Put("walk.bag", walk), b.Put("cut.bag", cut)
	want(t, exitOK, "verify", "--key", public, walkAt)
	want(t, exitOK, "verify", "--key", public, "--part-of", walkAt, cutAt, cut)
	want(t, exitOK, "verify", "--key", public, "--part-of", walkAt+proof.LogExt, cutAt)
	want(t, exitFailed, "verify", "--key", public, cutAt) // it has no log

	for first := 1; ; first++ {
		b.Inject(nil)
		name := fmt.Sprintf("%d.bag", first) // nothing of it is in the cache
		at := b.Put(name, walk)
		b.Put(name+proof.LogExt, proof.LogPath(walk))
		b.Inject(func(_ *http.Request, n int) bucket.Fault {
			if n >= first {
				return bucket.Expired
			}
			return bucket.None
		})
		code, stdout, stderr := command(t, "verify", "--key", public, at)
		if code == exitOK && first > 1 {
			break
		}
		if code != exitFailed || !strings.Contains(stderr, "ExpiredToken") || strings.Contains(stdout, "difference") {
			t.Fatalf("from request %d: exit code %d\n%s%s", first, code, stdout, stderr)
		}
	}
	b.Inject(nil)

	data, err := os.ReadFile(walk)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(walk, data, 0o666); err != nil {
		t.Fatal(err)
	}
	b.Put("walk.bag", walk)
	want(t, exitIncomplete, "verify", "--key", public, walkAt)
}

// TestVerify runs verify on a signed bag, on parts that the commands make of it, and on changed ones.
func TestVerify(t *testing.T) {
	secret, public := signingkey.Pair(t)
	dir := t.TempDir()
	walk, cut, changed := filepath.Join(dir, "walk.bag"), filepath.Join(dir, "cut.bag"), filepath.Join(dir, "changed.bag")
	signedBag(t, walk, secret)
	want(t, exitOK, "verify", "--key", public, walk)
	want(t, exitOK, "verify", "--key", public, "--json", walk)
	want(t, exitUsage, "verify", walk)
	want(t, exitUsage, "verify", "--key", public, "-")
	_, other := signingkey.Pair(t)
	want(t, exitFailed, "verify", "--key", other, walk)
	want(t, exitFailed, "verify", "--key", walk, walk)

	want(t, exitOK, "filter", walk, cut, "--start", "33.5", "--end", "150.5")
	want(t, exitFailed, "verify", "--key", public, cut) // it has no log
	want(t, exitOK, "verify", "--key", public, "--part-of", walk, cut)
	want(t, exitOK, "filter", walk, cut, "--topics", "/a", "--overwrite")
	want(t, exitOK, "verify", "--key", public, "--part-of", proof.LogPath(walk), cut)
	want(t, exitOK, "split", walk, "--duration", "70s")
	parts, err := filepath.Glob(filepath.Join(dir, "walk_*.bag"))
	if err != nil || len(parts) != 3 {
		t.Fatal(parts, err)
	}
	want(t, exitOK, append([]string{"verify", "--key", public, "--part-of", walk}, parts...)...)
	want(t, exitOK, append(append([]string{"merge", "-o", changed}, parts...), "--lz4")...)
	want(t, exitOK, "verify", "--key", public, "--part-of", walk, changed)

	b, err := os.ReadFile(walk)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	for _, path := range []string{walk, changed} {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want(t, exitIncomplete, "verify", "--key", public, walk)
	want(t, exitIncomplete, "verify", "--key", public, "--part-of", walk, changed)
}

// TestSignUsage gives --sign what it doesn't go with.
func TestSignUsage(t *testing.T) {
	secret, _ := signingkey.Pair(t)
	for _, args := range [][]string{
		{"record", "-a", "--sign", filepath.Join(t.TempDir(), "none")},
		{"record", "-a", "--sign", secret, "--db3"},
		{"live", "--device", "sim", "--sign", secret, "--record", filepath.Join(t.TempDir(), "x.db3")},
	} {
		want(t, exitUsage, args...)
	}
}
