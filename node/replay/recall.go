package replay

import (
	"slices"

	"rsros/bagstore"
	"rsros/msgs"
)

// Recall passes the last message at or before the current time to the Recaller sinks of
// some topics. Messages computed by a Work are recalled only while nothing plays;
// otherwise the next one comes soon.
type Recall struct{ Topics []string }

func (c Recall) do(p *Player, now Wall) error {
	if !p.time.begun {
		return ErrWaiting
	}
	until := p.time.position(now) + 1
	computed := make(map[*bagstore.Connection]*channel)
	for _, ch := range p.channels.list {
		sink, ok := ch.sink.(Recaller)
		if !ok || !slices.Contains(c.Topics, ch.Topic) {
			continue
		}
		recall := func(m Recorded) error {
			if m.Work != nil {
				computed[m.Conn] = ch
				return nil
			}
			sink.Recall(p.raw(ch, m, m.Time, p.time.stampShift(m.Time, p.clock.Now())))
			return nil
		}
		if err := p.visitLast(ch, 0, until, recall); err != nil {
			return err
		}
	}
	if len(computed) == 0 || !p.time.paused && !p.time.over {
		return nil
	}
	return p.recallWork(computed, until)
}

func (p *Player) recallWork(channels map[*bagstore.Connection]*channel, until bagstore.Time) error {
	if err := p.wait(); err != nil {
		return err
	}
	view := p.o.Source.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return channels[c] != nil }, End: until - 1})
	return lastOf(view, func(m Recorded) error {
		shift, at := p.time.stampShift(m.Time, p.clock.Now()), int64(m.Time+p.time.offset)
		wanted := make(map[*bagstore.Connection]func(msgs.Raw))
		for c, ch := range channels {
			wanted[c] = func(made msgs.Raw) { ch.sink.(Recaller).Recall(p.moved(ch, made, shift, at)) }
		}
		m.Work.Recall(wanted)
		return m.Work.Wait(p.ctx)
	})
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
		Connections: func(c *bagstore.Connection) bool { return pacer.conns[c] },
		Start:       max(p.time.start, statics+1),
		End:         p.time.at,
	})
	it := view.Iterator()
	defer it.Close()
	it.SeekEnd()
	at := p.time.start
	for range n + 1 {
		if !it.Prev() {
			return p.time.start, it.Err()
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
