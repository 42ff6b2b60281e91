package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rsros/bagstore/db3"
	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/catalog"
	"rsros/tools/convert"
)

// get asks a library for /api/files and a path below it, with a header if one is given.
func get(l *Library, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "http://localhost/api/files"+path, nil)
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	return w
}

// A folder lists and serves the recordings below it and nothing else.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	bag, err := os.ReadFile("../../test/data/librealsense/sw_small_lz4.bag")
	need.Must(t, err)
	inside := filepath.Join(dir, "in")
	for name, content := range map[string][]byte{"in/walk.bag": bag, "in/sub/other.bag": []byte("no bag"), "in/secret.txt": bag, "outside.bag": bag} {
		need.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		need.Must(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	need.Must(t, os.Symlink("../outside.bag", filepath.Join(inside, "link.bag")))
	need.Pipe(t, filepath.Join(inside, "pipe.bag"))
	l, err := Open(t.Context(), inside)
	need.Must(t, err)
	defer l.Close() //nolint:errcheck // it was only read
	var list []entry
	need.Must(t, json.Unmarshal(get(l, "").Body.Bytes(), &list))
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
		"/walk.bag": 200, "/secret.txt": 404, "/link.bag": 404, "/pipe.bag": 404, "/pipe.bag/thumbnail": 404,
		"/../outside.bag": 404, "/%2e%2e/outside.bag": 404, "/sub/other.bag": 200, "/walk.bag/thumbnail": 200,
		"/sub/other.bag/thumbnail": 204, "/link.bag/thumbnail": 404, "//etc/passwd.bag": 404, "/sub": 404,
	} {
		if w := get(l, path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	if w := get(l, "/walk.bag", "Range", "bytes=0-12"); w.Code != 206 || w.Body.String() != "#ROSBAG V2.0\n" {
		t.Errorf("a range: %d %q", w.Code, w.Body)
	}
}

// TestListedOnce checks that a listing opens a recording only if it has changed since the previous one.
func TestListedOnce(t *testing.T) {
	bag, err := os.ReadFile("../../test/data/librealsense/sw_small_lz4.bag")
	need.Must(t, err)
	dir := t.TempDir()
	path := filepath.Join(dir, "walk.bag")
	at := time.Unix(1_700_000_000, 0)
	write := func(b []byte, at time.Time) {
		need.Must(t, errors.Join(os.WriteFile(path, b, 0o644), os.Chtimes(path, at, at)))
	}
	l, err := Open(t.Context(), dir)
	need.Must(t, err)
	defer l.Close() //nolint:errcheck // it was only read
	list := func() entry {
		list, err := l.entries(t.Context(), catalog.Query{})
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

// TestFolderOfRosbag2 checks that a folder with a metadata.yaml is one recording in a folder, in a
// bucket and in a catalog of either, which can be played but not downloaded. None with a file elsewhere
// is.
func TestFolderOfRosbag2(t *testing.T) {
	b, dir := bucket.Start(t), t.TempDir()
	bag := samplebag.Robot(t, "robot.bag")
	for _, name := range []string{"walk", "sub/other.day"} {
		need.Must(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
		if _, err := convert.Messages(t.Context(), convert.Options{In: bag, Out: filepath.Join(dir, name), ROS: 2, Storage: db3.StorageMCAP}); err != nil {
			t.Fatal(err)
		}
	}
	bucketed := b.Put("lib", dir)
	libraries := map[string]string{dir: dir, bucketed + "/": bucketed, filepath.Join(t.TempDir(), "all.jsonl"): dir, b.Address("all.jsonl"): bucketed} // and where each has its recordings
	for name, in := range libraries {
		if catalog.Is(name) {
			need.Must(t, catalog.Write(t.Context(), name, false, catalog.Make(t.Context(), []string{place.Join(in, "walk"), place.Join(in, "sub/other.day")}, 1, catalog.Options{Thumbnail: true})))
		}
		if IsRosbag2(t.Context(), name) || !IsRosbag2(t.Context(), place.Join(in, "walk")+"/") {
			t.Errorf("%s: which folder is a recording?", name)
		}
		l, err := Open(t.Context(), name)
		need.Must(t, err)
		list, err := l.entries(t.Context(), catalog.Query{})
		if err != nil || len(list) != 2 || list[0].Name != "sub/other.day" || list[1].Name != "walk" || list[1].Messages == 0 || list[1].Error != "" || list[1].Size == 0 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		for _, folder := range []string{"walk", "sub/other.day"} {
			if at, err := l.Place(t.Context(), folder); err != nil || at != place.Join(in, folder) {
				t.Errorf("%s: it is played from %q, %v", name, at, err)
			}
		}
		for _, folder := range []string{"", ".", "sub", "../lib/walk", "walk/../walk", "walk/metadata.yaml"} {
			if at, err := l.Place(t.Context(), folder); err == nil {
				t.Errorf("%s: %q would be played from %q", name, folder, at)
			}
		}
		for path, want := range map[string]int{"walk": 404, "walk/metadata.yaml": 404, "walk/thumbnail": 200} {
			if w := get(l, "/"+path); w.Code != want {
				t.Errorf("%s: %s: %d, want %d", name, path, w.Code, want)
			}
		}
		if name == dir && need.Symlink(t, bag, filepath.Join(dir, "walk", "link.mcap")) {
			if at, err := l.Place(t.Context(), "walk"); err == nil {
				t.Errorf("with a link, it would be played from %q", at)
			}
			need.Must(t, os.Remove(filepath.Join(dir, "walk", "link.mcap")))
		}
		need.Must(t, l.Close())
	}
}

// A catalog lists thousands of recordings in pages, finds them by the content of their rows, and opens
// them where they are.
func TestCatalog(t *testing.T) {
	bag := samplebag.Robot(t, "robot.bag")
	dir := filepath.ToSlash(filepath.Dir(bag)) + "/"
	name := filepath.Join(t.TempDir(), "all.jsonl")
	err := catalog.Write(t.Context(), name, false, func(yield func(catalog.Row, error) bool) {
		for r := range catalog.Make(t.Context(), []string{bag}, 1, catalog.Options{Thumbnail: true}) {
			yield(r, nil)
		}
		for i := range 4000 {
			yield(catalog.Row{Name: fmt.Sprintf("%swalks/%04d.bag", dir, i), Size: 1, Messages: 1, Topics: []catalog.Topic{{Name: fmt.Sprintf("/t%d", i%7), Type: "std_msgs/String"}}}, nil)
		}
		yield(catalog.Row{Name: dir + "secret.txt"}, nil)
	})
	need.Must(t, err)
	l, err := Open(t.Context(), name)
	need.Must(t, err)
	defer l.Close() //nolint:errcheck // it was only read
	for query, want := range map[string]struct {
		total string
		first string
		n     int
	}{
		"": {"4001", "robot.bag", maxAnswered}, "?skip=4000": {"4001", "walks/3999.bag", 1}, "?q=topic:/t3+walks": {"571", "walks/0003.bag", maxAnswered},
		"?q=/camera/image": {"1", "robot.bag", 1}, "?q=nothing": {"0", "", 0}, "?skip=-1&q=0012": {"1", "walks/0012.bag", 1},
	} {
		w := get(l, query)
		var list []entry
		need.Must(t, json.Unmarshal(w.Body.Bytes(), &list))
		if w.Header().Get("X-Total") != want.total || len(list) != want.n || want.n > 0 && list[0].Name != want.first {
			t.Errorf("%q: %d of %s, first %+v", query, len(list), w.Header().Get("X-Total"), list[:min(1, len(list))])
		}
	}
	for path, want := range map[string]int{
		"?q=from:noon": 400, "/robot.bag": 200, "/robot.bag/thumbnail": 200, "/walks/0000.bag/thumbnail": 204, "/walks/0000.bag": 404, "/secret.txt": 404, "/../x.bag": 404, "/other.bag": 404,
	} {
		if w := get(l, path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	if at, err := l.Place(t.Context(), "robot.bag"); err != nil || at != filepath.ToSlash(bag) {
		t.Errorf("it is played from %q, %v", at, err)
	}
}

// The library of an address contains what is below it, and nothing else; so does that of a catalog in a
// bucket.
func TestBucket(t *testing.T) {
	b, bag := bucket.Start(t), samplebag.Robot(t, "robot.bag")
	at := b.Put("lib/robot.bag", bag)
	b.Put("other.bag", bag)
	b.Put("lib/notes.txt", samplebag.File(t, "notes.txt", []byte("n")))
	need.Must(t, catalog.Write(t.Context(), b.Address("all.jsonl"), false, catalog.Make(t.Context(), []string{at}, 1, catalog.Options{})))
	for _, name := range []string{b.Address("lib/"), b.Address("all.jsonl")} {
		l, err := Open(t.Context(), name)
		need.Must(t, err)
		list, err := l.entries(t.Context(), catalog.Query{})
		if err != nil || len(list) != 1 || list[0].Name != "robot.bag" || list[0].Messages == 0 || list[0].Pending || list[0].Error != "" {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		for path, want := range map[string]int{"robot.bag": 206, "../other.bag": 404, "other.bag": 404, "notes.txt": 404, "%2e%2e/other.bag": 404} {
			if w := get(l, "/"+path, "Range", "bytes=0-12"); w.Code != want || want == 206 && w.Body.String() != "#ROSBAG V2.0\n" {
				t.Errorf("%s: %s: %d %.20q, want %d", name, path, w.Code, w.Body, want)
			}
		}
		if from, err := l.Place(t.Context(), "robot.bag"); err != nil || from != at {
			t.Errorf("%s: it is played from %s, %v", name, from, err)
		}
		need.Must(t, l.Close())
	}
}
