package replay

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/moment"
	"rsros/bagstore/tools/convert"
	"rsros/test/bucket"
	"rsros/test/need"
)

// played lists what a player publishes, without the times of publishing, and its channels.
func played(t *testing.T, s Settings, bags ...*bagstore.Bag) (lines []string, channels string) {
	t.Helper()
	clock, err := NewSystem()
	if err != nil {
		t.Fatal(err)
	}
	defer clock.Close()
	j := &journal{clock: clock}
	s.Immediate = true
	p, err := New(Options{Source: Bags(bags), Output: j, Clock: clock, Log: zerolog.New(zerolog.NewTestWriter(t)), Settings: s})
	if err != nil {
		return []string{err.Error()}, ""
	}
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, l := range j.lines {
		_, l, _ = strings.Cut(l, " ")
		lines = append(lines, l)
	}
	for _, c := range j.channels {
		channels += fmt.Sprintln(c.Topic, c.Latch, c.LatchAll)
	}
	return lines, channels + fmt.Sprint(p.Range())
}

// partOf opens a recording at an address for a part.
func partOf(t *testing.T, address string, s Settings) *bagstore.Bag {
	t.Helper()
	bag, err := recording.Open(address, bagstore.OpenOptions{Context: t.Context(), Part: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bag.Close() }) // only read
	if !bag.Partial() || bag.Counts() == nil {
		t.Errorf("%s: a part: %v, counts: %v", address, bag.Partial(), bag.Counts())
	}
	if err := NarrowBags(t.Context(), []*bagstore.Bag{bag}, s); err != nil {
		t.Fatal(err)
	}
	return bag
}

// TestPlayPart plays parts of a .db3 at an address, of one file and of two that were split, as of the local file: the
// statics, the static transforms and latched messages from before, and the range. It fetches little else.
func TestPlayPart(t *testing.T) {
	large := func(i int) []byte { return text(fmt.Sprintf("%-*d", 20_000, i)) }
	list := []raw{{1, "/info", "std_msgs/String", text("serial")}, {1, "/option", "std_msgs/String", text("1")}}
	for i := range 1000 {
		at := bag0.Add(time.Duration(i) * 100 * ms)
		list = append(list, raw{at, "/a", "std_msgs/String", large(i)})
		switch {
		case i < 4:
			list = append(list, raw{at + 1, "/tf_static", "tf2_msgs/TFMessage", transforms(fmt.Sprint("t", i%3))})
		case i == 20:
			list = append(list, raw{at + 1, "/option", "std_msgs/String", text("2")})
		case i%20 == 5:
			list = append(list, raw{at + 1, "/latched", "std_msgs/String", text(fmt.Sprint("map ", i))})
		}
	}
	b, dir := bucket.Start(t), t.TempDir()
	to := func(name string, list []raw) {
		if _, err := convert.Messages(t.Context(), convert.Options{In: writeRaw(t, list...).Path(), Out: filepath.Join(dir, name)}); err != nil {
			t.Fatal(err)
		}
	}
	to("one.db3", list)
	if err := os.Mkdir(filepath.Join(dir, "split"), 0o777); err != nil {
		t.Fatal(err)
	}
	half := len(list) / 2
	to("split/a_0.db3", list[:half])
	to("split/a_1.db3", list[half:])
	for name, s := range map[string]Settings{
		"start":       {Start: 95 * sec},
		"a part":      {Start: 60 * sec, Duration: sec},
		"the first":   {Duration: sec / 2},
		"over halves": {Start: 49 * sec, Duration: 2 * sec},
		"one topic":   {Start: 60 * sec, Duration: sec, Filter: Filter{Topics: []string{"/a", "/tf_static"}}},
		"after all":   {Start: 1000 * sec},
		"wrong":       {Start: 60 * sec, Until: moment.At(bag0)},
	} {
		for _, file := range []string{"one.db3", "split"} {
			whole, err := recording.Open(filepath.Join(dir, file), bagstore.OpenOptions{Context: t.Context()})
			if err != nil {
				t.Fatal(err)
			}
			want, channels := played(t, s, whole)
			if err := whole.Close(); err != nil {
				t.Error(err)
			}
			address := b.Put(strings.ReplaceAll(name, " ", "")+file, filepath.Join(dir, file))
			b.Forget()
			got, gotChannels := played(t, s, partOf(t, address, s))
			if !slices.Equal(got, want) || gotChannels != channels || len(want) == 0 {
				t.Errorf("%s of %s: %d messages, want %d\n%s\nwant\n%s", name, file, len(got), len(want), gotChannels, channels)
			}
			requests, n := b.Bytes() // 20 MB if it is read whole. What is read ahead when playback ends varies.
			if t.Logf("%s of %s: %d messages, %d requests, %d bytes", name, file, len(got), requests, n); n > 10<<20 {
				t.Errorf("%s of %s: %d bytes were fetched", name, file, n)
			}
		}
	}
}

// TestPlayParts plays a part of two .db3 files as of the same files read whole. The first begins with messages of a type
// that can't be read, more than are listed at first. Each has a topic that is latched only because of the other.
func TestPlayParts(t *testing.T) {
	var early, late []raw
	for i := range 400 {
		at := bag0.Add(time.Duration(i) * 100 * ms)
		if i < 20 {
			early = append(early, raw{at, "/unknown", "std_msgs/String", text("?")})
		} else {
			early = append(early, raw{at, "/a", "std_msgs/String", text(fmt.Sprint(i))})
		}
		late = append(late, raw{at.Add(10 * sec), "/b", "std_msgs/String", text(fmt.Sprint(i))})
	}
	early = append(early, raw{bag0.Add(5 * sec), "/option", "std_msgs/String", text("of the first bag")})
	late = append([]raw{{1, "/option", "std_msgs/String", text("of the second bag")}}, late...)
	late = append(late, raw{bag0.Add(11 * sec), "/other", "std_msgs/String", text("of the second bag")})
	early = append([]raw{{1, "/other", "std_msgs/String", text("of the first bag")}}, early...)
	var paths []string
	for i, list := range [][]raw{early, late} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".db3"))
		if _, err := convert.Messages(t.Context(), convert.Options{In: writeRaw(t, list...).Path(), Out: path}); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	const script = `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute("UPDATE topics SET type = 'unknown_msgs/msg/Unknown' WHERE name = '/unknown'")
c.commit()
`
	if out, err := exec.Command(need.Python(t, "sqlite3"), "-c", script, paths[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	store := bucket.Start(t)
	open := func(part bool) (bags []*bagstore.Bag) {
		for _, path := range paths {
			if part {
				path = store.Put(filepath.Base(path), path)
			}
			b, err := recording.Open(path, bagstore.OpenOptions{Context: t.Context(), Part: part})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close() }) // only read
			if bags = append(bags, b); b.Partial() != part {
				t.Fatal("a part:", b.Partial())
			}
		}
		return bags
	}
	for name, s := range map[string]Settings{
		"a part":         {Start: 20 * sec, Duration: sec},
		"until a date":   {Start: 20 * sec, Until: moment.At(bag0.Add(30 * sec))},
		"before a start": {StartAt: moment.At(bag0.Add(12 * sec)), Duration: sec},
	} {
		bags := open(true)
		if err := NarrowBags(t.Context(), bags, s); err != nil {
			t.Fatal(err)
		}
		got, gotChannels := played(t, s, bags...)
		want, channels := played(t, s, open(false)...)
		if !slices.Equal(got, want) || gotChannels != channels || len(want) < 10 {
			t.Errorf("%s: %q %s\nwant %q %s", name, got, gotChannels, want, channels)
		}
	}
}
