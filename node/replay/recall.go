package replay

import (
	"slices"

	"rsros/bagstore"
	"rsros/msgs"
)

// Recall passes the last message at or before the present time to the sinks of some
// topics that are a Recaller: what they would have if they had always listened. What a
// Work makes is recalled while nothing plays; otherwise the next comes soon.
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

// recallWork has the messages of some connections made of the last Work before until.
func (p *Player) recallWork(of map[*bagstore.Connection]*channel, until bagstore.Time) error {
	if err := p.wait(); err != nil {
		return err
	}
	view, err := p.o.Source.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return of[c] != nil }, End: until - 1})
	if err != nil {
		return err
	}
	return lastOf(view, func(m Recorded) error {
		shift, at := p.time.stampShift(m.Time, p.clock.Now()), int64(m.Time+p.time.offset)
		wanted := make(map[*bagstore.Connection]func(msgs.Raw))
		for c, ch := range of {
			wanted[c] = func(made msgs.Raw) { ch.sink.(Recaller).Recall(p.moved(ch, made, shift, at)) }
		}
		m.Work.Recall(wanted)
		return m.Work.Wait(p.ctx)
	})
}

// StepBack publishes the frame set that came Sets before the one of the present time,
// while paused. Before the first there is none, so it publishes the first.
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

// setsBefore is when the set began that came n before the present one.
func (p *Player) setsBefore(n int) (bagstore.Time, error) {
	pacer := p.pacer
	if pacer == nil {
		pacer = p.likelyPacer()
	}
	view, err := p.o.Source.View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return pacer.conns[c] },
		Start:       max(p.time.start, statics+1),
		End:         p.time.at,
	})
	if err != nil {
		return 0, err
	}
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

// likelyPacer is the channel that will pace frame sets: the first with images, or the
// one with the most messages.
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
