package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/program/work"
	"rsros/record/upload"
	"rsros/ros"
	"rsros/test/need"
)

// box is a black box of topics whose time tests make.
type box struct {
	*series
	t     *testing.T
	parts []map[string]int // messages of the topics, of each join
}

var boxRing = Ring{Before: 5 * time.Second, After: 3 * time.Second}

func newBox(t *testing.T, dir string, o Options) *box {
	t.Helper()
	o.Output, o.Ring, o.Latched = filepath.Join(dir, "walk"), boxRing, true
	log := zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)
	s, err := newTopicSeries(o, work.NewBudget(1<<30), time.Now, bagstore.Losses{}, log)
	need.Must(t, err)
	b := &box{series: s, t: t}
	join := s.join
	s.join = func(parts []string, out string) error {
		sum := map[string]int{}
		for _, path := range parts {
			for topic, texts := range texts(t, path) {
				sum[topic] += len(texts)
			}
		}
		sum["/map"] -= len(parts) - 1 // that begin the later ones
		b.parts = append(b.parts, sum)
		return join(parts, out)
	}
	return b
}

func (b *box) must(err error) {
	b.t.Helper()
	need.Must(b.t, err)
}

// run records a count every tenth of a second, with triggers at some, and a map that changes at 120.
func (b *box) run(counts int, triggers ...int) {
	b.t.Helper()
	start := b.ring.now
	say := func(topic, latching, text string, now time.Time) {
		m := &ros.Buffer{Data: append([]byte{byte(len(text)), 0, 0, 0}, text...)}
		m.Retain() // it is in no pool
		at := bagstore.TimeOf(now)
		b.must(b.write(&item{topic: topic, header: headerOf("/talker", latching), at: at, stamp: at, arrival: now, buffer: m}))
	}
	b.must(b.next())
	say("/map", "1", "first map", start)
	for n := range counts {
		now := start.Add(time.Duration(n) * 100 * time.Millisecond)
		b.itemTime = bagstore.TimeOf(now)
		if slices.Contains(triggers, n) {
			b.must(b.ringTrigger(now))
		}
		b.must(b.tick(&item{at: b.itemTime, arrival: now}))
		say("/count", "0", stamp(n), now)
		if n == 120 {
			say("/map", "1", "second map", now)
		}
	}
	b.must(b.end())
}

// texts returns the messages of a recording's topics.
func texts(t *testing.T, path string) map[string][]string {
	t.Helper()
	got := map[string][]string{}
	each(t, path, func(m bagstore.Message) {
		got[m.Conn.Topic] = append(got[m.Conn.Topic], strings.Trim(string(m.Data[4:]), "\x00\x01\x04\x0a\x0b"))
	})
	return got
}

// namesIn returns the names of what is in a folder.
func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	return strings.Fields(listing(t, dir))
}

// find returns the paths in a folder that match a pattern.
func find(t *testing.T, dir, pattern string) (paths []string) {
	t.Helper()
	names, err := fs.Glob(os.DirFS(dir), pattern)
	need.Must(t, err)
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return paths
}

// checkCounts checks that counts have all numbers from first to last, once and in order.
func checkCounts(t *testing.T, counts []string, first, last int) {
	t.Helper()
	for i, text := range counts {
		if text != stamp(first+i) {
			t.Fatalf("%s at %d, of %v", text, i, counts)
		}
	}
	if len(counts) != last-first+1 {
		t.Errorf("%d counts from %d on, want up to %d", len(counts), first, last)
	}
}

// TestTriggerKeepsOneFile checks that the parts of a trigger's time become one file of any format, that a trigger in this
// time prolongs it, and that one right after it has a file that goes on.
func TestTriggerKeepsOneFile(t *testing.T) {
	for name, o := range map[string]Options{
		"plain": {}, "lz4": {Bag: bagstore.Options{Compression: bagstore.LZ4}}, "bz2": {Bag: bagstore.Options{Compression: bagstore.BZ2, ChunkSize: 100}},
		"db3": {DB3: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			b := newBox(t, dir, o)
			b.run(300, 100, 110, 150)
			files := namesIn(t, dir)
			if len(files) != 2 || len(b.parts) != 2 {
				t.Fatalf("left %q, joined %v", files, b.parts)
			}
			first, second := texts(t, filepath.Join(dir, files[0])), texts(t, filepath.Join(dir, files[1]))
			checkCounts(t, first["/count"], 40, 139) // files of a second are kept whole
			checkCounts(t, second["/count"], 140, 179)
			if !slices.Equal(first["/map"], []string{"first map", "second map"}) || !slices.Equal(second["/map"], []string{"second map"}) {
				t.Errorf("maps %q, then %q", first["/map"], second["/map"])
			}
			for i, got := range []map[string][]string{first, second} {
				for topic, n := range b.parts[i] {
					if len(got[topic]) != n {
						t.Errorf("%s of file %d: %d messages, the parts had %d", topic, i, len(got[topic]), n)
					}
				}
			}
			if f := b.totals(); f.Files != 2 || f.Bytes == 0 || !slices.Equal(f.Paths, []string{filepath.Join(dir, files[0]), filepath.Join(dir, files[1])}) {
				t.Errorf("%+v", f)
			}
			if !o.DB3 {
				stockCounts(t, filepath.Join(dir, files[0]), 102)
			}
		})
	}
}

// stockCounts checks that rosbag reads a number of messages from a bag.
func stockCounts(t *testing.T, path string, want int) {
	t.Helper()
	out, err := exec.Command(need.Python(t, "rosbag"), "-c", `
import rosbag, sys
b = rosbag.Bag(sys.argv[1])
print(b.get_message_count(), sum(1 for _ in b.read_messages()))`, path).CombinedOutput()
	if text := fmt.Sprintf("%d %d\n", want, want); err != nil || string(out) != text {
		t.Errorf("rosbag reads %s, %v; want %s", out, err, text)
	}
}

// copyAs copies a file or a folder.
func copyAs(t *testing.T, from, to string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(to), 0o777)
	if st, e := os.Stat(from); e == nil && st.IsDir() {
		err = errors.Join(err, os.CopyFS(to, os.DirFS(from)))
	} else {
		b, e := os.ReadFile(from)
		err = errors.Join(err, e, os.WriteFile(to, b, 0o666))
	}
	need.Must(t, err)
}

// TestKilledWhileJoining kills a recorder, as far as its files are concerned, at each step of keeping what a trigger wants.
// Everything is there, and the next recorder leaves it in one file, once.
func TestKilledWhileJoining(t *testing.T) {
	dir := t.TempDir()
	var killed []string
	snapshot := func() {
		to := filepath.Join(t.TempDir(), "killed")
		found, _ := filepath.Glob(filepath.Join(dir, "walk_*.[bp]a*")) // the ring goes on
		for _, path := range found {
			copyAs(t, path, filepath.Join(to, filepath.Base(path)))
		}
		killed = append(killed, to)
	}
	b := newBox(t, dir, Options{})
	join := b.join
	b.join = func(parts []string, out string) error {
		snapshot()
		partial := out + ".partial"
		if err := os.WriteFile(partial, []byte("half of it"), 0o666); err != nil {
			return err
		}
		snapshot()
		if err := os.Remove(partial); err != nil {
			return err
		}
		return join(parts, out)
	}
	b.betweenSteps = snapshot
	b.run(200, 100)
	for step, dir := range killed {
		moved := len(namesIn(t, dir)) > 1 // or a part, while it is linked to its new name
		for _, twice := range []bool{false, true} {
			whole, _ := filepath.Glob(filepath.Join(dir, "walk_*.parts", "walk_*[0-9].bag"))
			if twice && (moved || len(whole) != 1) {
				continue
			}
			t.Run(fmt.Sprint(step, twice), func(t *testing.T) {
				again := filepath.Join(t.TempDir(), "again[1]") // no pattern
				need.Must(t, os.CopyFS(again, os.DirFS(dir)))
				if twice {
					from := find(t, again, "walk_*.parts/*.bag")
					need.Must(t, os.Link(from[0], filepath.Join(again, filepath.Base(from[0]))))
				}
				found := map[string]bool{}
				for _, path := range append(find(t, again, "*.bag"), find(t, again, "walk_*.parts/*.bag")...) {
					for _, text := range texts(t, path)["/count"] {
						found[text] = true
					}
				}
				if len(found) != 90 {
					t.Fatalf("%d counts are there", len(found))
				}
				next := newBox(t, again, Options{Uploads: waitingQueue(t, upload.Options{}, again)})
				next.run(10)
				files, rest := find(t, again, "*.bag"), find(t, again, "*.parts")
				if len(files) != 1 || len(rest) != 0 {
					t.Fatalf("left %q and %q", files, rest)
				}
				got := texts(t, files[0])
				checkCounts(t, got["/count"], 40, 129)
				if len(got["/map"]) != 2 {
					t.Errorf("maps %q", got["/map"])
				}
				if n := next.o.Uploads.Status().Waiting; n != 1 {
					t.Errorf("%d files wait for upload", n)
				}
				if f := next.totals(); len(f.Paths) != 0 {
					t.Errorf("the next recorder counts %q", f.Paths)
				}
			})
		}
	}
	if len(killed) < 12 {
		t.Errorf("%d steps", len(killed))
	}
}

// TestPartsWithoutRoom checks that a trigger's parts become files of their own, and are uploaded, if the disk has no room
// to join them.
func TestPartsWithoutRoom(t *testing.T) {
	dir := t.TempDir()
	b := newBox(t, dir, Options{MinSpace: 1 << 60, Uploads: waitingQueue(t, upload.Options{}, dir)})
	b.run(200, 100)
	files, _ := filepath.Glob(filepath.Join(dir, "walk_*_[0-9].bag"))
	var counts []string
	for _, path := range files {
		counts = append(counts, texts(t, path)["/count"]...)
	}
	checkCounts(t, counts, 40, 129)
	if rest, _ := filepath.Glob(filepath.Join(dir, "*.parts")); len(files) < 3 || len(rest) != 0 {
		t.Errorf("left %q and %q", files, rest)
	}
	if n := b.o.Uploads.Status().Waiting; n != len(files) {
		t.Errorf("%d of %d files wait for upload", n, len(files))
	}
	if f := b.totals(); !slices.Equal(f.Paths, files) {
		t.Errorf("%q, want %q", f.Paths, files)
	}
}

// TestPartsOfOthers checks that a recorder leaves what another one keeps.
func TestPartsOfOthers(t *testing.T) {
	dir := t.TempDir()
	b := newBox(t, dir, Options{})
	b.must(b.next())
	b.must(b.ringTrigger(b.ring.now))
	before, err := filepath.Glob(filepath.Join(dir, "*.parts"))
	newBox(t, dir, Options{}).run(10)
	after, _ := filepath.Glob(filepath.Join(dir, "*.parts"))
	if err != nil || len(before) != 1 || !slices.Equal(before, after) {
		t.Errorf("%q, then %q", before, after)
	}
	b.must(b.end())
}
