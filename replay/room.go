package replay

import (
	"context"
	"time"
)

// With Settings.Immediate, subscribers decide how fast messages are published. The waits for them, here, end when a
// command comes: one subscriber that reads nothing must not keep the player from being controlled.

// settlePatience bounds the wait for subscribers of what is derived from messages, before a seek or at the end.
const settlePatience = time.Second

// room waits until a message can be published without loss.
func (p *Player) room(m Recorded) error {
	if m.Deferred == nil {
		return p.roomOn(p.channels.byConn[m.Conn], m.size())
	}
	if !p.o.Immediate && !p.time.paused {
		return nil
	}
	ctx := p.ctx // a Deferred must not be discarded
	if p.o.Immediate {
		ctx = p.inbox.await(p.ctx)
	}
	if p.o.Source.Settle(ctx) != nil {
		return context.Cause(ctx)
	}
	for _, c := range m.Deferred.Connections() {
		if ch := p.channels.byConn[c]; ch != nil {
			if err := p.roomOn(ch, m.size()); err != nil {
				return err
			}
		}
	}
	return nil
}

// roomOn waits until a message of a size can be published on a channel without loss.
func (p *Player) roomOn(ch *channel, size int64) error {
	if !p.o.Immediate {
		return nil
	}
	s := &p.reports.counted
	err := ch.sink.Room(p.inbox.await(p.ctx), size)
	if s.HeldUp = ""; err != nil {
		s.HeldUp = err.Error()
		p.report(p.clock.Now())
		p.reports.warnHeldUp.Do(func() { p.log.Warn().Msg("playback is held up by " + s.HeldUp) })
	}
	return err
}

// settle waits until all messages are published, including those that sinks derive.
func (p *Player) settle() error {
	ctx := p.ctx
	if p.o.Immediate {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, settlePatience, ErrHeldUp)
		defer cancel()
	}
	if p.o.Source.Settle(ctx) != nil || p.o.Output.Settle(ctx) != nil {
		return context.Cause(ctx)
	}
	return nil
}
