package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/test/need"
)

func open(t testing.TB, path string) *bagstore.Recording {
	t.Helper()
	b, err := Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// listed is what is compared of a message.
type listed struct {
	topic string
	time  bagstore.Time
	sum   uint64
}

// list reads all messages of a bag forward and checks that each is a whole message of its type.
func list(t testing.TB, b *bagstore.Recording) (all []listed) {
	t.Helper()
	v := b.View(bagstore.Query{})
	specs := make(map[*bagstore.Connection]*msgs.Spec)
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		if specs[m.Conn] == nil {
			spec, err := msgs.Parse(m.Conn.Type, m.Conn.Definition)
			need.Must(t, err)
			specs[m.Conn] = spec
		}
		n, err := specs[m.Conn].Size(m.Data)
		mapped := strings.HasPrefix(b.Version(), "rosbag2") // librealsense's bags have extra bytes after an image
		if err != nil || mapped && n != len(m.Data) {
			t.Fatalf("%s at %d: %d bytes, the message has %d: %v", m.Conn.Topic, m.Time, len(m.Data), n, err)
		}
		all = append(all, listed{m.Conn.Topic, m.Time, hash(m.Data)})
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	if uint64(len(all)) != v.Count() || v.Count() != b.MessageCount() {
		t.Errorf("%d messages were read, the view counts %d, the bag %d", len(all), v.Count(), b.MessageCount())
	}
	return all
}

func hash(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// TestExamples reads every example forward, backward and from the middle.
func TestExamples(t *testing.T) {
	dir := need.Bag(t, "db3")
	files, _ := filepath.Glob(filepath.Join(dir, "*.db3"))
	more, _ := filepath.Glob(filepath.Join(dir, "public", "*.db3"))
	for _, path := range append(files, more...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := open(t, path)
			all := list(t, b)
			if len(all) == 0 {
				t.Fatal("no messages")
			}
			v := b.View(bagstore.Query{})
			it := v.Iterator()
			defer it.Close()
			it.SeekEnd()
			for i := len(all) - 1; i >= 0; i-- {
				if !it.Prev() {
					t.Fatalf("backward: the end at message %d: %v", i, it.Err())
				}
				if m := it.Message(); (listed{m.Conn.Topic, m.Time, hash(m.Data)}) != all[i] {
					t.Fatalf("backward: message %d is another one", i)
				}
			}
			middle := all[len(all)/2].time
			it.Seek(middle)
			if !it.Next() || it.Message().Time != middle {
				t.Errorf("after a seek to %d: %d", middle, it.Message().Time)
			}
			rep, err := Check(t.Context(), b, bagstore.CheckOptions{})
			if err != nil || rep.Outcome != bagstore.Sound || rep.Messages != uint64(len(all)) {
				t.Errorf("check: %v %+v", err, rep)
			}
		})
	}
}

// TestManifest compares the images with those that the SDK recorded.
func TestManifest(t *testing.T) {
	for _, name := range []string{"sdk_rec_raw", "sdk_rec_zstd"} {
		text, err := os.ReadFile(need.Bag(t, "db3/"+name+".manifest.json"))
		need.Must(t, err)
		var manifest struct {
			Streams map[string][]struct {
				Sum string `json:"fnv1a64"`
			}
		}
		need.Must(t, json.Unmarshal(text, &manifest))
		b := open(t, need.Bag(t, "db3/"+name+".db3"))
		v := b.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Type == "sensor_msgs/Image" }})
		frames := 0
		found := make(map[string][]string)
		it := v.Iterator()
		defer it.Close()
		for ; it.Next(); frames++ {
			var head msgs.ImageHead
			d := msgs.NewDecoder(it.Message().Data)
			head.Decode(d)
			stream := strings.TrimSuffix(strings.TrimPrefix(it.Message().Conn.Topic, "/device_0/"), "/image/data")
			found[stream] = append(found[stream], fmt.Sprintf("%016x", hash(d.Raw(int(head.DataLen)))))
		}
		for stream, sums := range found {
			var want []string
			for _, f := range manifest.Streams[stream] {
				want = append(want, f.Sum)
			}
			if !slices.Equal(sums, want) {
				t.Errorf("%s: %d images of %s aren't the %d that were recorded", name, len(sums), stream, len(want))
			}
		}
		if frames < 200 {
			t.Errorf("%s: %d images", name, frames)
		}
	}
}

func TestLatched(t *testing.T) {
	for _, c := range open(t, need.Bag(t, "db3/own_native.db3")).Connections() {
		if want := c.Topic == "/tf_static"; c.Latching != want {
			t.Errorf("%s: latching %v, want %v", c.Topic, c.Latching, want)
		}
	}
	for text, want := range map[string]bool{
		"": false, "- history: 1\n  durability: 1\n  deadline:\n    sec: 0": true, "- durability: 2": false,
		"- history: keep_last\n  durability: transient_local\n": true, "- durability: 2\n- durability: 1": true,
	} {
		if got := (bagstore.Topic{QoS: text}).Latched(); got != want {
			t.Errorf("%q: latched %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"": false, "- history: 3\n  reliability: 2\n": true, "- reliability: best_effort": true, "- reliability: 1": false,
		"- reliability: 2\n- reliability: 1": false, "- reliability: 2\n- reliability: 2\n": true, "- durability: 2": false,
	} {
		topics := []bagstore.Topic{{QoS: text}}
		if got := bagstore.Connections(topics)[0].BestEffort; got != want {
			t.Errorf("%q: best effort %v, want %v", text, got, want)
		}
	}
}

// TestBagsStillOpen checks that a bag is opened as one, and that other files aren't.
func TestBagsStillOpen(t *testing.T) {
	b := open(t, "../../test/data/librealsense/sw_small_lz4.bag")
	if b.Version() != "2.0" || rosbag.FileOf(b) == nil {
		t.Errorf("version %s", b.Version())
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "text": strings.Repeat("text ", 100), "header": "SQLite format 3\x00"} {
		path := filepath.Join(dir, name+".db3")
		need.Must(t, os.WriteFile(path, []byte(content), 0o600))
		if _, err := Open(path, bagstore.OpenOptions{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(dir, bagstore.OpenOptions{}); err == nil || strings.Contains(err.Error(), "left out") {
		t.Errorf("a folder of nothing: %v", err)
	}
}

// TestOpenEnds checks that canceling the context ends opening a file of any format, whole or damaged.
func TestOpenEnds(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b, err := os.ReadFile(smallFile)
	need.Must(t, err)
	torn := filepath.Join(dir, "torn.db3")
	need.Must(t, os.WriteFile(torn, append(make([]byte, 512), b[512:]...), 0o600))
	chunks := filepath.Join(dir, "a.mcap")
	writeMCAP(t, chunks, open(t, smallFile), mcapOptions)
	for _, path := range []string{need.Bag(t, "public/d435_2018_v3.bag"), smallFile, torn, chunks} {
		for _, scan := range []bool{false, true} {
			if bag, err := Open(path, bagstore.OpenOptions{Context: ctx, Scan: scan}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, %v", path, bag, err)
			}
		}
	}
}
