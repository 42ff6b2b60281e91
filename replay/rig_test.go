package replay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// fakeClock jumps to the time that the player waits for, running the scripted events on the way.
type fakeClock struct {
	now    Wall
	woken  atomic.Bool
	script []event
}

type event struct {
	after time.Duration // since wall0
	do    func()
}

func (c *fakeClock) Now() Wall { return c.now }

func (c *fakeClock) Wake() { c.woken.Store(true) }

func (c *fakeClock) Wait(t Wall) {
	if c.woken.Swap(false) {
		return
	}
	if len(c.script) > 0 && wall0+Wall(c.script[0].after) <= t {
		e := c.script[0]
		c.script = c.script[1:]
		c.now = max(c.now, wall0+Wall(e.after))
		e.do()
		return
	}
	if t == never {
		panic("the player waits for ever: the script is over")
	}
	c.now = t
}

// journal is an Output that logs what is published, as "+10ms /a 3" or "+10ms clock 1000.01".
type journal struct {
	Nowhere
	clock    Clock
	lines    []string
	channels []Channel
	refuse   string                                        // a topic that can't be advertised
	room     func(ctx context.Context, topic string) error // of Sink.Room; nil: there always is
}

func (j *journal) add(format string, args ...any) {
	j.lines = append(j.lines, fmt.Sprintf("+%v ", time.Duration(j.clock.Now()-wall0))+fmt.Sprintf(format, args...))
}

func (j *journal) Advertise(c Channel) (Sink, error) {
	if c.Topic == j.refuse {
		return nil, errors.New("refused")
	}
	j.channels = append(j.channels, c)
	return &journalSink{j, c}, nil
}

func (j *journal) PublishClock(t bagstore.Time) {
	j.add("clock %s", strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.9f", t.Seconds()), "0"), "."))
}

type journalSink struct {
	j *journal
	c Channel
}

func (s *journalSink) Publish(_ context.Context, m msgs.Raw) error {
	data := append(slices.Clone(m.Head), m.Body...)
	if m.Owner != nil {
		m.Owner.Release()
	}
	s.j.add("%s %s", s.c.Topic, show(s.c.Type.Name, data))
	return nil
}

func (s *journalSink) Room(ctx context.Context, _ int64) error {
	if s.j.room == nil {
		return nil
	}
	return s.j.room(ctx, s.c.Topic)
}

func (s *journalSink) Subscribers() int { return 1 }

func show(typ string, data []byte) string {
	switch typ {
	case "std_msgs/String":
		return strings.TrimRight(msgs.NewDecoder(data).String(), " ")
	case "std_msgs/Header":
		d := msgs.NewDecoder(data)
		seq := d.U32()
		return fmt.Sprint(seq, " ", int64(d.Time()))
	case "tf2_msgs/TFMessage":
		return strings.ReplaceAll(transformsKey(data), "\n", ",")
	}
	return fmt.Sprintf("%d bytes", len(data))
}

// entry is one message of a test bag: at is relative to bag0.
type entry struct {
	at    time.Duration
	topic string
	text  string
}

func text(s string) []byte {
	var e msgs.Encoder
	e.String(s)
	return e.B
}

// write makes a bag of std_msgs/String messages. A topic with "latched" in its name is latched;
// "topic@callerid" names the publisher.
func write(t *testing.T, entries ...entry) *bagstore.Recording {
	t.Helper()
	var list []raw
	for _, e := range entries {
		list = append(list, raw{bag0.Add(e.at), e.topic, "std_msgs/String", text(e.text)})
	}
	return writeRaw(t, list...)
}

type raw struct {
	at         bagstore.Time
	topic, typ string
	data       []byte
}

func writeRaw(t *testing.T, list ...raw) *bagstore.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.bag")
	w := samplebag.Create(t, path, bagstore.Options{ChunkSize: 200})
	for _, r := range list {
		topic, caller, _ := strings.Cut(r.topic, "@")
		c := samplebag.Topic(topic, r.typ)
		c.CallerID, c.Latching = caller, strings.Contains(topic, "latched")
		w.Put(c, r.at, r.data)
	}
	w.Done()
	return samplebag.Open(t, path)
}

// counting returns a bag of n messages "0", "1", … on /a, every 10 ms.
func counting(t *testing.T, n int) *bagstore.Recording {
	var list []entry
	for i := range n {
		list = append(list, entry{time.Duration(i) * 10 * ms, "/a", fmt.Sprint(i)})
	}
	return write(t, list...)
}

// wrapped is a source whose iterators are made of another one's.
type wrapped struct {
	Source
	wrap func(Iterator) Iterator
}

func (s wrapped) View(q bagstore.Query) View { return wrappedView{s.Source.View(q), s.wrap} }

type wrappedView struct {
	View
	wrap func(Iterator) Iterator
}

func (v wrappedView) Iterator() Iterator { return v.wrap(v.View.Iterator()) }

// rig is a player with a fake environment.
type rig struct {
	*Player
	clock   *fakeClock
	journal *journal
}

func newRig(t *testing.T, settings Settings, bags ...*bagstore.Recording) *rig {
	t.Helper()
	return rigOf(t, Options{Log: zerolog.New(zerolog.NewTestWriter(t)), Settings: settings}, bags...)
}

// rigOf sets what all rigs share.
func rigOf(t *testing.T, o Options, bags ...*bagstore.Recording) *rig {
	t.Helper()
	clock := &fakeClock{now: wall0}
	j := &journal{clock: clock}
	o.Source, o.Output, o.Clock = Bags(bags), j, clock
	p, err := New(o)
	need.Must(t, err)
	return &rig{p, clock, j}
}

// at schedules a command.
func (r *rig) at(after time.Duration, c Command) {
	r.clock.script = append(r.clock.script, event{after, func() { r.Submit(c) }})
}

func (r *rig) run(t *testing.T) []string {
	t.Helper()
	need.Must(t, r.Run(t.Context()))
	return r.journal.lines
}

func expect(t *testing.T, got []string, want string) {
	t.Helper()
	var lines []string
	for _, l := range strings.Split(want, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	if !slices.Equal(got, lines) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(lines, "\n\t"))
	}
}

type scripted struct {
	after time.Duration
	c     Command
}
