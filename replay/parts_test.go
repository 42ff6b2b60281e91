package replay

import (
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/test/need"
)

func TestTranslator(t *testing.T) {
	tr := translator{rate: 1}
	tr.anchor(bag0, wall0)
	for _, c := range []struct {
		rate float64
		bag  bagstore.Time
		wall Wall
	}{
		{1, bag0, wall0}, {1, bag0 + 1, wall0 + 1}, {1, bag0 - 1, wall0 - 1},
		{2, bag0 + 10, wall0 + 5}, {0.5, bag0 + 10, wall0 + 20}, {4, bag0 + 4*sec, wall0 + sec},
	} {
		tr.rate = c.rate
		if got := tr.wallOf(c.bag); got != c.wall {
			t.Errorf("rate %v: wallOf(%d) = %d, want %d", c.rate, c.bag, got, c.wall)
		}
		if got := tr.bagOf(c.wall); got != c.bag {
			t.Errorf("rate %v: bagOf(%d) = %d, want %d", c.rate, c.wall, got, c.bag)
		}
	}
	tr.rate = 1
	tr.anchor(bag0, wall0+sec)
	if got := tr.wallOf(bag0); got != wall0+sec {
		t.Errorf("anchored a second later: %d", got)
	}
	tr.rate = 1e-6 // half a century exceeds the range
	if got := tr.wallOf(bagstore.MaxTime); got != never {
		t.Errorf("far future: %d", got)
	}
}

func TestArithmeticSaturates(t *testing.T) {
	for _, c := range []struct{ got, want int64 }{
		{add(math.MaxInt64, 1), math.MaxInt64}, {add(math.MinInt64, -1), math.MinInt64}, {add(1, -2), -1},
		{divide(math.MaxInt64, 1e-6), math.MaxInt64}, {divide(math.MinInt64, 1e-6), math.MinInt64}, {divide(7, 2), 4},
	} {
		if c.got != c.want {
			t.Errorf("got %d, want %d", c.got, c.want)
		}
	}
}

func TestLegalName(t *testing.T) {
	for in, want := range map[string]string{
		"/camera/image_raw": "/camera/image_raw",
		"/device_0/sensor_0/notification/Frames Timeout": "/device_0/sensor_0/notification/Frames_Timeout",
		"/a//b/": "/a/b", "": "/unnamed", "/": "/unnamed", "~private": "~private", "/a~b": "/a_b",
		"2fast": "topic_2fast", "_x": "topic_x", "/ünï/x\n": "/_n_/x_", "~ä": "~_", "\xff/a": "topic_/a",
	} {
		if got := legalName(in); got != want {
			t.Errorf("legalName(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzLegalName checks that any name in a bag becomes one that roscpp accepts.
func FuzzLegalName(f *testing.F) {
	for _, s := range []string{"/a b", "", "~", "~/", "//", "0", "/\x00", "_"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, topic string) {
		name := legalName(topic)
		if again := legalName(name); again != name {
			t.Errorf("%q becomes %q becomes %q", topic, name, again)
		}
		for i, c := range []byte(name) {
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
			if !(letter || c == '/' || i == 0 && c == '~' || i > 0 && (c == '_' || c >= '0' && c <= '9')) {
				t.Fatalf("%q becomes %q", topic, name)
			}
		}
	})
}

func TestNamesDoNotCollide(t *testing.T) {
	want := map[string]string{"/a_b": "/a_b", "/a b": "/a_b_2", "/a-b": "/a_b_3"}
	if got := names("", []string{"/a b", "/a_b", "/a-b"}); !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// moment returns a valid one.
func moment(text string) bagstore.Moment {
	m, err := bagstore.ParseMoment(text)
	if err != nil {
		panic(err)
	}
	return m
}

// parseTime parses a time in source as entered by a user.
func parseTime(text string, source Source) (bagstore.Time, error) {
	m, err := bagstore.ParseMoment(text)
	if err != nil {
		return 0, err
	}
	return m.In(source.View(bagstore.Query{Start: statics + 1}).Start), nil
}

func TestParseTime(t *testing.T) {
	source := Bags([]*bagstore.Recording{writeRaw(t, raw{1, "/s", "std_msgs/String", text("static")}, raw{1_700_000_000 * sec, "/a", "std_msgs/String", text("0")})})
	for in, want := range map[string]bagstore.Time{
		"": 0, "-1": 1_699_999_999 * sec, "-1700000000": 1, "1.5": 1_700_000_001.5 * sec, "1.5s": 1_700_000_001.5 * sec, "-2m": 1_699_999_880 * sec, "0.1": 1_700_000_000*sec + 100*ms, "1700000002": 1_700_000_002 * sec, "2023-11-14T22:13:20Z": 1_700_000_000 * sec,
	} {
		if got, err := parseTime(in, source); err != nil || got != want {
			t.Errorf("ParseTime(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"--1", "--1s", "2000000h", "-", "x", "1e30", "NaN"} {
		if got, err := parseTime(in, source); err == nil {
			t.Errorf("ParseTime(%q) = %d", in, got)
		}
	}
}

func TestParseRange(t *testing.T) {
	if r, err := ParseRange("1.25:2"); err != nil || *r != (Range{1250 * ms, 2 * sec}) {
		t.Errorf("got %v, %v", r, err)
	}
	for _, in := range []string{"1", "2:1", ":", "a:b", "1:"} {
		if r, err := ParseRange(in); err == nil {
			t.Errorf("ParseRange(%q) = %v", in, r)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, o := range map[string]Settings{
		"rate": {Rate: -1}, "not a number": {Rate: math.NaN()}, "gap": {SkipEmpty: -1}, "clock": {ClockHz: -1},
		"range": {LoopRange: &Range{2, 1}}, "end before start": {Start: bagstore.MomentAt(10), End: bagstore.MomentAt(5)},
	} {
		if _, err := New(Options{Output: &journal{}, Clock: &fakeClock{}, Settings: o}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestStartPastTheEnd(t *testing.T) {
	bag := writeRaw(t, raw{10 * sec, "/a", "std_msgs/String", text("0")}, raw{12500 * sec / 1000, "/a", "std_msgs/String", text("1")})
	for start, want := range map[string]string{
		"2.5": "", "0": "", "-1": "",
		"2.501": "start at 2.501s: the last message is 2.5s after the first",
	} {
		got := ""
		if _, err := New(Options{Source: Bags([]*bagstore.Recording{bag}), Output: &journal{}, Clock: &fakeClock{}, Settings: Settings{Start: moment(start)}}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", start, got, want)
		}
	}
}

func TestReadableTime(t *testing.T) {
	for in, want := range map[bagstore.Time]string{1: "0s", 1500 * ms: "1.5s", 1_700_000_000*sec + 250*ms: "2023-11-14 22:13:20.250000"} {
		if got := ReadableTime(in); got != want {
			t.Errorf("ReadableTime(%d) = %q, want %q", in, got, want)
		}
	}
}

// TestSystemClock checks that a wait ends at its time and not before, unless woken, even if woken in
// advance.
func TestSystemClock(t *testing.T) {
	c, err := NewSystem()
	need.Must(t, err)
	defer c.Close() //nolint:errcheck // at the end
	until := c.Now() + 3*ms
	c.Wait(until)
	if now := c.Now(); now < until {
		t.Errorf("woke up %v early", time.Duration(until-now))
	}
	c.Wait(c.Now() - 1)
	c.Wake()
	c.Wait(never)
	go c.Wake()
	c.Wait(never)
}

// TestStampsThatStay checks that a user who asks for other stamps gets one warning about a topic that
// keeps its own.
func TestStampsThatStay(t *testing.T) {
	var conns []*bagstore.Connection
	for i := range 3 {
		conns = append(conns, &bagstore.Connection{ID: uint32(i), Topic: "/x", Type: "a/B", MD5: strings.Repeat("0", 32), Definition: "Unknown u\n"})
	}
	for _, c := range []struct {
		o    Settings
		want int
	}{{Settings{}, 0}, {Settings{Restamp: true}, 1}, {Settings{LoopMonotonic: true}, 1}} {
		if _, _, problems := plan(conns, &Options{Settings: c.o}); len(problems) != c.want || c.want > 0 && !strings.Contains(problems[0], "/x") {
			t.Errorf("%+v: %q", c.o, problems)
		}
	}
}

// Only messages whose content nobody reads are mapped from the file.
func TestUntouched(t *testing.T) {
	plain, latched := &bagstore.Connection{ID: 1}, &bagstore.Connection{ID: 2}
	byConn := map[*bagstore.Connection]*channel{plain: {}, latched: {Channel: Channel{Latch: true}}}
	for _, c := range []struct {
		o    Settings
		conn *bagstore.Connection
		want bool
	}{
		{Settings{}, plain, true},
		{Settings{}, latched, false},
		{Settings{}, &bagstore.Connection{}, false},
		{Settings{Restamp: true}, plain, false},
		{Settings{LoopMonotonic: true}, plain, false},
	} {
		p := &Player{o: Options{Output: Nowhere{}, Settings: c.o}, channels: &channels{byConn: byConn}}
		if got := p.untouched(c.conn); got != c.want {
			t.Errorf("%+v, connection %d: %v", c.o, c.conn.ID, got)
		}
	}
}
