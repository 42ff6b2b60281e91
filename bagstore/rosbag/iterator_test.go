package rosbag

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// disorderly writes bags of small chunks whose messages are out of order, with ties, and returns all
// messages in the order of a view.
func disorderly(t testing.TB, rnd *rand.Rand, n int, o bagstore.Options) ([]*bagstore.Recording, []seen) {
	t.Helper()
	var bags []*bagstore.Recording
	var all []seen
	for b := range n {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.bag", b))
		w := createBag(t, path, o)
		for i := range 3 {
			if _, err := w.AddConnection(stockbag.StringType(fmt.Sprintf("/bag%d/%d", b, i))); err != nil {
				t.Fatal(err)
			}
		}
		var written []seen
		for i := range 200 {
			conn := rnd.Uint32N(3)
			// Times rise with jitter; occasionally one falls back to the very start.
			stamp := bagstore.Time(1000 + i/2 + rnd.IntN(40))
			if rnd.IntN(30) == 0 {
				stamp = 1
			}
			data := stockbag.Text(i, rnd.IntN(300))
			need.Must(t, w.Write(conn, stamp, data))
			written = append(written, stockbag.NewMessage(fmt.Sprintf("/bag%d/%d", b, conn), stamp, data))
		}
		need.Must(t, w.Close())
		everywhere(t, path, written)
		all = append(all, written...)
		bag, err := Open(path, bagstore.OpenOptions{})
		need.Must(t, err)
		t.Cleanup(func() { bag.Close() })
		bags = append(bags, bag)
	}
	return bags, stockbag.ByTime(all)
}

// TestIteratorWalk walks at random, in both directions with seeks, and compares every step with a
// sorted list.
func TestIteratorWalk(t *testing.T) {
	forcedAlike(t)
	for _, o := range []bagstore.Options{{ChunkSize: 900}, {ChunkSize: 900, Compression: bagstore.LZ4}, {ChunkSize: 1}, {}} {
		t.Run(fmt.Sprintf("%d%s", o.ChunkSize, o.Compression), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			bags, all := disorderly(t, rnd, 3, o)
			set := bagstore.NewSet(bags...)
			for _, q := range []bagstore.Query{
				{},
				{Lead: 20 * time.Nanosecond}, // a large part of the bag
				{Start: 1040, End: 1060},
				{End: 1},
				{Start: 1050, Connections: func(c *bagstore.Connection) bool { return strings.HasSuffix(c.Topic, "/1") }},
			} {
				want := slices.DeleteFunc(slices.Clone(all), func(s seen) bool {
					return s.Time < q.Start || q.End != 0 && s.Time > q.End || q.Connections != nil && !strings.HasSuffix(s.Topic, "/1")
				})
				v := set.View(q)
				first, _ := v.Start()
				last, _ := v.End()
				if v.Count() != uint64(len(want)) || first != want[0].Time || last != want[len(want)-1].Time {
					t.Errorf("view of %d messages from %d to %d, want %d, %d, %d", v.Count(), first, last, len(want), want[0].Time, want[len(want)-1].Time)
				}
				walk(t, rnd, v, want)
			}
		})
	}
}

func walk(t *testing.T, rnd *rand.Rand, v *bagstore.View, want []seen) {
	t.Helper()
	it := v.Iterator()
	defer it.Close()
	at := 0
	for range 100 {
		switch rnd.IntN(4) {
		case 0:
			stamp := bagstore.Time(990 + rnd.IntN(200))
			it.Seek(stamp)
			at = sort.Search(len(want), func(i int) bool { return want[i].Time >= stamp })
		case 1:
			it.SeekEnd()
			at = len(want)
		}
		for range rnd.IntN(50) {
			if !it.Next() {
				if at != len(want) {
					t.Fatalf("Next stopped at %d of %d: %v", at, len(want), it.Err())
				}
				break
			}
			match(t, it.Message(), want[at])
			at++
		}
		for range rnd.IntN(50) {
			if !it.Prev() {
				if at != 0 {
					t.Fatalf("Prev stopped at %d: %v", at, it.Err())
				}
				break
			}
			at--
			match(t, it.Message(), want[at])
		}
	}
}

func match(t *testing.T, m bagstore.Message, want seen) {
	t.Helper()
	if got := (stockbag.NewMessage(m.Conn.Topic, m.Time, m.Data)); got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// TestHold checks that a held message stays intact while the iterator goes on and reuses its memory.
// TestMessagesAllocateNoMore checks that ranging over messages allocates as much as calling Next.
func TestMessagesAllocateNoMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.bag")
	small.write(t, path, bagstore.Options{})
	b := openBag(t, path, bagstore.OpenOptions{})
	v := b.View(bagstore.Query{})
	next := testing.AllocsPerRun(5, func() {
		it := v.Iterator()
		defer it.Close()
		for it.Next() { //nolint:revive // only reads
		}
	})
	ranged := testing.AllocsPerRun(5, func() {
		n := 0
		for _, err := range v.Messages() {
			need.Must(t, err)
			n++
		}
		if n != small.Messages {
			t.Fatalf("%d messages, want %d", n, small.Messages)
		}
	})
	if ranged > next+5 {
		t.Errorf("%.0f allocations, %.0f with Next", ranged, next)
	}
}

func TestHold(t *testing.T) {
	for _, o := range []bagstore.Options{{}, {Compression: bagstore.LZ4, ChunkSize: 2000}} {
		bags, want := disorderly(t, rand.New(rand.NewPCG(3, 4)), 2, o)
		v := bagstore.NewView(bags, bagstore.Query{})
		it := v.Iterator()
		type retained struct {
			data  []byte
			block *bagstore.Buffer
		}
		var list []retained
		for it.Next() {
			m := it.Message()
			list = append(list, retained{m.Data, m.Retain()})
		}
		it.Close()
		for i, h := range list {
			if stockbag.Sum(h.data) != want[i].Sum {
				t.Fatalf("message %d changed while it was held", i)
			}
			h.block.Release()
		}
	}
}

// TestReadingMemory pins what reading a bag of images allocates.
func TestReadingMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	images := sample{Topics: 2, Messages: 40, Size: func(i int) int { return 1_843_200 * (1 + i%2) / 2 }}
	images.write(t, path, bagstore.Options{})
	b := openBag(t, path, bagstore.OpenOptions{})
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	res := testing.Benchmark(func(tb *testing.B) {
		for tb.Loop() {
			it := v.Iterator()
			for it.Next() {
			}
			it.Close()
		}
	})
	if got := res.AllocedBytesPerOp(); got > 12<<20 {
		t.Errorf("reading 55 MB of images allocates %d bytes", got)
	}
}

// TestDamagedMessageIsPassed checks that an iterator reports a message that can't be read and continues
// after it.
func TestDamagedMessageIsPassed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	want := stockbag.ByTime(sample{Topics: 1, Messages: 20, Size: func(int) int { return 100_000 }}.write(t, path, bagstore.Options{ChunkSize: 1}))
	raw, err := os.ReadFile(path)
	need.Must(t, err)
	at := bytes.Index(raw[len(raw)/2:], []byte("\x04\x00\x00\x00op=\x02")) + len(raw)/2
	raw[at+7] = 9
	b, err := openReader(bytes.NewReader(raw), int64(len(raw)), "damaged", bagstore.OpenOptions{})
	need.Must(t, err)
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	n, bad := 0, 0
	for {
		if it.Next() {
			n++
		} else if it.Err() != nil {
			bad++
		} else {
			break
		}
	}
	if n != len(want)-1 || bad != 1 {
		t.Errorf("%d messages and %d errors, want %d and 1", n, bad, len(want)-1)
	}
}

// TestDamagedChunkIsReadOnce checks that each message of a chunk that can't be decompressed is an
// error, but the chunk is decompressed only once.
func TestDamagedChunkIsReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	small.write(t, path, bagstore.Options{Compression: bagstore.LZ4})
	raw, err := os.ReadFile(path)
	need.Must(t, err)
	r := &countingReader{r: bytes.NewReader(raw)}
	b, err := openReader(r, int64(len(raw)), "damaged", bagstore.OpenOptions{})
	need.Must(t, err)
	head, err := newChunkReader(FileOf(b)).header(&FileOf(b).chunks[0])
	need.Must(t, err)
	raw[dataEnd(head)-1]++ // in the checksum
	r.bytes = 0
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	bad := uint64(0)
	for it.Next() || it.Err() != nil {
		if it.Err() != nil {
			bad++
		}
	}
	if want := FileOf(b).chunks[0].Messages(); bad != want || r.bytes > 2*int64(len(raw)) {
		t.Errorf("%d errors for %d messages, %d bytes read of a file of %d", bad, want, r.bytes, len(raw))
	}
}
