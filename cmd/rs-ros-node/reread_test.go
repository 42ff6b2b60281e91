package main

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/test/bucket"
	"rsros/test/need"
)

// TestCheckFetchesOnce checks that a file that is compared in several passes is fetched once, by the server's count, although
// it doesn't fit into the cache in memory.
func TestCheckFetchesOnce(t *testing.T) {
	b, dir := bucket.Start(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	longBag(t, in("a.bag"), bagstore.None, 34_000)
	longBag(t, in("b.bag"), bagstore.None, 34_000, "/tf_static")
	want(t, exitOK, "merge", "-q", in("a.bag"), in("b.bag"), "-o", in("two.bag"))
	for _, name := range []string{"two.bag", "two.db3", "two.mcap"} {
		if name != "two.bag" {
			want(t, exitOK, "convert", "-q", in("two.bag"), "-o", in(name))
		}
		st, err := os.Stat(in(name))
		need.Must(t, err)
		address := b.Put(name, in(name))
		want(t, exitOK, "check", address)
		requests, n := b.Bytes()
		if t.Logf("%s of %d bytes: %d requests, %d bytes", name, st.Size(), requests, n); n < st.Size() || n > st.Size()+st.Size()/20 {
			t.Errorf("check of %s, which has %d bytes, fetched %d", name, st.Size(), n)
		}
	}
}
