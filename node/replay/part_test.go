package replay

import (
	"fmt"
	"os"
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
			requests, n := b.Bytes()
			if t.Logf("%s of %s: %d messages, %d requests, %d bytes", name, file, len(got), requests, n); n > 7<<19 {
				t.Errorf("%s of %s: %d bytes were fetched", name, file, n)
			}
		}
	}
}
