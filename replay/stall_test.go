package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/test/need"
)

// stuckSource is a source that blocks once, when reading one of its messages, until released.
type stuckSource struct {
	Source
	at      bagstore.Time
	blocked atomic.Bool
	gate    chan struct{}
	letGo   func()
	read    chan struct{} // closed when everything was read
	finish  func()
	err     error // error for the message, if not nil
}

func newStuckSource(bag *bagstore.Recording, at bagstore.Time) *stuckSource {
	s := &stuckSource{at: at, gate: make(chan struct{})}
	s.Source = wrapped{Bags([]*bagstore.Recording{bag}), func(it Iterator) Iterator { return &stuckIterator{Iterator: it, s: s} }}
	s.letGo = sync.OnceFunc(func() {
		s.blocked.Store(false)
		close(s.gate)
	})
	s.read = make(chan struct{})
	s.finish = sync.OnceFunc(func() { close(s.read) })
	return s
}

// letRead releases the read, and waits until everything was read.
func (s *stuckSource) letRead() {
	s.letGo()
	<-s.read
}

type stuckIterator struct {
	Iterator
	s              *stuckSource
	passed, failed bool
}

func (it *stuckIterator) Err() error {
	if it.failed {
		return it.s.err
	}
	return it.Iterator.Err()
}

func (it *stuckIterator) Next() bool {
	ok := it.Iterator.Next()
	if ok && it.Message().Time == it.s.at {
		select {
		case <-it.s.gate:
		default:
			it.s.blocked.Store(true)
			<-it.s.gate
		}
		it.passed, it.failed = true, it.s.err != nil
		return !it.failed
	}
	if !ok && it.passed {
		it.s.finish()
	}
	return ok
}

// stuckClock advances by itself while the player waits for the message.
type stuckClock struct {
	fakeClock
	source *stuckSource
	player *Player
}

func (c *stuckClock) Now() Wall {
	if c.source.blocked.Load() && c.player.reports.messages.Load() == 5 {
		c.now += ms
	}
	return c.now
}

// stallRig plays 20 messages, one every 10 ms; reading number 5 blocks until released.
func stallRig(t *testing.T, settings Settings) (*rig, *stuckSource) {
	t.Helper()
	source := newStuckSource(counting(t, 20), bag0.Add(50*time.Millisecond))
	clock := &stuckClock{fakeClock{now: wall0}, source, nil}
	settings.ClockHz = 100
	j := &journal{clock: &clock.fakeClock}
	var p *Player
	status := func(s Status) {
		if s.Round == 1 && s.Loop {
			p.Submit(SetLoop{false})
		}
	}
	p, err := New(Options{Source: source, Output: j, Clock: clock, Log: zerolog.New(zerolog.NewTestWriter(t)), Settings: settings, Interrupt: source.letGo, OnStatus: status})
	need.Must(t, err)
	clock.player = p
	return &rig{p, &clock.fakeClock, j}, source
}

// messages returns the messages and when they were published, and checks that /clock isn't ahead of
// any.
func (j *journal) messages(t *testing.T) (texts []string, at []time.Duration) {
	t.Helper()
	bag := -1.0
	for _, line := range j.lines {
		when, text, _ := strings.Cut(line, " ")
		d, err := time.ParseDuration(strings.TrimPrefix(when, "+"))
		need.Must(t, err)
		word, rest, _ := strings.Cut(text, " ")
		if word == "clock" {
			bag, err = strconv.ParseFloat(rest, 64)
			need.Must(t, err)
			continue
		}
		n, err := strconv.Atoi(rest)
		need.Must(t, err)
		if due := bag0.Seconds() + float64(n)/100; bag > due+1e-9 {
			t.Errorf("message %d comes when the clock shows %.3f", n, bag-bag0.Seconds())
		}
		texts, at = append(texts, rest), append(at, d)
	}
	return texts, at
}

func numbers(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(i))
	}
	return list
}

// TestStall checks that bag time pauses while reading a message blocks. Afterwards everything is
// published in order and on time.
func TestStall(t *testing.T) {
	for name, test := range map[string]struct {
		settings Settings
		paused   bool // from 200 to 250 ms
		want     []string
		stalls   int
	}{
		"plain":            {want: numbers(20), stalls: 1},
		"twice as fast":    {settings: Settings{Rate: 2}, want: numbers(20), stalls: 1},
		"paused meanwhile": {paused: true, want: numbers(20), stalls: 2},
		"loop":             {settings: Settings{Loop: true}, want: append(numbers(20), numbers(20)...), stalls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, source := stallRig(t, test.settings)
			if test.paused {
				r.at(200*ms, Pause{})
				r.at(250*ms, Resume{})
			}
			var during Status
			r.clock.script = append(r.clock.script, event{450 * ms, func() { during = r.Status() }}, event{500 * ms, source.letRead})
			r.run(t)
			texts, at := r.journal.messages(t)
			if !slices.Equal(texts, test.want) {
				t.Fatalf("got %v", texts)
			}
			interval := 10 * ms / max(test.settings.Rate, 1)
			for i := range texts[:19] {
				if d := at[i+1] - at[i]; i != 4 && d != time.Duration(interval) {
					t.Errorf("%v from message %d to the next", d, i)
				}
			}
			s := r.Status()
			pause := at[19] - time.Duration(19*interval)
			if test.paused {
				pause -= 50 * ms
			}
			if off := (s.Stalled - pause).Abs(); s.Stalls != test.stalls || off > 10*ms || s.WorstLate > stallLeast || during.State != Stalled {
				t.Errorf("%d stalls of %v, want %v; at worst %v late; %s meanwhile", s.Stalls, s.Stalled, pause, s.WorstLate, during.State)
			}
		})
	}
}

// TestCommandsWhileStalled checks that each command takes effect before the message is read.
func TestCommandsWhileStalled(t *testing.T) {
	for name, test := range map[string]struct {
		commands []Command
		want     string
	}{
		"seek":                  {[]Command{SeekTo{bag0 + 120*ms}}, "0 1 2 3 4 12 13 14 15 16 17 18 19"},
		"seek back and forth":   {[]Command{SeekTo{bag0}, SeekTo{bag0 + 180*ms}}, "0 1 2 3 4 18 19"},
		"stop":                  {[]Command{Stop{}}, "0 1 2 3 4"},
		"step":                  {[]Command{Pause{}, StepMessage{}, Resume{}}, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19"},
		"stop while it steps":   {[]Command{Pause{}, StepMessage{}, Stop{}}, "0 1 2 3 4"},
		"rate":                  {[]Command{SetRate{2}}, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19"},
		"a range that is ahead": {[]Command{SetRange{Range{150 * ms, 190 * ms}}, SetLoop{false}}, "0 1 2 3 4 15 16 17 18 19"},
	} {
		t.Run(name, func(t *testing.T) {
			r, source := stallRig(t, Settings{})
			for i, c := range test.commands {
				r.at(time.Duration(300+i)*ms, c)
			}
			r.clock.script = append(r.clock.script, event{500 * ms, source.letGo})
			r.run(t)
			texts, at := r.journal.messages(t)
			if got := strings.Join(texts, " "); got != test.want {
				t.Errorf("got %s", got)
			}
			s := r.Status()
			if pause := at[len(at)-1] - 115*ms; name == "rate" && (s.Stalled-pause).Abs() > 10*ms { // 40 ms, and 150 ms at rate 2
				t.Errorf("stalled for %v of %v", s.Stalled, pause)
			}
			if s.Stalls == 0 || s.Stalled < 100*ms {
				t.Errorf("%d stalls of %v", s.Stalls, s.Stalled)
			}
		})
	}
}

// TestInterruptedWhileStalled checks that canceling the context stops a player that waits for a
// message.
func TestInterruptedWhileStalled(t *testing.T) {
	r, _ := stallRig(t, Settings{})
	ctx, cancel := context.WithCancel(t.Context())
	r.clock.script = append(r.clock.script, event{300 * ms, cancel})
	if err := r.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s := r.Status(); s.Messages != 5 || s.Stalls != 1 {
		t.Errorf("%d messages, %d stalls", s.Messages, s.Stalls)
	}
}

// TestReadingEnds checks that a failing source ends playback and doesn't count as damage.
func TestReadingEnds(t *testing.T) {
	r, source := stallRig(t, Settings{})
	source.err = &place.Error{Name: "s3://b/k", Err: errors.New("the server is gone")}
	r.clock.script = []event{{300 * ms, source.letGo}}
	if err := r.Run(t.Context()); !errors.Is(err, source.err) || len(r.Problems()) > 0 {
		t.Errorf("%v, %v", err, r.Problems())
	}
}

// gatedIterator reads no latched message before its gate is open: they are looked for backwards.
type gatedIterator struct {
	Iterator
	gate chan struct{}
}

func (it gatedIterator) Last(t bagstore.Time) (bool, error) {
	<-it.gate
	return it.Iterator.Last(t)
}

// TestSeekWhileHalted: a seek doesn't wait until what is latched there is read, so other commands are executed. What
// is latched still comes first.
func TestSeekWhileHalted(t *testing.T) {
	for name, last := range map[string]Command{"played": Resume{}, "stopped": Stop{}} {
		t.Run(name, func(t *testing.T) {
			list := []raw{{bag0, "/latched", "std_msgs/String", text("0")}}
			for i := 1; i < 20; i++ {
				list = append(list, raw{bag0.Add(time.Duration(i) * ms), "/a", "std_msgs/String", text(fmt.Sprint(i))})
			}
			gate := make(chan struct{})
			source := wrapped{Bags([]*bagstore.Recording{writeRaw(t, list...)}), func(it Iterator) Iterator { return gatedIterator{it, gate} }}
			open := sync.OnceFunc(func() { close(gate) })
			clock, err := NewSystem()
			need.Must(t, err)
			defer clock.Close()
			j := &journal{clock: clock}
			p, err := New(Options{Source: source, Output: j, Clock: clock, Log: zerolog.New(zerolog.NewTestWriter(t)), Interrupt: open, Settings: Settings{Paused: true}})
			need.Must(t, err)
			ended := make(chan error)
			go func() { ended <- p.Run(t.Context()) }()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			for _, c := range []Command{SeekTo{bag0 + 10*ms}, SetRate{2}, SeekTo{bag0 + 15*ms}} {
				if err := p.Do(ctx, c); err != nil {
					t.Errorf("%#v: %v", c, err)
				}
			}
			if name == "played" {
				open()
			}
			if err := p.Do(ctx, last); err != nil {
				t.Error(err)
			}
			open()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			texts, _ := j.messages(t)
			if want := "0 15 16 17 18 19"; name == "played" && strings.Join(texts, " ") != want || name == "stopped" && len(texts) > 0 {
				t.Errorf("got %v", texts)
			}
		})
	}
}
