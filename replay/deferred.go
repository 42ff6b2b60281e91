package replay

import (
	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program/buffers"
)

// Deferred makes the messages of one moment when they are due, if they have subscribers.
type Deferred interface {
	// Connections returns the connections of the messages.
	Connections() []*bagstore.Connection
	// Start makes the messages of some connections, or of none if none has subscribers. Each is passed to its connection's
	// function, during the call or on a goroutine of the source before Source.Settle returns. A source that is still busy
	// may discard a waiting Deferred, which it counts (Source.Skipped). With recall, nothing else is being computed, and
	// the messages that follow aren't affected.
	Start(wanted map[*bagstore.Connection]func(msgs.Raw), recall bool)
	// Retain keeps the Deferred valid until the Releaser is released.
	Retain() buffers.Releaser
	// Size returns the bytes of memory that the Deferred holds.
	Size() int64
}

func (p *Player) start(m Recorded, now Wall) {
	shift, at := p.time.stampShift(m.Time, now), int64(m.Time+p.time.offset)
	wanted := make(map[*bagstore.Connection]func(msgs.Raw))
	for _, c := range m.Deferred.Connections() {
		ch := p.channels.byConn[c]
		if ch == nil || !ch.limit.Pass(int64(m.Time)) {
			continue
		}
		p.clockPub.before(ch.Topic, m.Time+p.time.offset)
		if ch.sink.Subscribers() > 0 {
			wanted[c] = p.passOn(ch, shift, at)
		} else {
			p.reports.countPublished(0) // played like other messages without subscribers, but not made
		}
	}
	m.Deferred.Start(wanted, false)
}

// passOn returns the function that publishes a Deferred's messages.
func (p *Player) passOn(ch *channel, shift bagstore.Time, at int64) func(msgs.Raw) {
	return func(m msgs.Raw) {
		m = p.stamped(ch, m, shift, at)
		p.reports.countPublished(m.Size())
		_ = ch.sink.Publish(p.ctx, m) // fails at the end of ctx, which the player sees
	}
}

// stamped returns a Deferred's message with its time set and its header stamps shifted. It may
// be called from any goroutine.
func (p *Player) stamped(ch *channel, m msgs.Raw, shift bagstore.Time, at int64) msgs.Raw {
	m.Time = at
	if shift != 0 && ch.stamps != nil {
		if err := ch.stamps.shiftIn(m.Head, shift.Sub(0)); err != nil {
			p.problems.add("topic %s: stamps can't be moved: %v", ch.recorded, err)
		}
	}
	return m
}

// leader returns the channel of a message. For a Deferred, that is its first channel with images, or
// else its first one. It is nil if none is played.
func (p *Player) leader(m Recorded) *channel {
	if m.Deferred == nil {
		return p.channels.byConn[m.Conn]
	}
	var first *channel
	for _, c := range m.Deferred.Connections() {
		ch := p.channels.byConn[c]
		if ch != nil && (first == nil || ch.image && !first.image) {
			first = ch
		}
	}
	return first
}

func (p *Player) pauses(m Recorded) bool {
	if m.Deferred == nil {
		return p.channels.byConn[m.Conn].pausing
	}
	for _, c := range m.Deferred.Connections() {
		if ch := p.channels.byConn[c]; ch != nil && ch.pausing {
			return true
		}
	}
	return false
}
