package rosbag

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// TestManyTopics writes 1,000 topics with checkpoints.
func TestManyTopics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	s := sample{Topics: 1000, Messages: 3000, Size: func(i int) int { return i % 50 }}
	s.write(t, path, bagstore.Options{ChunkSize: 40_000})
	b := openBag(t, path, bagstore.OpenOptions{})
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == "/topic_567" }})
	if v.Count() != 3 {
		t.Errorf("%d messages of one topic, want 3", v.Count())
	}
}

// TestLargeMessages exceeds the 16 MiB at which other libraries stop.
func TestLargeMessages(t *testing.T) {
	for _, o := range ways() {
		path := filepath.Join(t.TempDir(), "x.bag")
		s := sample{Topics: 1, Messages: 2, Size: func(i int) int { return []int{17 << 20, 100}[i] }}
		s.write(t, path, o)
	}
}

// TestManySmall writes and reads 20,000 small messages; a million in a soak test.
func TestManySmall(t *testing.T) { manySmall(t, 20_000) }

func manySmall(t *testing.T, messages int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.bag")
	writeTiny(t, path, messages, bagstore.Options{Compression: bagstore.LZ4})
	b := openBag(t, path, bagstore.OpenOptions{})
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	n := uint64(0)
	for ; it.Next(); n++ {
		if got := binary.LittleEndian.Uint64(it.Message().Data); got != n {
			t.Fatalf("message %d is %d", n, got)
		}
	}
	if it.Err() != nil || n != uint64(messages) || b.MessageCount() != n {
		t.Errorf("%d messages, %v", n, it.Err())
	}
	if !stockbag.Available(t) {
		return
	}
	for name, list := range stockbag.Read(t, path) {
		for i, m := range list {
			want := stockbag.Sum(binary.LittleEndian.AppendUint64(nil, uint64(i)))
			if m.Sum != want || bagstore.Time(m.Time) != benchStart+bagstore.Time(i)*100_000 {
				t.Fatalf("in %s message %d is %v", name, i, m)
			}
		}
		if len(list) != messages {
			t.Errorf("%s reads %d messages", name, len(list))
		}
	}
}

// TestOddConnections checks topics without a leading slash, several publishers of a topic, empty
// messages and extra fields in the connection header.
func TestOddConnections(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := createBag(t, path, bagstore.Options{})
	a, b := stockbag.StringType("chatter"), stockbag.StringType("chatter")
	a.CallerID, b.CallerID, b.Latching = "/one", "/two", true
	a.Extra = []bagstore.Field{{Name: "original_topic", Value: "/elsewhere"}, {Name: "tcp_nodelay", Value: "1"}}
	for _, c := range []bagstore.Connection{a, b} {
		if _, err := w.AddConnection(c); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 6 {
		var data []byte
		if i%3 > 0 {
			data = stockbag.Text(i, 9)
		}
		if err := w.Write(uint32(i%2), bagstore.Time(i), data); err != nil { // time 0 becomes 1
			t.Fatal(err)
		}
	}
	need.Must(t, w.Close())
	bag := openBag(t, path, bagstore.OpenOptions{})
	got := bag.Connections()
	if len(got) != 2 || !same(got[0], &a) || !same(got[1], &b) {
		t.Errorf("connections %+v", got)
	}
	everywhere(t, path, readAll(t, path, bagstore.OpenOptions{}))
	if bag.Start() != bagstore.MinTime || bag.MessageCount() != 6 {
		t.Errorf("starts at %d, %d messages", bag.Start(), bag.MessageCount())
	}
}

// TestStockRewrites checks that stock reindex, compress, decompress and filter accept our bags,
// including checkpoints and padding, and lose nothing.
func TestStockRewrites(t *testing.T) {
	forcedAlike(t)
	for _, o := range ways() {
		o.ChunkSize, o.Checkpoint = 5000, -1
		dir := t.TempDir()
		path := filepath.Join(dir, "x.bag")
		w := createBag(t, path, o)
		small.feed(t, w)
		need.Must(t, w.Checkpoint())
		small.feedMore(t, w)
		need.Must(t, w.Close())
		want := readAll(t, path, bagstore.OpenOptions{})
		everywhere(t, path, want)
		pack := []string{"compress", "-f", "-q", "--lz4"}
		if o.Compression == bagstore.LZ4 {
			pack = []string{"decompress", "-f", "-q"}
		}
		for _, args := range [][]string{{"reindex", "-f", "-q"}, pack} {
			out := filepath.Join(dir, args[0])
			need.Must(t, os.Mkdir(out, 0o700))
			if _, err := stockbag.Run(t, "/usr/bin/rosbag", append(append(args, "--output-dir", out), path)...); err != nil {
				t.Fatal(err)
			}
			again := filepath.Join(out, "x.bag")
			stockbag.Compare(t, args[0], stockbag.Sorted(readAll(t, again, bagstore.OpenOptions{})), stockbag.Sorted(want))
			everywhere(t, again, readAll(t, again, bagstore.OpenOptions{}))
		}
		out := filepath.Join(dir, "filtered.bag")
		if _, err := stockbag.Run(t, "/usr/bin/rosbag", "filter", path, out, "topic != '/topic_2'"); err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, out, bagstore.OpenOptions{}); len(got) == 0 || len(got) >= len(want) {
			t.Errorf("filter leaves %d of %d", len(got), len(want))
		}
	}
}

// TestScanEnds checks that canceling the context ends a scan.
func TestScanEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.bag")
	sample{Topics: 1, Messages: 1500, Size: func(int) int { return 4000 }}.write(t, path, bagstore.Options{})
	b, err := os.ReadFile(path)
	need.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reads := 0
	r := readerFunc(func(p []byte, off int64) (int, error) {
		if reads++; reads == 20 {
			cancel()
		}
		return bytes.NewReader(b).ReadAt(p, off)
	})
	if _, err := openReader(r, int64(len(b)), path, bagstore.OpenOptions{Context: ctx, Scan: true}); !errors.Is(err, context.Canceled) || reads > 20 {
		t.Errorf("%v after %d reads", err, reads)
	}
}

type readerFunc func(p []byte, off int64) (int, error)

func (f readerFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }
