package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program/work"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// images returns n images of each topic, 30 ms apart. Some time before each there is a text on another topic.
func images(n int, before string, early time.Duration, topics ...string) (list []raw) {
	for i := range n {
		at := bag0.Add(time.Duration(i) * 30 * ms)
		list = append(list, raw{at.Add(-early), before, "std_msgs/String", text(fmt.Sprint(i))})
		for _, topic := range topics {
			list = append(list, raw{at, topic, "sensor_msgs/Image", make([]byte, 5000)}) // larger than what is copied
		}
	}
	return list
}

// TestScenes checks publish times where topics or their gaps matter.
func TestScenes(t *testing.T) {
	gap := []entry{{0, "/a", "0"}, {10 * ms, "/a", "1"}, {time.Hour, "/a", "2"}, {time.Hour + 10*ms, "/a", "3"}}
	stops := []entry{{0, "/a", "0"}, {10 * ms, "/b", "stop"}, {20 * ms, "/a", "1"}, {30 * ms, "/b", "stop"}, {40 * ms, "/a", "2"}}
	latched := []entry{
		{0, "/latched@x", "old"}, {1 * ms, "/latched@y", "of y"}, {2 * ms, "/latched@x", "new"}, {3 * ms, "/other", "0"},
		{50 * ms, "/other", "1"}, {60 * ms, "/latched@x", "newest"}, {70 * ms, "/other", "2"},
	}
	follow := func(clock bagstore.Time) (list []scripted) {
		for i, at := range []time.Duration{0, 5, 25, 25, 30, 10, 40} {
			list = append(list, scripted{time.Duration(i+1) * sec, FollowTime{clock.Add(at * ms)}})
		}
		return list
	}
	const followed = `
			+1s /a 0
			+3s /a 1
			+3s /a 2
			+5s /a 3
			+6s /a 1
			+7s /a 2
			+7s /a 3
			+7s /a 4`
	for name, c := range map[string]struct {
		bag    *bagstore.Recording
		o      Settings
		script []scripted
		want   string
	}{
		"skip empty": {write(t, gap...), Settings{SkipEmpty: time.Second, ClockHz: 100, ClockPerMessage: true}, nil, `
			+0s clock 1000
			+0s /a 0
			+10ms clock 1000.01
			+10ms /a 1
			+10ms clock 4600
			+10ms /a 2
			+20ms clock 4600.01
			+20ms /a 3`},
		"paused within the gap, which is skipped when time goes on": {write(t, gap...), Settings{SkipEmpty: time.Second, Paused: true},
			[]scripted{{5 * ms, StepMessage{}}, {6 * ms, StepMessage{}}, {50 * ms, Resume{}}}, `
			+5ms /a 0
			+6ms /a 1
			+50ms /a 2
			+60ms /a 3`},
		"pause topics": {write(t, stops...), Settings{PauseTopics: []string{"/b"}}, []scripted{
			{100 * ms, Resume{}},            // plays on as if nothing had been
			{200 * ms, StepMessage{}},       // publishes the message that paused
			{201 * ms, TogglePauseTopics{}}, // and the next one wouldn't
			{300 * ms, Resume{}},
		}, `
			+0s /a 0
			+110ms /b stop
			+120ms /a 1
			+200ms /b stop
			+310ms /a 2`},
		"a clock in the bag's time": {counting(t, 5), Settings{FollowClock: true}, follow(bag0), followed},
		"a clock in another time":   {counting(t, 5), Settings{FollowClock: true}, follow(77 * sec), followed},
		"steps of frame sets": {writeRaw(t, images(3, "/imu", 1, "/depth", "/color")...), Settings{Paused: true},
			[]scripted{{1 * sec, StepFrameSet{}}, {2 * sec, StepFrameSet{}}, {3 * sec, Stop{}}}, `
			+1s /imu 0
			+1s /depth 5000 bytes
			+1s /color 5000 bytes
			+1s /imu 1
			+2s /depth 5000 bytes
			+2s /color 5000 bytes
			+2s /imu 2`},
		"a step to an image, after a seek to before what comes ahead of it": {writeRaw(t, images(4, "/info", 1*ms, "/depth")...), Settings{Paused: true},
			[]scripted{{1 * sec, StepFrameSet{}}, {2 * sec, SeekOffset{60 * ms}}, {3 * sec, StepFrameSet{}}, {4 * sec, Stop{}}}, `
			+1s /info 0
			+1s /depth 5000 bytes
			+1s /info 1
			+3s /info 2
			+3s /depth 5000 bytes
			+3s /info 3`},
		"latched before the start, and before a seek to 65 ms": {write(t, latched...), Settings{Start: moment("0.04")}, []scripted{{15 * ms, SeekOffset{15 * ms}}}, `
			+0s /latched new
			+0s /latched of y
			+0s /other 1
			+10ms /latched newest
			+15ms /latched newest
			+15ms /latched of y
			+20ms /other 2`},
		"latched before a loop": {write(t, latched...), Settings{Start: moment("0.04"), Loop: true}, []scripted{{25 * ms, Stop{}}}, `
			+0s /latched new
			+0s /latched of y
			+0s /other 1
			+10ms /latched newest
			+20ms /other 2
			+20ms /latched new
			+20ms /latched of y
			+20ms /other 1`},
		"steps back, up to the first set": {counting(t, 5), Settings{Paused: true}, []scripted{
			{1 * ms, StepFrameSet{}}, {2 * ms, StepFrameSet{}}, {3 * ms, StepFrameSet{}}, {4 * ms, StepBack{1}},
			{5 * ms, StepFrameSet{}}, {6 * ms, StepBack{2}}, {7 * ms, StepBack{9}}, {8 * ms, Stop{}},
		}, `
			+1ms /a 0
			+2ms /a 1
			+3ms /a 2
			+4ms /a 1
			+5ms /a 2
			+6ms /a 0
			+7ms /a 0`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.o, c.bag)
			for _, s := range c.script {
				r.at(s.after, s.c)
			}
			expect(t, r.run(t), c.want)
		})
	}
}

func TestRateControl(t *testing.T) {
	r := rigOf(t, Options{RateControl: true, Settings: Settings{RateControlMaxDelay: 15 * ms, ClockHz: 20}}, counting(t, 5))
	var states []State
	r.reports.onStatus = func(s Status) {
		if len(states) == 0 || states[len(states)-1] != s.State {
			states = append(states, s.State)
		}
	}
	r.at(60*ms, RateControlStamp{bag0.Add(5 * ms)}) // 20 − 5 = 15 ms behind: enough
	r.at(100*ms, RateControlStamp{bag0.Add(40 * ms)})
	expect(t, r.run(t), `
		+0s clock 1000
		+0s /a 0
		+10ms /a 1
		+20ms /a 2
		+50ms clock 1000.02
		+70ms /a 3
		+100ms clock 1000.03
		+110ms /a 4
		+110ms clock 1000.04`)
	if want := []State{Running, Delayed, Running, Delayed, Running, Finished}; !slices.Equal(states, want) {
		t.Errorf("states %q, want %q", states, want)
	}
}

func transforms(children ...string) []byte {
	var m msgs.TFMessage
	for _, c := range children {
		m.Transforms = append(m.Transforms, msgs.TransformStamped{ChildFrameID: c})
	}
	return msgs.Marshal(&m)
}

// TestStaticTransforms: several static publishers that the bag shows under one
// callerid must not replace each other before a start offset.
func TestStaticTransforms(t *testing.T) {
	b := writeRaw(t,
		raw{bag0, "/tf_static@play", "tf2_msgs/TFMessage", transforms("base")},
		raw{bag0 + 1, "/tf_static@play", "tf2_msgs/TFMessage", transforms("camera", "imu")},
		raw{bag0 + 2, "/tf_static@play", "tf2_msgs/TFMessage", transforms("base")},
		raw{bag0.Add(sec), "/a", "std_msgs/String", text("0")})
	r := newRig(t, Settings{Start: moment("0.5")}, b)
	expect(t, r.run(t), `
		+0s /tf_static camera,imu
		+0s /tf_static base
		+0s /a 0`)
	if c := r.journal.channels; len(c) != 2 || !c[1].LatchAll {
		t.Errorf("channels %+v: /tf_static must keep all", c)
	}
}

// TestRealSenseStatics: what an SDK bag holds at 1 ns comes at once, is kept for
// late subscribers, and isn't part of the time line.
func TestRealSenseStatics(t *testing.T) {
	list := []raw{
		{1, "/info", "std_msgs/String", text("serial")}, {1, "/info", "std_msgs/String", text("name")},
		{1, "/option/Laser Power/value", "std_msgs/String", text("1")},
	}
	for name, first := range map[string]bagstore.Time{"times from 0": 33 * ms, "times from 1970": bag0} {
		t.Run(name, func(t *testing.T) {
			b := writeRaw(t, append(slices.Clone(list),
				raw{first, "/image", "std_msgs/String", text("0")},
				raw{first.Add(10 * ms), "/option/Laser Power/value", "std_msgs/String", text("2")},
				raw{first.Add(20 * ms), "/image", "std_msgs/String", text("1")})...)
			r := newRig(t, Settings{}, b)
			r.at(15*ms, SeekOffset{15 * ms})
			expect(t, r.run(t), `
				+0s /info serial
				+0s /info name
				+0s /option/Laser_Power/value 1
				+0s /image 0
				+10ms /option/Laser_Power/value 2
				+15ms /option/Laser_Power/value 2
				+20ms /image 1`)
			for _, c := range r.journal.channels {
				want := map[string][2]bool{"/info": {false, true}, "/option/Laser_Power/value": {true, false}, "/image": {}}[c.Topic]
				if got := [2]bool{c.Latch, c.LatchAll}; got != want {
					t.Errorf("%s: latch, latch all = %v, want %v", c.Topic, got, want)
				}
			}
		})
	}
}

func TestFilter(t *testing.T) {
	b := write(t, entry{0, "/a", "0"}, entry{1 * ms, "/ab", "1"}, entry{2 * ms, "/b", "2"}, entry{12 * ms, "/b", "3"}, entry{22 * ms, "/b", "4"}, entry{32 * ms, "/b", "5"})
	full := func(list ...string) Filter {
		re, err := bagstore.ParsePatterns(list)
		need.Must(t, err)
		return Filter{Match: re}
	}
	exclude := Filter{Exclude: full("/a.*").Match}
	limits, err := work.ParseLimits([]string{"/b=50"})
	need.Must(t, err)
	for name, c := range map[string]struct {
		f    Filter
		want string
	}{
		"topics":     {Filter{Topics: []string{"/a", "/ab"}}, "+0s /a 0\n+1ms /ab 1"},
		"expression": {full("/a"), "+0s /a 0"},
		"excluded":   {exclude, "+0s /b 2\n+10ms /b 3\n+20ms /b 4\n+30ms /b 5"},
		"types":      {Filter{Topics: []string{"/a"}, Types: []string{"std_msgs/String"}}, "+0s /a 0"},
		"rate limit": {Filter{Limits: limits}, "+0s /a 0\n+1ms /ab 1\n+2ms /b 2\n+22ms /b 4"},
	} {
		t.Run(name, func(t *testing.T) { expect(t, newRig(t, Settings{Filter: c.f}, b).run(t), c.want) })
	}
}

func TestSeveralBags(t *testing.T) {
	a := write(t, entry{0, "/a", "0"}, entry{20 * ms, "/a", "2"})
	b := write(t, entry{10 * ms, "/a", "1"}, entry{20 * ms, "/b", "3"})
	r := newRig(t, Settings{Prefix: "/again"}, a, b)
	expect(t, r.run(t), `
		+0s /again/a 0
		+10ms /again/a 1
		+20ms /again/a 2
		+20ms /again/b 3`)
	if n := len(r.journal.channels); n != 2 {
		t.Errorf("%d channels", n)
	}
}

func TestUnplayableTopics(t *testing.T) {
	good := msgs.MustType("std_msgs/String")
	empty := msgs.MustType("std_msgs/Empty")
	for name, c := range map[string]struct {
		conn bagstore.Connection
		want string
	}{
		"no definition": {bagstore.Connection{Topic: "/x", Type: good.Name, MD5: good.MD5}, "topic /x is left out: type std_msgs/String has no definition"},
		"bad md5":       {bagstore.Connection{Topic: "/x", Type: good.Name, MD5: "*", Definition: good.Definition}, `topic /x is left out: "*" is not an md5sum`},
		"no type":       {bagstore.Connection{Topic: "/x", MD5: good.MD5, Definition: good.Definition}, `topic /x is left out: "" is not a message type`},
		"broken type":   {bagstore.Connection{Topic: "/x", Type: "\xe7eometry_msgs/Transform", MD5: good.MD5, Definition: good.Definition}, `topic /x is left out: "\xe7eometry_msgs/Transform" is not a message type`},
		"escaped type":  {bagstore.Connection{Topic: "/x", Type: "std_msgs/\x1b[31mString", MD5: good.MD5, Definition: good.Definition}, `topic /x is left out: "std_msgs/\x1b[31mString" is not a message type`},
		"empty type":    {bagstore.Connection{Topic: "/x", Type: empty.Name, MD5: empty.MD5}, ""},
		"another type":  {bagstore.Connection{Topic: "/a", Type: empty.Name, MD5: empty.MD5}, "a part of topic /a is left out"},
		"refused":       {bagstore.Connection{Topic: "/refused", Type: good.Name, MD5: good.MD5, Definition: good.Definition}, "topic /refused is left out: refused"},
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/x.bag"
			w := samplebag.Create(t, path, bagstore.Options{})
			w.Put(samplebag.Topic("/a", good.Name), bag0, text("good"))
			w.Put(c.conn, bag0, nil)
			w.Done()
			b := samplebag.Open(t, path)
			r := newRig(t, Settings{}, b)
			r.journal.refuse = "/refused"
			lines := r.run(t)
			if got := strings.Join(r.Problems(), "; "); !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
				t.Errorf("problems %q, want %q", got, c.want)
			}
			if !slices.Contains(lines, "+0s /a good") {
				t.Errorf("published %q", lines)
			}
		})
	}
}

// TestWhatIsMissingIsSaid: as a problem where it was asked for, else as a warning.
func TestWhatIsMissingIsSaid(t *testing.T) {
	match, err := bagstore.ParsePatterns([]string{"/a", "/no.*"})
	need.Must(t, err)
	var log bytes.Buffer
	r := rigOf(t, Options{Log: zerolog.New(&log).Level(zerolog.WarnLevel), Settings: Settings{
		Filter: Filter{Topics: []string{"/a", "/nowhere"}, Match: match, Types: []string{"std_msgs/String", "a/B"}, Limits: map[string]float64{"/limited": 1}},
		Prefix: "/again", PauseTopics: []string{"/paused"}, ClockTopics: []string{"/again/a", "/a"},
	}}, counting(t, 1))
	r.run(t)
	want := []string{"no bag has topic /nowhere", "no bag has topic that matches ^(?:/no.*)$", "no bag has messages of type a/B"}
	if p := r.Problems(); !slices.Equal(p, want) {
		t.Errorf("problems %q", p)
	}
	for _, text := range []string{"rate limits: topic /limited isn't played", "pause topics: topic /paused", "clock topics: topic /a isn't"} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("no %q in\n%s", text, log.String())
		}
	}
	if strings.Contains(log.String(), "/again/a") {
		t.Errorf("a warning of what is played:\n%s", log.String())
	}
}

func TestRecordedClock(t *testing.T) {
	b := writeRaw(t, raw{bag0, "/clock", "rosgraph_msgs/Clock", msgs.Marshal(&msgs.Clock{Clock: 5})}, raw{bag0, "/a", "std_msgs/String", text("0")})
	expect(t, newRig(t, Settings{}, b).run(t), "+0s /clock 8 bytes\n+0s /a 0")
	expect(t, newRig(t, Settings{ClockHz: 1}, b).run(t), "+0s clock 1000\n+0s /a 0")
}

func TestCommandsAfterTheEnd(t *testing.T) {
	r := newRig(t, Settings{}, counting(t, 1))
	r.run(t)
	if err := r.Do(t.Context(), Pause{}); !errors.Is(err, ErrStopped) {
		t.Errorf("pause after the end: %v", err)
	}
}

func TestCancel(t *testing.T) {
	r := newRig(t, Settings{Loop: true}, counting(t, 100))
	ctx, cancel := context.WithCancel(t.Context())
	r.clock.script = []event{{55 * ms, cancel}}
	if err := r.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
	if s := r.Status(); s.State != Finished || s.Messages != 6 {
		t.Errorf("status %+v", s)
	}
}

// TestSlowCommand: bag time is held while a command is executed, so no message is late.
func TestSlowCommand(t *testing.T) {
	r := newRig(t, Settings{}, counting(t, 4))
	r.at(15*ms, Call{func() { r.clock.now += 100 * ms }})
	expect(t, r.run(t), `
		+0s /a 0
		+10ms /a 1
		+120ms /a 2
		+130ms /a 3`)
	if s := r.Status(); s.Stalls != 1 || s.Stalled != 100*ms {
		t.Errorf("%d stalls of %v", s.Stalls, s.Stalled)
	}
}

// TestRealTime drives the machine's clock and commands from another goroutine.
func TestRealTime(t *testing.T) {
	j := &journal{clock: &fakeClock{}}
	clock, err := NewSystem()
	need.Must(t, err)
	defer clock.Close() //nolint:errcheck // at the end
	p, err := New(Options{Clock: clock, Source: Bags([]*bagstore.Recording{counting(t, 20)}), Output: j, Settings: Settings{Loop: true, ClockHz: 500, ClockPerMessage: true}})
	need.Must(t, err)
	done := make(chan error)
	go func() { done <- p.Run(t.Context()) }()
	for _, c := range []Command{Pause{}, SetRate{3}, Resume{}, SeekBy{50 * ms}, SetLoop{false}, SetLoop{true}, Pause{}, StepMessage{}, Resume{}, Stop{}} {
		var err error
		for errors.Is(err, ErrWaiting) || err == nil {
			if err = p.Do(t.Context(), c); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
	need.Must(t, <-done)
}

// manyTopics is a source with more connections than are played.
type manyTopics struct{ Source }

func (manyTopics) Connections() (list []*bagstore.Connection) {
	for range maxConnections + 1 {
		list = append(list, &bagstore.Connection{Topic: "/a", Type: "std_msgs/String"})
	}
	return list
}

// TestManyConnections checks that a recording with more connections than a graph has is refused.
func TestManyConnections(t *testing.T) {
	o := Options{Log: zerolog.Nop(), Source: manyTopics{Bags(nil)}, Output: &journal{}, Clock: &fakeClock{now: wall0}}
	if _, err := New(o); err == nil || !strings.Contains(err.Error(), "20001 connections to play, at most 20000") {
		t.Errorf("the player says %v", err)
	}
}
