package verify

import (
	"path/filepath"
	"testing"

	"rsros/bagstore"
)

// TestUnchanged verifies recordings in all forms.
func TestUnchanged(t *testing.T) {
	key, public := testKey(t)
	for name, o := range forms(key) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "walk.bag")
			list := writeBag(t, path, o, 300)
			rep := verified(t, path, public)
			if !rep.Same() || !rep.Complete || rep.Messages != uint64(len(list)) || rep.Unproven != 0 {
				t.Errorf("%+v", rep)
			}
			b, err := bagstore.Check(t.Context(), path, bagstore.CheckOptions{})
			if err != nil || b.Outcome != bagstore.Sound || b.Messages != rep.Messages {
				t.Errorf("check: %+v, %v", b, err)
			}
		})
	}
}
