package library

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// A viewer that goes away doesn't wait for another one's thumbnail, and a thumbnail that can't be made
// blocks nobody.
func TestThumbnailsInTurn(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "walk.bag"), []byte("no bag"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // it was only read
	gone, leave := context.WithCancel(t.Context())
	leave()
	get := func(ctx context.Context) int {
		w := httptest.NewRecorder()
		l.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://localhost/api/files/walk.bag/thumbnail", nil))
		return w.Code
	}
	if err := l.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code := get(gone); code != 503 {
		t.Errorf("a viewer who has gone gets %d", code)
	}
	l.end()
	if code := get(t.Context()); code != 204 {
		t.Errorf("the next viewer gets %d", code)
	}
}
