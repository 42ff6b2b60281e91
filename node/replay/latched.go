package replay

import (
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/msgs"
)

// statics is the time of device info and calibration in RealSense recordings, 1 ns.
const statics = bagstore.MinTime

func (p *Player) playStatics() error {
	view := p.o.Source.View(bagstore.Query{Connections: p.playing, End: statics})
	return p.playAll(view)
}

func (p *Player) playAll(view View) error {
	it := view.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		if err := p.publish(p.channels.byConn[m.Conn], m, p.time.stampShift(p.time.at, p.clock.Now())); err != nil {
			return err
		}
	}
	return it.Err()
}

func (p *Player) playing(c *bagstore.Connection) bool { return p.channels.byConn[c] != nil }

// untouched reports whether a connection's messages are passed on unread.
func (p *Player) untouched(c *bagstore.Connection) bool {
	ch := p.channels.byConn[c]
	if r, ok := p.o.Output.(Reader); ok && ch != nil && r.Reads(ch.Channel) {
		return false
	}
	return ch != nil && !ch.Latch && !ch.LatchAll && !p.o.Restamp && !p.o.LoopMonotonic
}

// prelude publishes the messages that a subscriber connected from since to bag time t
// would have latched: the last message before t of each latched channel, and the last
// of each set of static transforms.
func (p *Player) prelude(since, t bagstore.Time) error {
	if t <= since {
		return nil
	}
	for _, ch := range p.channels.list {
		if !ch.Latch && !ch.tfStatic {
			continue
		}
		publish := func(m Recorded) error { return p.publish(ch, m, p.time.stampShift(p.time.at, p.clock.Now())) }
		if err := p.visitLast(ch, since, t, publish); err != nil {
			return err
		}
	}
	return nil
}

// visitLast calls f with the last message before t, or with the last of each set.
func (p *Player) visitLast(ch *channel, since, t bagstore.Time, f func(Recorded) error) error {
	if ch.tfStatic {
		return p.staticTransforms(ch, since, t, f)
	}
	return lastOf(p.before(ch, since, t), f)
}

// before selects a channel's messages from since to just before t.
func (p *Player) before(ch *channel, since, t bagstore.Time) View {
	return p.o.Source.View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return ch.conns[c] },
		Start:       since,
		End:         t - 1,
	})
}

func lastOf(view View, f func(Recorded) error) error {
	it := view.Iterator()
	defer it.Close()
	it.SeekEnd()
	if !it.Prev() {
		return it.Err()
	}
	return f(it.Message())
}

// staticTransforms calls f with the newest message for each set of transforms.
func (p *Player) staticTransforms(ch *channel, since, t bagstore.Time, f func(Recorded) error) error {
	it := p.before(ch, since, t).Iterator()
	defer it.Close()
	var keys []string // oldest first
	newest := make(map[string]Recorded)
	for it.Next() {
		m := it.Message()
		key := transformsKey(m.Data)
		keys = append(slices.DeleteFunc(keys, func(k string) bool { return k == key }), key)
		newest[key] = Recorded{Message: bagstore.Message{Time: m.Time, Data: slices.Clone(m.Data)}}
	}
	for _, key := range keys {
		if err := f(newest[key]); err != nil {
			return err
		}
	}
	return it.Err()
}

// transformsKey returns the child frames of a TFMessage as a key, so that messages of
// several publishers that share a callerid in the bag don't replace each other.
func transformsKey(data []byte) string {
	var m msgs.TFMessage
	if msgs.Unmarshal(data, &m) != nil {
		return ""
	}
	var frames []string
	for i := range m.Transforms {
		frames = append(frames, m.Transforms[i].ChildFrameID)
	}
	slices.Sort(frames)
	return strings.Join(frames, "\n")
}
