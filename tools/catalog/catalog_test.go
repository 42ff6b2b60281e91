package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/recording"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/convert"
	"rsros/tools/info"
)

func someRows() []Row {
	n := int64(3)
	return []Row{
		{Name: "s3://b/a.bag", Version: "v", Checksum: "crc32c:e3069283", Made: 5, Modified: 4, Size: 7, Format: "2.0", State: Indexed, Start: 1_700_000_000_123_456_789, End: 1_700_000_001_123_456_789, Duration: 1e9, Messages: 12,
			Topics: []Topic{{"/a", "std_msgs/String", 5}, {"/b", "sensor_msgs/Image", 7}}, Device: "D435I", Serial: "1", Firmware: "5.12", MissingFrames: &n, Notes: []string{"n", ""}, Thumbnail: []byte{0xff, 0xd8}},
		{Name: "s3://b/b.bag", State: Unreadable, Error: "no bag", Topics: []Topic{}},
		{Name: "s3://b/c.bag", State: Damaged, Topics: []Topic{{"/a", "std_msgs/String", 0}}, Notes: []string{"torn"}},
	}
}

func each(rows []Row) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// TestRoundTrip checks that written rows are read back.
func TestRoundTrip(t *testing.T) {
	var many []Row
	for i := range 2000 {
		r := someRows()[i%3]
		r.Size = int64(i)
		many = append(many, r)
	}
	for _, want := range [][]Row{nil, someRows(), many} {
		var b bytes.Buffer
		need.Must(t, WriteLines(&b, each(want)))
		var got []Row
		if err := readLines(&b, func(r Row) error { got = append(got, r); return nil }); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d rows: %d, %v", len(want), len(got), err)
		}
	}
}

// A row agrees with info in all formats, and names the camera of a RealSense recording.
func TestDescribe(t *testing.T) {
	bag, torn := samplebag.Robot(t, "robot.bag"), samplebag.Torn(t)
	mcap := filepath.Join(t.TempDir(), "robot.mcap")
	if _, err := convert.Run(t.Context(), convert.Options{In: bag, Out: mcap}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]State{bag: Indexed, mcap: Indexed, need.Bag(t, "db3/own_native.db3"): Indexed, torn: Repairable, samplebag.Data(t, "sw_small_lz4.bag"): Indexed} {
		b, err := recording.Open(path, bagstore.OpenOptions{})
		need.Must(t, err)
		s, err := info.Summarize(t.Context(), b, info.Options{Dates: true})
		realsense := rsbag.IsRecording(b)
		need.Must(t, errors.Join(err, b.Close()))
		r := Describe(t.Context(), path, Options{Thumbnail: true, Missing: true})
		if r.Name != path || r.Error != "" || r.State != want && !(want == Repairable && r.State == Damaged) || r.Size != s.Size || r.Messages != int64(s.Messages) || r.Format != s.Version || r.Version == "" || r.Made == 0 {
			t.Errorf("%s: %+v", path, r)
		}
		start, end := s.Start, s.End
		if s.Recorded != nil {
			start, end = s.Recorded.Start, s.Recorded.End
		}
		if r.Start != int64(start) || r.End != int64(end) || r.Duration != int64(s.Duration()) || realsense && !start.Absolute() {
			t.Errorf("%s: from %d to %d, info has %d to %d", path, r.Start, r.End, start, end)
		}
		if r.Duration != r.End-r.Start {
			t.Errorf("%s: %d ns from %d to %d", path, r.Duration, r.Start, r.End)
		}
		if realsense != r.RealSense() || realsense != (r.Device != "") || realsense != (r.MissingFrames != nil) {
			t.Errorf("%s: a camera %q", path, r.Device)
		}
		if path == bag && len(r.Thumbnail) == 0 {
			t.Errorf("%s has no thumbnail", path)
		}
		for i, topic := range s.Topics {
			if want := (Topic{topic.Topic, topic.Type, int64(topic.Messages)}); len(r.Topics) != len(s.Topics) || r.Topics[i] != want {
				t.Fatalf("%s: topics %v, want %v", path, r.Topics, want)
			}
		}
	}
	if r := Describe(t.Context(), samplebag.File(t, "no.bag", []byte("no bag")), Options{}); r.State != Unreadable || r.Error == "" || r.Size != 6 {
		t.Errorf("no bag: %+v", r)
	}
}

// TestChecksum checks that a row has the checksum that the store was given with the object, without
// reading the object.
func TestChecksum(t *testing.T) {
	b, bag := bucket.Start(t), samplebag.Robot(t, "robot.bag")
	text, err := os.ReadFile(bag)
	need.Must(t, err)
	at := b.Put("robot.bag", bag)
	want := fmt.Sprintf("crc32c:%08x", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
	if r := Describe(t.Context(), at, Options{Checksum: true}); r.Checksum != want {
		t.Errorf("%+v, want %s", r, want)
	}
	if sum, err := place.Checksum(t.Context(), at, "another version"); sum != "" || err != nil {
		t.Errorf("of another version: %q, %v", sum, err)
	}
	if r := Describe(t.Context(), bag, Options{Checksum: true}); r.Checksum != "" {
		t.Errorf("of a file: %s", r.Checksum)
	}
}

// A merged catalog has the newest row of each name.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl"), filepath.Join(t.TempDir(), "out.jsonl")
	for name, rows := range map[string][]Row{
		a: {{Name: "x", Made: 2, Size: 1}, {Name: "y", Made: 1, Size: 2}, {Name: "z", Made: 1, Size: 3}},
		b: {{Name: "x", Made: 1, Size: 4}, {Name: "y", Made: 2, Size: 5}, {Name: "z", Made: 1, Size: 6}},
	} {
		need.Must(t, Write(t.Context(), name, false, each(rows)))
	}
	need.Must(t, Merge(t.Context(), []string{dir}, out, false))
	rows, err := ReadAll(t.Context(), out)
	need.Must(t, err)
	got := ""
	for _, r := range rows {
		got += fmt.Sprint(r.Name, r.Size, " ")
	}
	if want := "x1 y5 z6 "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := Merge(t.Context(), []string{a, samplebag.File(t, "bad.jsonl", []byte("{\n"))}, out, true); err == nil {
		t.Error("a damaged catalog was merged")
	}
	if again, err := ReadAll(t.Context(), out); err != nil || len(again) != 3 {
		t.Errorf("the catalog was replaced: %d rows, %v", len(again), err)
	}
	if err := Merge(t.Context(), []string{dir}, filepath.Join(t.TempDir(), "out.parquet"), false); err == nil {
		t.Error("JSON lines have the name of another format")
	}
}

func TestQuery(t *testing.T) {
	r := someRows()[0] // 2023-11-14T22:13:20Z
	day := time.Unix(0, r.Start).Format(time.DateOnly)
	for text, want := range map[string]bool{
		"": true, "A.BAG d435": true, "/b image": true, "nothing": false, "a.bag nothing": false, "topic:/a": true, "topic:Image": false, "type:image": true,
		"device:5.12": true, "name:D435": false, "state:indexed": true, "indexed": false, "from:" + day: true, "to:" + day: true, "from:2024-01-01": false, "to:2023-01-01T10:00": false,
	} {
		q, err := ParseQuery(text)
		if err != nil || q.Match(&r) != want {
			t.Errorf("%q: %v, %v", text, !want, err)
		}
	}
	if _, err := ParseQuery("from:noon"); err == nil {
		t.Error("noon is a time")
	}
}

// FuzzRead checks that reading a damaged catalog ends.
func FuzzRead(f *testing.F) {
	var lines bytes.Buffer
	need.Must(f, WriteLines(&lines, each(someRows())))
	f.Add(lines.Bytes())
	f.Add(lines.Bytes()[:lines.Len()/2])
	f.Fuzz(func(_ *testing.T, data []byte) {
		_ = readLines(bytes.NewReader(data), func(Row) error { return nil }) // any error will do
	})
}
