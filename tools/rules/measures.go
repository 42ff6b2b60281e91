package rules

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
)

// Measures are the quantities of one recording that rules limit. They are for one goroutine.
type Measures struct {
	// These must be set before rules are judged.
	OutOfOrder uint64 // see [bagstore.CheckReport]
	RealSense  bool   // the recording has the layout, and every frame fits it
	LostFrames uint64 // frame numbers left out, if it has the layout

	size         int64
	compressions []string
	messages     uint64
	first, last  bagstore.Time
	topics       []*topic // by name
	publishers   map[*bagstore.Connection]*publisher
}

type topic struct {
	name        string
	types       []string
	messages    uint64
	timed       uint64 // messages with a time of their own
	first, last bagstore.Time
	within      spread // times between messages, from the start of the recording
	size        spread
	step, delay spread
	publishers  []*publisher
}

type publisher struct {
	topic   *topic
	spec    *msgs.Spec // nil: the definition is invalid
	numbers msgs.Numbers
	counts  bool // there are numbers
	stamped bool // last is valid
	last    msgs.Time
}

// NewMeasures returns the measures of an open recording before its first message.
func NewMeasures(bag *bagstore.Recording) *Measures {
	m := &Measures{size: bag.Size(), publishers: make(map[*bagstore.Connection]*publisher)}
	heads, _, _ := bag.Layouts() // a check reports those that can't be read
	for _, h := range heads {
		if c := string(h.Compression); c != "" && !slices.Contains(m.compressions, c) {
			m.compressions = append(m.compressions, c)
		}
	}
	slices.Sort(m.compressions)
	topics := make(map[string]*topic)
	var specs msgs.Cache[*msgs.Spec]
	for _, c := range bag.Connections() {
		t := topics[c.Topic]
		if t == nil {
			t = &topic{name: c.Topic}
			topics[c.Topic] = t
			m.topics = append(m.topics, t)
		}
		if !slices.Contains(t.types, c.Type) {
			t.types = append(t.types, c.Type)
		}
		p := &publisher{topic: t}
		p.spec, _ = specs.Get(c.Type, c.Definition, msgs.Parse) // messages without a valid definition have no header
		t.publishers = append(t.publishers, p)
		m.publishers[c] = p
	}
	slices.SortFunc(m.topics, func(a, b *topic) int { return strings.Compare(a.name, b.name) })
	return m
}

// Message adds the next message in time order. It ignores one that can't be read.
func (m *Measures) Message(msg bagstore.Message, err error) {
	p := m.publishers[msg.Conn]
	if err != nil || p == nil {
		return
	}
	t := p.topic
	m.messages++
	t.messages++
	t.size.add(float64(len(msg.Data)), msg.Time)
	if msg.Time > bagstore.MinTime && !msg.TimeClamped { // others have no time of their own
		m.time(t, msg.Time)
	}
	if p.spec != nil {
		p.header(msg)
	}
}

func (m *Measures) time(t *topic, at bagstore.Time) {
	m.first = cmp.Or(m.first, at)
	if t.timed == 0 {
		t.first, t.last = at, m.first
	}
	t.within.add(float64(at-t.last), t.last)
	t.timed++
	t.last, m.last = at, at
}

func (p *publisher) header(msg bagstore.Message) {
	if seq, ok := p.spec.Seq(msg.Data); ok {
		p.numbers.Next(seq)
		p.counts = true
	}
	stamp, ok := p.spec.Stamp(msg.Data)
	if !ok {
		return
	}
	p.topic.delay.add(float64(int64(msg.Time)-int64(stamp)), msg.Time)
	if p.stamped {
		p.topic.step.add(float64(stamp-p.last), msg.Time)
	}
	p.stamped, p.last = true, stamp
}

func (m *Measures) lostFrames(*topic) spread {
	if !m.RealSense {
		return spread{why: "no intact RealSense layout"}
	}
	return exactly(float64(m.LostFrames))
}

func (m *Measures) gap(t *topic) spread {
	s := t.within
	if s.found {
		s.add(float64(m.last-t.last), t.last)
	}
	return s
}

func (t *topic) rate() spread {
	if t.first == t.last {
		return spread{why: "no two messages of different times"}
	}
	return exactly(float64(t.timed-1) * float64(time.Second) / float64(t.last-t.first))
}

// noHeader is the reason why messages have neither stamps nor numbers.
const noHeader = "no header"

func (t *topic) lost() spread {
	missing, s := uint64(0), spread{why: noHeader}
	for _, p := range t.publishers {
		if p.counts {
			missing += p.numbers.Missing()
			s = exactly(float64(missing))
		}
	}
	return s
}

// stamps returns the spread of stamps' differences, empty if there is only one.
func (t *topic) stamps(s spread) spread {
	if !t.delay.found {
		s.why = noHeader
	}
	return s
}
