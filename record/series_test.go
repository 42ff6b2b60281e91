package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/program/work"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// hand is a clock that tests move.
type hand struct{ now time.Time }

func (h *hand) time() time.Time         { return h.now }
func (h *hand) advance(d time.Duration) { h.now = h.now.Add(d) }

// files opens the first file of a recording of topics.
func files(t *testing.T, o Options) (*series, *hand) {
	t.Helper()
	clock := &hand{time.Unix(1000, 0)}
	f, err := newTopicSeries(o, work.NewBudget(1<<30), clock.time, bagstore.Losses{}, zerolog.New(zerolog.NewTestWriter(t)))
	if err == nil {
		err = f.next()
	}
	need.Must(t, err)
	return f, clock
}

func finish(t *testing.T, f *series) {
	t.Helper()
	need.Must(t, f.end())
}

// pass lets a tick come at a time.
func pass(t *testing.T, f *series, now time.Time) {
	t.Helper()
	f.itemTime = bagstore.TimeOf(now)
	need.Must(t, f.splitIfDue(&item{}))
}

// listing returns the names of the files of a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	need.Must(t, err)
	var all []string
	for _, e := range list {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// TestNamesWhileRecording checks that a file has its final name only once it is whole, and is a bag
// before that.
func TestNamesWhileRecording(t *testing.T) {
	dir := t.TempDir()
	f, _ := files(t, Options{Output: filepath.Join(dir, "x.bag")})
	if got := listing(t, dir); got != "x.bag.active" {
		t.Errorf("while it is written: %s", got)
	}
	b, err := rosbag.Open(filepath.Join(dir, "x.bag.active"), bagstore.OpenOptions{})
	if err != nil {
		t.Errorf("the active file: %v", err)
	} else if err := b.Close(); err != nil {
		t.Error(err)
	}
	finish(t, f)
	if got := listing(t, dir); got != "x.bag" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestTakenNames checks that a recording never replaces a file, whenever that appeared.
func TestTakenNames(t *testing.T) {
	keep := func(t *testing.T, path string) {
		t.Helper()
		need.Must(t, os.WriteFile(path, []byte("keep"), 0o666))
		t.Cleanup(func() {
			if got, err := os.ReadFile(path); err != nil || string(got) != "keep" {
				t.Errorf("%s holds %q, %v", path, got, err)
			}
		})
	}
	for _, c := range []struct {
		name  string
		taken string
		split bool
	}{
		{"final", "x.bag", false},
		{"active, of a killed recorder", "x.bag.active", false},
		{"first part", "x_0.bag", true},
	} {
		for kind, open := range bothSeries {
			if kind == "camera" && c.taken == "x.bag.active" {
				continue
			}
			t.Run(c.name+", "+kind, func(t *testing.T) {
				o, ending := Options{}, ".bag"
				if c.split {
					o, ending = Options{Split: true, MaxTime: time.Hour}, "_0.bag"
				}
				dir := t.TempDir()
				keep(t, filepath.Join(dir, c.taken))
				f := open(t, filepath.Join(dir, "x.bag"), o)
				finish(t, f)
				if paths := f.totals().Paths; len(paths) != 1 || !strings.HasPrefix(filepath.Base(paths[0]), "x_2") || !strings.HasSuffix(paths[0], ending) {
					t.Errorf("recorded into %q", paths)
				}
			})
		}
	}
	t.Run("taken while it was recorded", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.bag")
		f, _ := files(t, Options{Output: path})
		keep(t, path)
		if err := f.end(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("close: %v", err)
		}
		if _, err := os.Stat(path + activeSuffix); err != nil {
			t.Error(err)
		}
	})
	t.Run("overwrite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.bag")
		need.Must(t, os.WriteFile(path, []byte("old"), 0o666))
		f, _ := files(t, Options{Output: path, Bag: bagstore.Options{Overwrite: true}})
		finish(t, f)
		samplebag.Open(t, path)
	})
}

// TestDuration checks that limits count the messages' time, and expire without a message.
func TestDuration(t *testing.T) {
	t.Run("end", func(t *testing.T) {
		o := Options{Output: filepath.Join(t.TempDir(), "x"), Topics: []string{"/x"}, TotalTime: 2 * time.Second}
		need.Must(t, o.completeTopics())
		f, clock := files(t, o)
		for n := range 3 {
			if f.limitReached {
				t.Fatalf("over after %d s", n)
			}
			f.itemTime = bagstore.TimeOf(clock.now)
			need.Must(t, f.splitIfDue(&item{part: uint32(min(n, 1))})) // a split by request, after a second
			clock.advance(time.Second)
		}
		finish(t, f)
		if f.made != 2 || !f.limitReached {
			t.Errorf("%d files, over: %v", f.made, f.limitReached)
		}
	})
	t.Run("split", func(t *testing.T) {
		dir := t.TempDir()
		f, clock := files(t, Options{Output: filepath.Join(dir, "x"), MaxTime: 2 * time.Second, Split: true})
		// 4.5 s is 0.5 s after a whole multiple, so the third file ends at 6 s.
		for _, step := range []time.Duration{1, 1, 2500, 1600} {
			if step < 10 {
				step *= 1000
			}
			clock.advance(step * time.Millisecond)
			pass(t, f, clock.now)
		}
		finish(t, f)
		if got := listing(t, dir); got != "x_0.bag x_1.bag x_2.bag x_3.bag" {
			t.Errorf("files: %s", got)
		}
	})
}

// TestMaxSplits checks that as many finished files stay as rosbag record keeps.
func TestMaxSplits(t *testing.T) {
	dir := t.TempDir()
	f, clock := files(t, Options{Output: filepath.Join(dir, "x"), MaxTime: time.Second, Split: true, MaxSplits: 2})
	for range 5 {
		clock.advance(time.Second)
		pass(t, f, clock.now)
	}
	if got := listing(t, dir); got != "x_3.bag x_4.bag x_5.bag.active" {
		t.Errorf("files: %s", got)
	}
	finish(t, f)
}

// TestSpaceGuard checks that the disk is queried once a second, sooner after half of the free bytes, and that both changes are reported.
func TestSpaceGuard(t *testing.T) {
	free, asked := int64(10), 0
	g := spaceGuard{minimum: 5, free: func(string) (int64, error) { asked++; return free, nil }}
	now := time.Unix(0, 0)
	for i, step := range []struct {
		free    int64
		after   time.Duration
		size    int
		changed bool
		low     bool
		asked   int
	}{
		{10, 0, 0, false, false, 1},
		{4, spaceEvery / 2, 0, false, false, 1}, // not asked yet
		{4, spaceEvery / 2, 0, true, true, 2},
		{4, spaceEvery, spaceStep, false, true, 3},
		{4, spaceEvery / 2, spaceStep, false, true, 3}, // not written
		{5, spaceEvery / 2, spaceStep, true, false, 4},
		{5, 0, spaceStep, false, false, 4},
		{8*spaceStep + 5, 0, 1, false, false, 5},
		{4*spaceStep + 5, 0, 4 * spaceStep, false, false, 5},
		{4*spaceStep + 5, 0, 1, false, false, 6},
		{4, 0, 2*spaceStep + 1, true, true, 7},
	} {
		free, now = step.free, now.Add(step.after)
		if changed := g.check("x.bag", step.size, now); changed != step.changed || g.low.Load() != step.low || asked != step.asked {
			t.Errorf("step %d: changed %v, low %v, asked %d times", i, changed, g.low.Load(), asked)
		}
	}
}

// TestTotals checks that a recording of several files ends at the limits of all.
func TestTotals(t *testing.T) {
	for name, c := range map[string]struct {
		o     Options
		files string
	}{
		"time": {Options{TotalTime: 2500 * time.Millisecond}, "x_0.bag x_1.bag x_2.bag"},
		"size": {Options{TotalSize: 9 << 10}, "x_0.bag x_1.bag x_2.bag"}, // a file of one message has some 4.5 KB
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.o.Output, c.o.MaxTime, c.o.Split = filepath.Join(dir, "x"), time.Second, true
			f, clock := files(t, c.o)
			for i := 0; !f.limitReached && i < 10; i++ {
				pass(t, f, clock.now)
				clock.advance(500 * time.Millisecond)
			}
			finish(t, f)
			if got := listing(t, dir); got != c.files || !f.limitReached {
				t.Errorf("files: %s, ended: %v", got, f.limitReached)
			}
		})
	}
}

// TestLimits checks which limits are of a file, and which are of all files.
func TestLimits(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct{ given, want Options }{
		"rosbag":            {Options{TotalTime: 9 * s}, Options{TotalTime: 9 * s}},
		"rosbag's --split":  {Options{Split: true, TotalTime: 9 * s, TotalSize: 5}, Options{Split: true, MaxTime: 9 * s, MaxSize: 5}},
		"files":             {Options{MaxTime: s}, Options{Split: true, MaxTime: s}},
		"files and totals":  {Options{MaxSize: 5, TotalTime: 9 * s}, Options{Split: true, MaxSize: 5, TotalTime: 9 * s}},
		"files and --split": {Options{Split: true, MaxTime: s, TotalSize: 50}, Options{Split: true, MaxTime: s, TotalSize: 50}},
	} {
		o := c.given
		o.Topics = []string{"/x"}
		c.want.Topics = o.Topics
		if err := o.completeTopics(); err != nil || !reflect.DeepEqual(o, c.want) {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}

// TestExcluded checks that each of several expressions leaves topics out.
func TestExcluded(t *testing.T) {
	f, err := newTopicFilter(Options{All: true, Exclude: []string{"/a.*", "/b"}}, nil)
	if err != nil || f.match("/ab", "") || f.match("/b", "") || !f.match("/bc", "") {
		t.Errorf("%+v, %v", f, err)
	}
}
