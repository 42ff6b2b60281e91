package library

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rsros/test/need"
)

// A folder lists and serves the recordings below it and nothing else.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	bag, err := os.ReadFile("../../../test/data/librealsense/sw_small_lz4.bag")
	if err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(dir, "in")
	for name, content := range map[string][]byte{"in/walk.bag": bag, "in/sub/other.bag": []byte("no bag"), "in/secret.txt": bag, "outside.bag": bag} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside.bag", filepath.Join(inside, "link.bag")); err != nil {
		t.Fatal(err)
	}
	need.Pipe(t, filepath.Join(inside, "pipe.bag"))
	l, err := Open(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // it was only read
	get := func(path string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "http://localhost"+path, nil)
		if len(header) > 0 {
			r.Header.Set(header[0], header[1])
		}
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		return w
	}
	var list []entry
	if err := json.Unmarshal(get("/api/files").Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name)
	}
	i := slices.Index(names, "walk.bag")
	if i < 0 || list[i].Kind != "realsense" || list[i].Messages == 0 || !slices.Contains(list[i].Streams, "Depth_0") {
		t.Errorf("the list is %+v", list)
	}
	for _, e := range list {
		if (e.Error == "") != (e.Name == "walk.bag") || e.Name == "secret.txt" {
			t.Errorf("%+v", e)
		}
	}
	for path, want := range map[string]int{
		"/api/files/walk.bag": 200, "/api/files/secret.txt": 404, "/api/files/link.bag": 404, "/api/files/pipe.bag": 404, "/api/files/pipe.bag/thumbnail.png": 404, "/api/files/../outside.bag": 404, "/api/files/%2e%2e/outside.bag": 404,
		"/api/files/sub/other.bag": 200, "/api/files/walk.bag/thumbnail.png": 200, "/api/files/sub/other.bag/thumbnail.png": 204, "/api/files/link.bag/thumbnail.png": 404, "/api/files//etc/passwd.bag": 404, "/api/files/sub": 404,
	} {
		if w := get(path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	if w := get("/api/files/walk.bag", "Range", "bytes=0-12"); w.Code != 206 || w.Body.String() != "#ROSBAG V2.0\n" {
		t.Errorf("a range: %d %q", w.Code, w.Body)
	}
}

// TestListedOnce: a recording is opened for the list only if it has changed since it was last.
func TestListedOnce(t *testing.T) {
	bag, err := os.ReadFile("../../../test/data/librealsense/sw_small_lz4.bag")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "walk.bag")
	at := time.Unix(1_700_000_000, 0)
	write := func(b []byte, at time.Time) {
		if err := errors.Join(os.WriteFile(path, b, 0o644), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // it was only read
	list := func() entry {
		list, err := l.entries(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list[0]
	}
	write(bag, at)
	first := list()
	write(make([]byte, len(bag)), at)
	if again := list(); first.Messages == 0 || again.Messages != first.Messages {
		t.Errorf("it was opened again: %+v after %+v", again, first)
	}
	write(make([]byte, len(bag)), at.Add(time.Second))
	if changed := list(); changed.Error == "" {
		t.Errorf("it wasn't opened again: %+v", changed)
	}
}
