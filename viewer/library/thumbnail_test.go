package library

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// A viewer that goes away doesn't wait for another one's thumbnail, and a thumbnail that can't be made
// blocks nobody.
func TestThumbnailsInTurn(t *testing.T) {
	dir := t.TempDir()
	need.Must(t, os.WriteFile(filepath.Join(dir, "walk.bag"), []byte("no bag"), 0o644))
	l, err := Open(t.Context(), dir)
	need.Must(t, err)
	defer l.Close() //nolint:errcheck // it was only read
	gone, leave := context.WithCancel(t.Context())
	leave()
	get := func(ctx context.Context) int {
		w := httptest.NewRecorder()
		l.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://localhost/api/files/walk.bag/thumbnail", nil))
		return w.Code
	}
	need.Must(t, l.begin(t.Context()))
	if code := get(gone); code != 503 {
		t.Errorf("a viewer who has gone gets %d", code)
	}
	l.end()
	if code := get(t.Context()); code != 204 {
		t.Errorf("the next viewer gets %d", code)
	}
}
