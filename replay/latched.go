package replay

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/msgs"
)

// statics is the time of device info and calibration in RealSense recordings, 1 ns.
const statics = bagstore.MinTime

func (p *Player) playStatics() error {
	for m, err := range messages(p.o.Source.View(bagstore.Query{Connections: p.playing, End: statics})) {
		switch {
		case place.Ended(err):
			return err
		case err != nil:
			p.problems.add("static messages: %v", err)
		default:
			p.noteTime(m)
			ch := p.channels.byConn[m.Conn]
			for p.roomOn(ch, m.size()) != nil {
				if p.serve(); p.stopped || p.ctx.Err() != nil {
					return p.ctx.Err()
				}
			}
			if err := p.publish(ch, m, p.time.stampShift(p.time.at, p.clock.Now())); err != nil {
				return err
			}
		}
	}
	return nil
}

// messages iterates over a view's messages. What can't be read is yielded as an error; place.Ended errors are the last.
func messages(v View) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		it := v.Iterator()
		defer it.Close()
		for it.Next() || it.Err() != nil {
			if err := it.Err(); !yield(it.Message(), err) || place.Ended(err) {
				return
			}
		}
	}
}

func (p *Player) playing(c *bagstore.Connection) bool { return p.channels.byConn[c] != nil }

// untouched reports whether a connection's messages are passed on unread.
func (p *Player) untouched(c *bagstore.Connection) bool {
	ch := p.channels.byConn[c]
	return ch != nil && !p.o.Output.Reads(ch.Channel) && !ch.Latch && !ch.LatchAll && !p.o.Restamp &&
		!p.o.LoopMonotonic && p.o.StampShifts[c] == 0
}

// prelude returns the prelude of bag time t: the latched messages that a subscriber would have received from since
// until t, which are the last message before t of each latched channel, and the last of each set of static transforms.
func (p *Player) prelude(since, t bagstore.Time) prelude {
	return func(yield func(item) bool) {
		for _, ch := range p.channels.list {
			if t <= since || !ch.Latch && !ch.tfStatic {
				continue
			}
			for m, err := range p.last(ch, since, t) {
				next := item{Recorded: m, latched: ch}
				if err != nil {
					next.err = fmt.Errorf("latched messages: %w", err)
				}
				if !yield(next) {
					return
				}
			}
		}
	}
}

// last yields a channel's last readable message before t, or the last of each set, after the damage on the way.
func (p *Player) last(ch *channel, since, t bagstore.Time) iter.Seq2[Recorded, error] {
	v := p.before(ch, since, t)
	if ch.tfStatic {
		return staticTransforms(v)
	}
	return func(yield func(Recorded, error) bool) {
		it := v.Iterator()
		defer it.Close()
		found, err := it.Last(t)
		if (err == nil || yield(Recorded{}, err)) && found {
			yield(it.Message(), nil)
		}
	}
}

// before selects a channel's messages from since to just before t.
func (p *Player) before(ch *channel, since, t bagstore.Time) View {
	return p.o.Source.View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return p.channels.byConn[c] == ch },
		Start:       since,
		End:         t - 1,
	})
}

// staticTransforms yields the newest message for each set of transforms, after all damage.
func staticTransforms(v View) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		var keys []string // oldest first
		newest := make(map[string]Recorded)
		for m, err := range messages(v) {
			if err != nil {
				if !yield(Recorded{}, err) {
					return
				}
				continue
			}
			key := transformsKey(m.Data)
			keys = append(slices.DeleteFunc(keys, func(k string) bool { return k == key }), key)
			newest[key] = Recorded{Message: bagstore.Message{Time: m.Time, Stored: bagstore.Stored{Data: slices.Clone(m.Data)}}}
		}
		for _, key := range keys {
			if !yield(newest[key], nil) {
				return
			}
		}
	}
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

// Recall passes the last message at or before the current time to the Recaller sinks of some topics. Messages of a
// Deferred are recalled only while nothing plays; otherwise the next one comes soon.
type Recall struct{ Topics []string }

func (c Recall) do(p *Player, now Wall) error {
	if !p.time.begun {
		return ErrWaiting
	}
	until := p.time.position(now) + 1
	for _, ch := range p.channels.list {
		sink, ok := ch.sink.(Recaller)
		if !ok || !slices.Contains(c.Topics, ch.Topic) {
			continue
		}
		for m, err := range p.last(ch, 0, until) {
			if err == nil {
				err = p.recall(ch, sink, m)
			} else if !place.Ended(err) {
				p.problems.add("%v", err)
				err = nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Player) recall(ch *channel, sink Recaller, m Recorded) error {
	shift := p.time.stampShift(m.Time, p.clock.Now())
	switch {
	case m.Deferred == nil:
		sink.Recall(p.raw(ch, m, m.Time, shift))
		return nil
	case !p.time.paused && !p.time.over:
		return nil
	}
	if err := p.settle(); err != nil {
		return err
	}
	at := int64(m.Time + p.time.offset)
	m.Deferred.Start(map[*bagstore.Connection]func(msgs.Raw){
		m.Conn: func(made msgs.Raw) { sink.Recall(p.stamped(ch, made, shift, at)) },
	}, true)
	return p.o.Source.Settle(p.ctx)
}

// StepBack publishes, while paused, the frame set that is Sets before the current one.
type StepBack struct{ Sets int }

func (c StepBack) do(p *Player, now Wall) error {
	switch {
	case !p.time.paused:
		return ErrRunning
	case !p.time.begun:
		return ErrWaiting
	}
	at, err := p.setsBefore(c.Sets)
	if err != nil {
		return err
	}
	if err := p.fail(p.seek(at, now)); err != nil {
		return err
	}
	return StepFrameSet{}.do(p, now)
}

// setsBefore returns the time of the frame set that is n before the current one.
func (p *Player) setsBefore(n int) (bagstore.Time, error) {
	pacer := p.pacer
	if pacer == nil {
		pacer = p.likelyPacer()
	}
	view := p.o.Source.View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return p.channels.byConn[c] == pacer },
		Start:       max(p.time.start, statics+1),
		End:         p.time.at,
	})
	it := view.Iterator()
	defer it.Close()
	at := p.time.at + 1
	for range n + 1 {
		switch found, err := it.Last(at); {
		case place.Ended(err):
			return 0, err
		case !found:
			return p.time.start, nil
		}
		at = it.Message().Time
	}
	return at, nil
}

// likelyPacer returns the first channel with images, or the one with most messages.
func (p *Player) likelyPacer() *channel {
	best := new(channel)
	for _, ch := range p.channels.list {
		switch {
		case ch.image && ch.total > 0:
			return ch
		case ch.total > best.total:
			best = ch
		}
	}
	return best
}
