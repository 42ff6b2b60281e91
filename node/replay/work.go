package replay

import (
	"context"

	"rsros/bagstore"
	"rsros/msgs"
)

// Work makes messages of one moment when they are due: those that cost too much to
// be made for nobody, or ahead of time. Only one of its methods Start, Recall and Skip is
// called, once.
type Work interface {
	// Connections are those of the messages.
	Connections() []*bagstore.Connection
	// Start begins to make the messages of some connections and returns. Each is
	// passed to its connection's function, on a goroutine of the source. A source
	// that is still busy may give up the Work that waits, and counts it (Skipper).
	Start(wanted map[*bagstore.Connection]func(msgs.Raw))
	// Recall is Start for a moment out of turn, when nothing else is being made. Its
	// messages are those of this moment alone, and change nothing of those that follow.
	Recall(wanted map[*bagstore.Connection]func(msgs.Raw))
	// Skip says that nobody wants any of the messages.
	Skip()
	// Wait returns when no more messages come. It may be called after the
	// Work's memory was released.
	Wait(context.Context) error
}

// Skipper is a Source that counts the Works it gave up, or an Output that counts what
// it didn't make of messages, because others took too long.
type Skipper interface{ Skipped() uint64 }

// start has the messages of a Work made that have subscribers.
func (p *Player) start(m Recorded, now Wall) error {
	shift, at := p.time.stampShift(m.Time, now), int64(m.Time+p.time.offset)
	wanted := make(map[*bagstore.Connection]func(msgs.Raw))
	for _, c := range m.Work.Connections() {
		ch := p.channels.byConn[c]
		if ch == nil || !ch.limit.pass(m.Time) {
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
	m.Work.Start(wanted)
	return nil
}

// lossless says whether the player waits for what is made instead of dropping it.
func (p *Player) lossless() bool { return p.o.Immediate || p.time.paused }

// passOn returns what publishes a message that is made of a Work. It is called on
// the source's goroutine.
func (p *Player) passOn(ch *channel, shift bagstore.Time, at int64) func(msgs.Raw) {
	return func(m msgs.Raw) {
		m = p.moved(ch, m, shift, at)
		p.reports.made(m.Size())
		if !p.o.Immediate {
			ch.sink.Publish(m)
		} else {
			_ = ch.sink.PublishWait(p.ctx, m) // fails at the end of ctx, which the player sees
		}
	}
}

// moved returns a message that was made of a Work at its time, with its header stamp
// moved. It may be called by any goroutine.
func (p *Player) moved(ch *channel, m msgs.Raw, shift bagstore.Time, at int64) msgs.Raw {
	m.Time = at
	if shift != 0 && ch.stamps != nil {
		if err := ch.stamps.shiftHead(m.Head, shift.Sub(0)); err != nil {
			p.problems.add("topic %s: stamps can't be moved: %v", ch.recorded, err)
		}
	}
	return m
}

// wait returns when the messages of what was started are made and published.
func (p *Player) wait() error {
	if p.working == nil {
		return nil
	}
	err := p.working.Wait(p.ctx)
	p.working = nil
	return err
}

// settle is wait also for what sinks make of all messages.
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

// leader is the channel that a message is counted for: of a Work's, the first with
// images. It is nil if none of them is played.
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

// pauses says whether playback pauses before a message.
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
