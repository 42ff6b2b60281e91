package rsdb3

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/test/need"
)

func rules(t *testing.T, path string) (list []int) {
	t.Helper()
	broken, ok, err := Check(context.Background(), path)
	if err != nil || !ok {
		t.Fatalf("%s: ok %v, %v", path, ok, err)
	}
	for _, b := range broken {
		t.Logf("%s: rule %d: %s (%d)", filepath.Base(path), b.Rule, b.Text, b.Count)
		list = append(list, b.Rule)
	}
	return list
}

// TestCheckSDKFiles checks that librealsense's files break no rules, except the converter's
// pose, which librealsense can't open itself.
func TestCheckSDKFiles(t *testing.T) {
	for name, want := range map[string][]int{
		"sdk_rec_raw": nil, "sdk_rec_zstd": nil, "sdk_formats_raw": nil, "sdk_conv_zstd": {4}, "pr15556_rec_png": nil,
		"pr15556_formats_png": nil, "own_2.58.1_raw": nil, "public/d435_2018_sdk_conv": nil,
	} {
		if got := rules(t, need.Bag(t, "db3/"+name+".db3")); !slices.Equal(got, want) {
			t.Errorf("%s breaks rules %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"own_native", "public/rosbag2_v4"} {
		if _, ok, err := Check(context.Background(), need.Bag(t, "db3/"+name+".db3")); ok || err != nil {
			t.Errorf("%s: ok %v, %v", name, ok, err)
		}
	}
}

// row is a row of a rewritten file.
type row struct {
	topic, typ string
	time       int64
	data       []byte
}

func readRows(t *testing.T, path string) (list []row) {
	t.Helper()
	f, err := db3.Open(path)
	need.Must(t, err)
	defer f.Close()
	for i := range f.Blocks() {
		entries, err := f.Entries(nil, i)
		need.Must(t, err)
		for _, e := range entries {
			data, err := f.Stored(i, e, func(n int) []byte { return make([]byte, 0, n) })
			need.Must(t, err)
			topic := f.Topics()[e.Conn]
			at := int64(e.Time)
			if e.Time == bagstore.MinTime {
				at = 0
			}
			list = append(list, row{topic.Name, topic.Type, at, data})
		}
	}
	return list
}

func writeRows(t *testing.T, path string, list []row) {
	t.Helper()
	f, err := os.Create(path)
	need.Must(t, err)
	defer f.Close()
	w := db3.NewWriter(f)
	topics := make(map[string]int64)
	for _, r := range list {
		id, ok := topics[r.topic]
		if !ok {
			if id, err = w.AddTopic(bagstore.Topic{Name: r.topic, Type: r.typ}); err != nil {
				t.Fatal(err)
			}
			topics[r.topic] = id
		}
		need.Must(t, w.Write(id, r.time, r.data))
	}
	need.Must(t, w.Close())
}

// text encodes a string message.
func text(s string) []byte {
	w := Writer{}
	w.begin()
	w.enc.String(s)
	return w.enc.B
}

// TestCheckSpoiled breaks each rule once in a file by librealsense.
func TestCheckSpoiled(t *testing.T) {
	sound := readRows(t, need.Bag(t, "db3/sdk_formats_raw.db3"))
	find := func(list []row, part string) int {
		i := slices.IndexFunc(list, func(r row) bool { return strings.Contains(r.topic, part) })
		if i < 0 {
			t.Fatalf("no topic with %q", part)
		}
		return i
	}
	without := func(part string) func([]row) []row {
		return func(l []row) []row {
			return slices.DeleteFunc(l, func(r row) bool { return strings.Contains(r.topic, part) })
		}
	}
	replace := func(part, old, now string) func([]row) []row {
		return func(l []row) []row {
			i := find(l, part)
			s := string(l[i].data[8 : len(l[i].data)-1])
			if !strings.Contains(s, old) {
				t.Fatalf("%q has no %q", s, old)
			}
			l[i].data = text(strings.Replace(s, old, now, 1))
			return l
		}
	}
	rename := func(old, now string) func([]row) []row {
		return func(l []row) []row {
			for i := range l {
				l[i].topic = strings.Replace(l[i].topic, old, now, 1)
			}
			return l
		}
	}
	swap := func(a, b string) func([]row) []row {
		return func(l []row) []row {
			i, j := find(l, a), find(l, b)
			l[i], l[j] = l[j], l[i]
			return l
		}
	}
	insert := func(before string, r row) func([]row) []row {
		return func(l []row) []row {
			i := find(l, before)
			r.time = l[i].time
			return slices.Insert(l, i, r)
		}
	}
	const S = "/device_0/sensor_0"
	str := func(topic, s string) row { return row{topic: topic, typ: typeString, data: text(s)} }
	for i, c := range []struct {
		rule  int
		spoil func([]row) []row
	}{
		{2, without("/file_version")},
		{3, func(l []row) []row { l[find(l, "/device_0/info")].time = 5; return l }},
		{3, func(l []row) []row {
			for i := range l {
				if strings.Contains(l[i].topic, "/image/") {
					l[i].time += 1_700_000_000_000_000_000
				}
			}
			return l
		}},
		{4, without("/Color_1/camera_info")},
		{4, without("/Color_1/info")},
		{4, swap("/Color_1/camera_info", "/Color_2/camera_info")},
		{5, without("/option/")},
		{6, insert("/option/Frames_Queue_Size/description", str(S+"/option/Gain/value", "1.000000"))},
		{6, insert("/option/Frames_Queue_Size/value", str(S+"/option/Nonsense/value", "1.000000"))},
		{6, insert("/Depth_0/image/data", str(S+"/option/Gain/description", "late"))},
		{7, insert("/option/Frames_Queue_Size/value", str(S+"/post_processing", "Decimation Filter"))},
		{8, without("/Color_1/image/metadata")},
		{8, insert("/Color_1/image/metadata", str(S+"/notification/Hardware_Event", "category=Hardware Event;severity=Warn;description=x;timestamp=1;data="))},
		{8, insert("/Color_1/image/metadata", str(S+"/option/Frames_Queue_Size/value", "1.000000"))},
		{8, func(l []row) []row { l[find(l, "/Color_1/image/metadata")].time++; return l }},
		{9, replace("/Color_1/image/metadata", ";timestamp=", ";timestomp=")},
		{10, rename("/sensor_0/", "/sensor_1/")},
		{10, rename("/device_0/sensor_0/Color_4", "/device_1/sensor_0/Color_4")},
		{11, insert("/Color_0/image/data", str("/it's", "x"))},
		{12, replace("/device_0/info", "Name=Formats", "Name=For=mats")},
		{12, replace("/device_0/info", "Name=Formats", "Name=For;mats")},
		{13, func(l []row) []row {
			var b bytes.Buffer
			w, err := zstd.NewWriter(&b) // a stream of unknown size
			need.Must(t, err)
			i := find(l, "/Color_1/image/data")
			w.Write(l[i].data)
			w.Flush()
			need.Must(t, w.Close())
			l[i].data = b.Bytes()
			return l
		}},
		{14, func(l []row) []row { l[find(l, "/Color_1/image/data")].data[0] = 7; return l }},
		{14, func(l []row) []row {
			i := find(l, "/Color_1/image/data")
			l[i].data = l[i].data[:60]
			return l
		}},
	} {
		list := slices.Clone(sound)
		for j := range list {
			list[j].data = slices.Clone(list[j].data)
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("spoiled_%d_%d.db3", c.rule, i))
		writeRows(t, path, c.spoil(list))
		if got := rules(t, path); !slices.Contains(got, c.rule) {
			t.Errorf("case %d: rules %v, want %d", i, got, c.rule)
		}
	}
	path := filepath.Join(t.TempDir(), "same.db3")
	writeRows(t, path, sound)
	if got := rules(t, path); len(got) > 0 {
		t.Errorf("the same rows break %v", got)
	}
	other := filepath.Join(filepath.Dir(path), "same.DB3")
	need.Must(t, os.Rename(path, other))
	if got := rules(t, other); !slices.Equal(got, []int{1}) {
		t.Errorf("under another name: %v", got)
	}
}
