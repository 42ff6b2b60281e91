package db3

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// examples returns the .db3 files of the shared examples.
func examples(t testing.TB) []string {
	dir := need.Bag(t, "db3")
	a, _ := filepath.Glob(filepath.Join(dir, "*.db3"))
	b, _ := filepath.Glob(filepath.Join(dir, "public", "*.db3"))
	if len(a) == 0 || len(b) == 0 {
		t.Fatalf("no .db3 files below %s", dir)
	}
	return append(a, b...)
}

func open(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path)
	need.Must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// row is a message as both readers list it: time and data as stored.
type row struct {
	Topic string `json:"topic"`
	Time  int64  `json:"time"`
	Size  int    `json:"size"`
	Sum   uint32 `json:"sum"`
}

// rows lists all messages in file order.
func rows(t testing.TB, f *File) (list []row) {
	t.Helper()
	var buf []byte
	for i := range f.Blocks() {
		entries, err := f.Entries(nil, i)
		need.Must(t, err)
		for _, e := range entries {
			data, err := f.Read(nil, i, e, func(n int) []byte { return slices.Grow(buf[:0], n) })
			need.Must(t, err)
			list = append(list, row{f.topics[e.Conn].Name, int64(e.Time), len(data), crc32.ChecksumIEEE(data)})
		}
	}
	return list
}

// pythonRows lists a file with Debian's Python and SQLite. Compressed messages have no checksum there.
const pythonRows = `
import json, sqlite3, sys, zlib
for topic, time, data in sqlite3.connect("file:%s?immutable=1" % sys.argv[1], uri=True).execute(
        "SELECT name, timestamp, data FROM messages JOIN topics ON topics.id = topic_id ORDER BY messages.id"):
    z = data[:4] == b"\x28\xb5\x2f\xfd"
    print(json.dumps(dict(topic=topic, time=time, size=-1 if z else len(data), sum=0 if z else zlib.crc32(data))))
`

// TestAsPython reads every example as Python's SQLite does.
func TestAsPython(t *testing.T) {
	python := need.Python(t, "sqlite3")
	for _, path := range examples(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			out, err := exec.Command(python, "-c", pythonRows, path).Output()
			need.Must(t, err)
			got := rows(t, open(t, path))
			lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
			if len(lines) != len(got) {
				t.Fatalf("%d messages, Python reads %d", len(got), len(lines))
			}
			for i, line := range lines {
				var want row
				need.Must(t, json.Unmarshal(line, &want))
				want.Time = max(want.Time, 1) // what fits a bag
				if want.Size < 0 {
					want.Size, want.Sum = got[i].Size, got[i].Sum
				}
				if got[i] != want {
					t.Fatalf("message %d is %v, Python reads %v", i, got[i], want)
				}
			}
		})
	}
}

// TestCompressedIsPlain compares a recording with and without compression whose pixels, according to
// the SDK's manifest, are the same.
func TestCompressedIsPlain(t *testing.T) {
	sizes := make(map[string][]string)
	for _, path := range examples(t) {
		if name := filepath.Base(path); name == "sdk_rec_raw.db3" || name == "sdk_rec_zstd.db3" {
			for _, r := range rows(t, open(t, path)) {
				if filepath.Base(filepath.Dir(r.Topic)) == "image" && filepath.Base(r.Topic) == "data" {
					sizes[name] = append(sizes[name], fmt.Sprint(r.Topic, r.Size))
				}
			}
			slices.Sort(sizes[name])
		}
	}
	if a, b := sizes["sdk_rec_raw.db3"], sizes["sdk_rec_zstd.db3"]; len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("%d plain and %d compressed images differ", len(a), len(b))
	}
}

func TestSchemas(t *testing.T) {
	want := map[string]int{"rosbag2_v4.db3": 4, "own_native.db3": 4, "rosbag2_v2_wal_zstd.db3": 2, "sdk_rec_raw.db3": 2}
	for _, path := range examples(t) {
		f := open(t, path)
		if n, ok := want[filepath.Base(path)]; ok && f.schema != n {
			t.Errorf("%s: schema %d, want %d", path, f.schema, n)
		}
		if filepath.Base(path) == "rosbag2_v4.db3" && f.topics[0].Schema.Encoding != "ros2msg" {
			t.Errorf("%s: the definition of %s has the encoding %q", path, f.topics[0].Type, f.topics[0].Schema.Encoding)
		}
		if len(f.Info().Notes) > 0 {
			t.Errorf("%s: notes %v", path, f.Info().Notes)
		}
	}
}

// TestKept checks that a file that is closed with nothing new since a commit tells of what the commit has.
func TestKept(t *testing.T) {
	for _, noSync := range []bool{true, false} {
		w, err := Create(filepath.Join(t.TempDir(), "x.db3"), bagstore.Options{NoSync: noSync}, func(*Writer) error { return nil })
		need.Must(t, err)
		topic, err := w.AddTopic(bagstore.Topic{Name: "/a", Type: "a/msg/B"})
		need.Must(t, errors.Join(err, w.Write(topic, 5, []byte("hi")), w.Commit(), w.Close()))
		if k := w.Kept(); k.Messages() != 1 || k.Start != 5 || k.End != 5 {
			t.Errorf("NoSync %v: %+v is kept", noSync, k)
		}
	}
}

// TestParts checks that rows of a page are in several blocks if they are large, and that rows that claim the same bytes don't
// make more blocks than the file has room for.
func TestParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db3")
	w, err := Create(path, bagstore.Options{NoSync: true}, func(*Writer) error { return nil })
	need.Must(t, err)
	topic, err := w.AddTopic(bagstore.Topic{Name: "/a", Type: "a/msg/B"})
	need.Must(t, err)
	var want []row
	for i := range 50 {
		data := bytes.Repeat([]byte{byte(i)}, 400_000)
		if i > 10 {
			data = data[:50]
		}
		want = append(want, row{"/a", int64(i + 1), len(data), crc32.ChecksumIEEE(data)})
		need.Must(t, w.Write(topic, int64(i+1), data))
	}
	need.Must(t, w.Close())
	f := open(t, path)
	if got := rows(t, f); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	var counts []uint64
	for i, b := range f.Blocks() {
		counts = append(counts, b.Messages())
		if b.Continued != (i > 0) {
			t.Errorf("block %d: %v", i, b.Continued)
		}
	}
	if !slices.Equal(counts, []uint64{3, 3, 3, 41}) {
		t.Errorf("blocks of %d messages", counts)
	}
	b := f.newBuilder()
	b.f.byID = map[int64]uint32{1: 0}
	for i := range 1000 {
		b.add(7, []found{{cell: i, topic: 1, size: 1 << 30, ok: true}})
	}
	if n := len(f.blocks); n > 2 {
		t.Errorf("%d blocks of a file of %d bytes", n, f.size)
	}
}
