package verify

import (
	"bytes"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/proof"
)

// FuzzFile verifies recordings that others changed: only the recording itself is as signed.
func FuzzFile(f *testing.F) {
	key, public := testKey(f)
	path := filepath.Join(f.TempDir(), "walk.bag")
	writeBag(f, path, forms(key)["none"], 12)
	whole := read(f, path)
	p, err := proof.Open(f.Context(), proof.LogPath(path), public)
	if err != nil {
		f.Fatal(err)
	}
	defer p.Close()
	f.Add(whole)
	f.Add(whole[:bagstore.FirstChunk])
	f.Fuzz(func(t *testing.T, b []byte) {
		rep := &Report{Complete: true}
		err := newWhole(t.Context(), p, newSource(bytes.NewReader(b), int64(len(b))), rep, nil).run()
		if err == nil && rep.Same() != bytes.Equal(b, whole) {
			t.Errorf("same: %v", rep.Same())
		}
	})
}
