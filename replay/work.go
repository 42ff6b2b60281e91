package replay

import (
	"context"

	"rsros/bagstore"
	"rsros/msgs"
)

// Work computes the messages of one moment when they are due, if they have subscribers.
// Exactly one of Start and Skip is called, once.
type Work interface {
	// Connections returns the connections of the messages.
	Connections() []*bagstore.Connection
	// Start starts to compute the messages of some connections and returns. Each is
	// passed to its connection's function, on a goroutine of the source. A source
	// that is still busy may discard a waiting Work, which it counts (Skipper). With
	// recall, nothing else is being computed, and the messages that follow aren't
	// affected.
	Start(wanted map[*bagstore.Connection]func(msgs.Raw), recall bool)
	// Skip is called if none of the messages is wanted.
	Skip()
	// Wait waits until all messages were passed on. It may be called after the Work's
	// memory was released.
	Wait(context.Context) error
}

// Skipper counts computations that it skipped because others took too long.
type Skipper interface{ Skipped() uint64 }

func (p *Player) start(m Recorded, now Wall) error {
	shift, at := p.time.stampShift(m.Time, now), int64(m.Time+p.time.offset)
	wanted := make(map[*bagstore.Connection]func(msgs.Raw))
	for _, c := range m.Work.Connections() {
		ch := p.channels.byConn[c]
		if ch == nil || !ch.limit.Pass(int64(m.Time)) {
			continue
		}
		p.clockPub.before(ch.Topic, m.Time+p.time.offset)
		if ch.sink.Subscribers() > 0 {
			wanted[c] = p.passOn(ch, shift, at)
		}
	}
	if len(wanted) == 0 {
		m.Work.Skip()
		return nil
	}
	if p.lossless() {
		if err := p.wait(); err != nil {
			return err
		}
	}
	p.working = m.Work
	m.Work.Start(wanted, false)
	return nil
}

// lossless reports whether the player waits for computed messages.
func (p *Player) lossless() bool { return p.o.Immediate || p.time.paused }

// passOn returns the function that publishes a Work's messages.
func (p *Player) passOn(ch *channel, shift bagstore.Time, at int64) func(msgs.Raw) {
	return func(m msgs.Raw) {
		m = p.stamped(ch, m, shift, at)
		p.reports.countPublished(m.Size())
		if !p.o.Immediate {
			ch.sink.Publish(m)
		} else {
			_ = ch.sink.PublishWait(p.ctx, m) // fails at the end of ctx, which the player sees
		}
	}
}

// stamped returns a computed message with its time set and its header stamp shifted. It may
// be called from any goroutine.
func (p *Player) stamped(ch *channel, m msgs.Raw, shift bagstore.Time, at int64) msgs.Raw {
	m.Time = at
	if shift != 0 && ch.stamps != nil {
		if err := ch.stamps.shiftHead(m.Head, shift.Sub(0)); err != nil {
			p.problems.add("topic %s: stamps can't be moved: %v", ch.recorded, err)
		}
	}
	return m
}

func (p *Player) wait() error {
	if p.working == nil {
		return nil
	}
	err := p.working.Wait(p.ctx)
	p.working = nil
	return err
}

// settle waits until all messages are published, including those that sinks derive.
func (p *Player) settle() error {
	if err := p.wait(); err != nil {
		return err
	}
	for _, ch := range p.channels.list {
		if err := ch.sink.Settle(p.ctx); err != nil {
			return err
		}
	}
	return nil
}

// leader returns the channel of a message. For a Work, that is its first channel with images, or
// else its first one. It is nil if none is played.
func (p *Player) leader(m Recorded) *channel {
	if m.Work == nil {
		return p.channels.byConn[m.Conn]
	}
	var first *channel
	for _, c := range m.Work.Connections() {
		ch := p.channels.byConn[c]
		if ch != nil && (first == nil || ch.image && !first.image) {
			first = ch
		}
	}
	return first
}

func (p *Player) pauses(m Recorded) bool {
	if m.Work == nil {
		return p.channels.byConn[m.Conn].pausing
	}
	for _, c := range m.Work.Connections() {
		if ch := p.channels.byConn[c]; ch != nil && ch.pausing {
			return true
		}
	}
	return false
}
