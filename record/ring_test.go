package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program"
	"rsros/program/work"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// seconds is a file of a series, with one line per second.
type seconds struct {
	file
	path string
	text strings.Builder
}

func (f *seconds) Close() error        { return os.WriteFile(f.path, []byte(f.text.String()), 0o666) }
func (f *seconds) Size() int64         { return int64(f.text.Len()) }
func (f *seconds) WriteMethod() string { return "" }

func (f *seconds) Kept() (k bagstore.Kept) { return k }

// secondsOf returns a series of such files, which doesn't have the first one yet.
func secondsOf(t *testing.T, o Options, base string, log zerolog.Logger) *series {
	t.Helper()
	s, err := newSeries(o, base, extBag, work.NewBudget(0), log)
	need.Must(t, err)
	s.create = func(path string, _ bagstore.Options) (*part, error) {
		return &part{file: &seconds{path: path}, path: path, active: path}, nil
	}
	s.join = func(parts []string, out string) error {
		var text []byte
		for _, path := range parts {
			part, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = append(text, part...)
		}
		return os.WriteFile(out, text, 0o666)
	}
	return s
}

// say writes to the current file.
func (s *series) say(text string) { s.cur.file.(*seconds).text.WriteString(text) }

// ringOf returns a ring that began at a time, with its first file.
func ringOf(t *testing.T, o Ring, base string, log zerolog.Logger, now time.Time) *series {
	t.Helper()
	s := secondsOf(t, Options{}, base, log)
	need.Must(t, s.startRing(o, base, now))
	need.Must(t, s.next())
	return s
}

func stamp(n int) string { return fmt.Sprintf("%03d", n) }

// tenths writes a line every tenth of a second, with triggers at some of them, and returns the lines of
// the kept files.
func tenths(t *testing.T, o Ring, overlap bool, end int, triggers []int) (kept []string, dir string) {
	t.Helper()
	dir = t.TempDir()
	start := time.Unix(1_700_000_000, 0)
	s := ringOf(t, o, filepath.Join(dir, "walk"), zerolog.Nop(), start)
	s.overlap = overlap
	for n := range end {
		now := start.Add(time.Duration(n) * 100 * time.Millisecond)
		due := s.ringDue(now)
		if slices.Contains(triggers, n) {
			complete, err := s.trigger(now)
			need.Must(t, err)
			due = due || complete
		}
		if due {
			need.Must(t, s.next())
		}
		s.say(stamp(n) + "\n")
		most := s.keptFiles() + int((o.Before+2*o.each())/o.each()) + 3 // first, as parts are joined meanwhile
		if files := s.totals().Files; files > most {
			t.Fatalf("%d files at %d, want at most %d", files, n, most)
		}
	}
	need.Must(t, s.end())
	need.Must(t, s.end())
	files, err := filepath.Glob(filepath.Join(dir, "*.bag"))
	need.Must(t, err)
	slices.SortFunc(files, func(a, b string) int { // by time, then number
		if len(a) != len(b) && a[:len(dir)+26] == b[:len(dir)+26] {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	for _, f := range files {
		text, err := os.ReadFile(f)
		need.Must(t, err)
		kept = append(kept, string(text))
	}
	return kept, dir
}

// TestRing checks that a trigger keeps what was before it and what comes after it, once and in order,
// and that nothing else is kept.
func TestRing(t *testing.T) {
	for name, triggers := range map[string][]int{
		"none": nil, "one": {300}, "before the ring is full": {20}, "at once": {0}, "two apart": {200, 500}, "two that overlap": {200, 260},
		"two that touch": {200, 349}, "in a row": {100, 101, 102, 103, 110, 120}, "at the end": {599}, "while the end is near": {590},
	} {
		for _, overlap := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				o := Ring{Before: 10 * time.Second, After: 5 * time.Second}
				kept, dir := tenths(t, o, overlap, 600, triggers)
				lines := strings.Fields(strings.Join(kept, ""))
				if !slices.IsSorted(lines) || len(slices.Compact(slices.Clone(lines))) != len(lines) {
					t.Errorf("kept %v", lines)
				}
				for n := range 600 {
					inside, near := false, false
					for _, at := range triggers {
						inside = inside || n >= at-100 && n < min(at+50, 600)
						near = near || n >= at-130 && n < at+61
					}
					_, have := slices.BinarySearch(lines, stamp(n))
					if have != inside && (inside || !near) {
						t.Errorf("%d: kept is %v, want %v", n, have, inside)
					}
				}
				if rest, _ := os.ReadDir(dir); len(rest) != len(kept) || len(kept) > len(triggers) {
					t.Errorf("what is left: %v", rest)
				}
			})
		}
	}
}

// TestRingEndsEarly checks that a file which was too short for a trigger is complete a second after its begin.
func TestRingEndsEarly(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := ringOf(t, Ring{Before: time.Minute}, filepath.Join(t.TempDir(), "walk"), zerolog.Nop(), now)
	due := func(after time.Duration, want bool) {
		t.Helper()
		if s.ringDue(now.Add(after)) != want {
			t.Errorf("after %v: want %v", after, want)
		}
	}
	due(2*time.Second, false)
	if complete, err := s.trigger(now.Add(shortest / 2)); complete || err != nil {
		t.Fatal(complete, err)
	}
	due(shortest-1, false)
	due(shortest, true)
	need.Must(t, s.next())
	due(2*shortest, false)
	need.Must(t, s.end())
}

// takenFile is a file that another program has taken away.
type takenFile struct{ *seconds }

func (takenFile) Close() error { return bagstore.ErrGone }

// TestRingFileGone checks that a trigger's time ends with the file that spans its end, even if another program has taken
// that away: the next trigger has a file of its own.
func TestRingFileGone(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	s := ringOf(t, boxRing, filepath.Join(t.TempDir(), "walk"), zerolog.Nop(), start)
	for n, want := range []int{0, 0, 0, 1, 1, 1, 1, 1, 2} { // files kept after each second
		now := start.Add(time.Duration(n+1) * time.Second)
		s.ringDue(now)
		if n == 0 || n == 5 {
			_, err := s.trigger(now)
			need.Must(t, err)
		}
		if n == 3 {
			s.cur.file = takenFile{s.cur.file.(*seconds)}
		}
		need.Must(t, s.next())
		if s.joins.Wait(); len(s.done.Paths) != want {
			t.Errorf("after %v: kept %q, want %d files", now.Sub(start), s.done.Paths, want)
		}
	}
	if err := s.end(); !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("ended with %v", err)
	}
}

// TestRingAtRandom checks that the windows of random triggers are whole.
func TestRingAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 1))
	for range 50 {
		o := Ring{Before: time.Duration(1+r.IntN(20)) * time.Second, After: time.Duration(1+r.IntN(100)) * 100 * time.Millisecond}
		var triggers []int
		for n := range 590 {
			if r.IntN(100) == 0 {
				triggers = append(triggers, n)
			}
		}
		kept, _ := tenths(t, o, r.IntN(2) == 0, 590, triggers)
		lines := strings.Fields(strings.Join(kept, ""))
		for _, at := range triggers {
			for n := max(at-int(o.Before/1e8), 0); n < min(at+int(o.After/1e8), 590); n++ {
				if !slices.Contains(lines, stamp(n)) {
					t.Fatalf("%+v: the window of %d lacks %d", o, at, n)
				}
			}
		}
	}
}

// TestRingSize checks that the ring's size bounds it.
func TestRingSize(t *testing.T) {
	kept, _ := tenths(t, Ring{Before: 10 * time.Second, After: time.Second, Size: 160}, false, 400, []int{300})
	text := strings.Join(kept, "")
	if n := len(text); n < 160 || n > 400 {
		t.Errorf("kept %d bytes: %q", n, text)
	}
}

// TestRingShortens checks that a full disk takes the oldest files of a ring, the current one early if there
// is no other, and none that a waiting trigger keeps.
func TestRingShortens(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := ringOf(t, Ring{Before: 20 * time.Second, After: time.Second}, filepath.Join(t.TempDir(), "walk"), zerolog.Nop(), now)
	free := int64(10)
	g := spaceGuard{minimum: 5, ring: s, what: "messages", free: func(string) (int64, error) { return free - int64(len(s.ring.files)), nil }}
	// turns lets seconds pass, and checks how many files the ring has then, and whether the disk is full.
	turns := func(seconds, files int, low bool) {
		t.Helper()
		for range seconds {
			if s.ringDue(now) {
				need.Must(t, s.next())
			}
			g.check("walk.bag", 0, now)
			now = now.Add(time.Second)
		}
		if have := len(s.ring.files); have != files || g.low.Load() != low {
			t.Fatalf("%d files, low %v; want %d, %v", have, g.low.Load(), files, low)
		}
	}
	turns(11, 5, false) // a file is two seconds long
	turns(10, 5, false)
	if text := s.describe(); !strings.Contains(text, "shorter than 20s") {
		t.Errorf("status %q", text)
	}
	free = 7
	turns(1, 2, false)
	s.announce(now.Add(-time.Second))
	free = 5
	turns(1, 3, true) // all are the trigger's
	if _, err := s.trigger(now); err != nil {
		t.Fatal(err)
	}
	if n := s.keptFiles(); n != 3 {
		t.Errorf("%d files are kept", n)
	}
	free = 4
	turns(1, 0, true) // what is recorded after the trigger is kept, too
	if why := g.reason(); !strings.Contains(why, "4 files that triggers keep stay") {
		t.Errorf("dropping: %s", why)
	}
	free = 5
	now = now.Add(5 * time.Second)
	turns(3, 0, false)
	if s.made < 12 {
		t.Errorf("%d files", s.made)
	}
	free = 100
	turns(30, 12, false)
	if text := s.describe(); strings.Contains(text, "shorter") {
		t.Errorf("status %q", text)
	}
	need.Must(t, s.end())
}

// TestRingOnALazyDisk checks that a ring loses no more files than the disk lacks, if removing them shows
// later, and that files without an effect don't count twice.
func TestRingOnALazyDisk(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := ringOf(t, Ring{Before: 20 * time.Second, After: time.Second}, filepath.Join(t.TempDir(), "walk"), zerolog.Nop(), now)
	for range 9 {
		s.say("ten bytes.")
		need.Must(t, s.next())
	}
	g := spaceGuard{minimum: 115, ring: s, free: func(string) (int64, error) { return 100, nil }}
	for _, want := range []struct {
		files int
		low   bool
	}{{7, false}, {5, true}} {
		g.check("walk.bag", 0, now)
		now = now.Add(spaceEvery)
		if have := len(s.ring.files); have != want.files || g.low.Load() != want.low {
			t.Errorf("%d files, low %v; want %+v", have, g.low.Load(), want)
		}
	}
	need.Must(t, s.end())
}

// TestBlackBox checks that a recorder keeps what was before a trigger and after it, and nothing else,
// in bags that begin with the latched messages. The triggers are a rule's message, a topic that falls
// silent and a request.
func TestBlackBox(t *testing.T) {
	for _, by := range []string{"rule", "silence", "service"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			master := rig.Master(t).URI()
			talker(t, master, "/map", "here be dragons")
			n, p := advertise(t, master, ros.PublisherOptions{Topic: "/count", Type: msgs.MustType("std_msgs/UInt32")})
			o := config(t, master, Options{Topics: []string{"/count", "/map"}, Ring: Ring{Before: 2 * time.Second, After: time.Second}})
			o.ROS.Name = "recorder"
			switch by {
			case "rule":
				o.Triggers.Expressions = []string{"topic == '/count' and m.data == 160"}
			case "silence":
				o.Triggers.Silences = []string{"count=300ms"}
			}
			r, ended := start(t, o)
			peer.Await(t, "the recorder", func() bool { return p.Subscribers() == 1 })
			sent := uint32(0)
			for tick := time.NewTicker(20 * time.Millisecond); sent < 200; sent++ {
				<-tick.C
				p.Publish(msgs.Raw{Head: binary.LittleEndian.AppendUint32(nil, sent)})
				if by == "service" && sent == 160 {
					rig.Trigger(t, n, "/recorder/trigger")
				}
			}
			found := func() []string {
				files, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Output), "*.bag"))
				return files
			}
			peer.Await(t, "the kept file", func() bool { return len(found()) == 1 })
			r.Stop()
			need.Must(t, <-ended)
			got := map[uint32]bool{}
			for _, path := range found() {
				if recorded(t, path)["/map"] != 1 {
					t.Errorf("%s doesn't begin with what is latched", path)
				}
				each(t, path, func(m bagstore.Message) {
					if m.Conn.Topic == "/count" {
						got[binary.LittleEndian.Uint32(m.Data)] = true
					}
				})
			}
			if counts := recorded(t, found()[0]); len(found()) != 1 || counts["/count"] != uint64(len(got)) {
				t.Errorf("%q: %v, of %d counts", found(), counts, len(got))
			}
			first, last := uint32(110), uint32(160) // 2 s are 100 messages; the machine may be slow
			if by == "silence" {
				first, last = 150, 199
			}
			for i := first; i <= last; i++ {
				if !got[i] {
					t.Fatalf("%d is missing", i)
				}
			}
			if got[0] {
				t.Error("the start was kept, too")
			}
			if rest, _ := filepath.Glob(o.Output[:len(o.Output)-4] + "*" + ringSuffix); len(rest) > 0 {
				t.Errorf("%v is still there", rest)
			}
		})
	}
}

// TestRingLeft checks that the ring of a failed recorder stays, and that the next recorder reports it.
func TestRingLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hall [1]") // no pattern
	need.Must(t, os.Mkdir(dir, 0o777))
	var log strings.Builder
	now := time.Unix(1_700_000_000, 0)
	for range 2 {
		s := ringOf(t, Ring{Before: time.Second}, filepath.Join(dir, "walk[2]"), zerolog.New(&log), now)
		s.leaveRing()
		need.Must(t, s.end())
	}
	if left := find(t, dir, "*"+ringSuffix+"/*.bag"); len(left) != 2 || !strings.Contains(log.String(), "have left their rings") {
		t.Errorf("left %v, log %s", left, &log)
	}
	if _, err := os.Stat(filepath.Join(dir, "walk[2].bag")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestCameraRing checks that a camera's black box keeps a recording that plays alone, on one time line, without a gap.
func TestCameraRing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The bubble's time stands still while direct writes are waited for.
		s := newStudio(t, Options{Ring: Ring{Before: 5 * time.Second, After: 3 * time.Second}, Bag: bagstore.Options{Sink: bagstore.Buffered}})
		dir := t.TempDir()
		if _, err := s.Start(filepath.Join(dir, "walk.bag")); err != nil {
			t.Fatal(err)
		}
		for n := range 28 * 30 {
			time.Sleep(spacing)
			s.raise(1)
			if n == 20*30 {
				_, err := s.running().Trigger()
				s.must(err)
			}
		}
		if status := s.Current().Status(); !slices.ContainsFunc(status.Values, func(v msgs.KeyValue) bool { return v.Key == "Ring" }) {
			t.Errorf("status %+v", status)
		}
		s.must(s.Close())
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(left) != 1 {
			t.Fatalf("left %q", left)
		}
		rig.CheckTake(t, left[0])
		take := rig.ReadTake(t, left[0])
		if len(take.Snap.Sensors) != 2 {
			t.Errorf("%s describes %d sensors", left[0], len(take.Snap.Sensors))
		}
		numbers := take.Depth
		for i, n := range numbers {
			if n != numbers[0]+uint64(i) {
				t.Fatalf("frame %d stands where %d should", n, numbers[0]+uint64(i))
			}
		}
		if first, last := numbers[0], numbers[len(numbers)-1]; first < 13*30 || first > 15*30 || last < 23*30 || last > 25*30 {
			t.Errorf("kept frames %d to %d", first, last)
		}
	})
}
