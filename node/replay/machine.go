package replay

import (
	"time"

	"rsros/bagstore"
)

// This file is the state machine: what is due at an instant, and when to look
// again.

// begin starts the time line.
func (p *Player) begin() error {
	now := p.clock.Now()
	p.tr.anchor(p.start, now)
	p.roundStart, p.nextReport = now, now
	p.clockPub.start(now, p.at)
	if err := p.playStatics(); err != nil {
		p.problem("static messages: %v", err)
	}
	if err := p.prelude(statics+1, p.start); err != nil {
		p.problem("latched messages: %v", err)
	}
	// Time starts when the prelude is out.
	now = p.clock.Now()
	p.tr.anchor(p.start, now)
	p.feed.seek(p.start)
	p.load(now)
	return p.setRange(now)
}

// advance does one thing that is due and says when to come back; now means at once.
func (p *Player) advance(now Wall) Wall {
	p.clockPub.tick(now, p.position(now)+p.offset)
	if now >= p.nextReport {
		p.report(now)
		p.nextReport = now + Wall(statusPeriod)
	}
	due := p.deadline()
	switch {
	case due > now:
		return min(due, p.clockPub.deadline(), p.nextReport)
	case p.has():
		_ = p.fail(p.publishNext(now))
	case p.o.Loop:
		p.nextRound(now, due)
	case p.o.KeepAlive:
		p.over = true
		p.report(now)
	default:
		p.stopped = true
	}
	return now
}

// has tells whether there is a message to publish before the end, or before the
// end of what is looped over.
func (p *Player) has() bool { return p.loaded && (!p.o.Loop || p.next.Time <= p.to) }

func (p *Player) stalled() bool { return p.paused || p.delayed }

// deadline is when the next message, or what comes after the last one, is due.
func (p *Player) deadline() Wall {
	if p.has() {
		return p.deadlineOf(p.next.Time)
	}
	switch {
	case p.over:
		return never
	case !p.o.Loop:
		return 0
	}
	return max(p.deadlineOf(p.to), p.roundStart+minRound)
}

func (p *Player) deadlineOf(t bagstore.Time) Wall {
	switch {
	case p.stalled():
		return never
	case p.o.FollowClock && (!p.followed || t > p.external):
		return never
	case p.o.FollowClock, p.o.Immediate:
		return 0
	}
	return p.tr.wallOf(t)
}

// minRound keeps the loop of a bag with one message from spinning.
const minRound = Wall(10 * time.Millisecond)

// position is the bag time at now. It doesn't pass the next message.
func (p *Player) position(now Wall) bagstore.Time {
	if p.stalled() || p.o.Immediate || p.feed.idle() {
		return p.at
	}
	t := p.tr.bagOf(now)
	if p.o.FollowClock {
		t = p.external
	}
	if p.has() {
		t = min(t, p.next.Time)
	} else if !p.over {
		t = min(t, p.to)
	}
	return max(t, p.at)
}

// freeze makes bag time stand where it is.
func (p *Player) freeze(now Wall) { p.at = p.position(now) }

// unfreeze lets it go on from there, unless something else holds it.
func (p *Player) unfreeze(now Wall) {
	if !p.stalled() {
		p.tr.anchor(p.at, now)
		p.skipGap()
	}
}

// publishNext publishes the next message, due or not, and loads the one after.
func (p *Player) publishNext(now Wall) error {
	m := p.next
	ch := p.channels.byConn[m.Conn]
	p.at = m.Time
	if !p.paused && !p.o.Immediate && !p.o.FollowClock {
		p.status.Late = time.Duration(now - p.tr.wallOf(m.Time))
		p.status.WorstLate = max(p.status.WorstLate, p.status.Late)
	}
	if ch.image && p.pacer == nil {
		p.pacer = ch
	}
	var err error
	if ch.limit.pass(m.Time) {
		p.clockPub.before(ch.Topic, m.Time+p.offset)
		err = p.publish(ch, m.Recorded, p.stampShift(m.Time, now))
	}
	p.drop()
	p.load(now)
	return err
}

// stampShift is what header stamps of a message at t are moved by.
func (p *Player) stampShift(t bagstore.Time, now Wall) bagstore.Time {
	switch {
	case p.o.FollowClock && p.o.Restamp:
		return -p.followOff
	case !p.o.Restamp:
		return p.offset
	case p.stalled() || p.o.Immediate:
		return bagstore.Time(now) - t
	}
	return bagstore.Time(p.tr.wallOf(t)) - t
}

// load takes the next message and looks at what must happen before it is due.
func (p *Player) load(now Wall) {
	var ok bool
	for {
		if p.next, ok = p.feed.next(); p.next.err != nil {
			p.problem("%v", p.next.err)
		} else if !ok || p.playing(p.next.Conn) {
			break
		}
		p.next.release() // damaged, or of a channel that the output refused
	}
	p.loaded = ok
	if !p.has() {
		return
	}
	p.skipGap()
	switch {
	case p.pauseTopics && !p.paused && p.channels.byConn[p.next.Conn].pausing:
		p.freeze(now)
		p.paused = true
		p.report(now)
	case !p.delayed && p.control.lags(p.at):
		p.freeze(now)
		p.delayed = true
		p.report(now)
	}
}

// skipGap makes the next message due when the last one was, if the time between
// them is to be skipped.
func (p *Player) skipGap() {
	if p.has() && p.o.SkipEmpty > 0 && !p.stalled() && p.next.Time.Sub(p.at) > p.o.SkipEmpty {
		p.tr.anchor(p.next.Time, p.tr.wallOf(p.at))
	}
}

// seek goes to bag time t and republishes what is latched there.
func (p *Player) seek(t bagstore.Time, now Wall) error {
	t = min(max(t, p.start), p.end)
	p.log.Info().Str("to", ReadableTime(t)).Msg("seek")
	p.followOff += t - p.external
	p.external = t
	return p.jump(t, now, now)
}

// jump moves the time line, so that bag time t is reached at w, and publishes
// the clock and what is latched at t.
func (p *Player) jump(t bagstore.Time, w, now Wall) error {
	p.drop()
	p.over, p.delayed = false, false
	p.at, p.control.last = t, t
	p.tr.anchor(t, w)
	p.feed.seek(t)
	p.clockPub.set(t + p.offset)
	err := p.prelude(0, t)
	p.load(now)
	p.report(now)
	return err
}

// setRange brings from and to in line with the options.
func (p *Player) setRange(now Wall) error {
	p.from, p.to = p.start, p.end
	if r := p.o.LoopRange; p.o.Loop && r != nil {
		from, to := p.start.Add(r.From), min(p.start.Add(r.To), p.end)
		if from >= to {
			p.o.LoopRange = nil
			return ErrRange
		}
		p.from, p.to = from, to
		if at := p.position(now); at < from || at > to {
			return p.seek(from, now)
		}
	}
	p.report(now)
	return nil
}

// nextRound starts the loop again at w, when the round before ends on the time line.
func (p *Player) nextRound(now, w Wall) {
	if p.o.Immediate || p.o.FollowClock || p.stalled() {
		w = now
	}
	p.status.Round++
	length := p.to - p.from
	if p.o.LoopMonotonic {
		p.offset += length
		p.log.Info().Int("round", p.status.Round).Msg("loop: the time line goes on")
	} else {
		p.log.Info().Int("round", p.status.Round).Str("from", ReadableTime(p.to)).Str("to", ReadableTime(p.from)).Msg("loop: time jumps back")
	}
	p.external -= length // the followed clock runs on; the bag starts again
	p.followOff -= length
	p.roundStart = w
	if err := p.jump(p.from, w, now); err != nil {
		p.problem("latched messages: %v", err)
	}
}

// follow moves bag time with a /clock that someone else publishes. If its times
// aren't the bag's, the first one heard is the start.
func (p *Player) follow(t bagstore.Time, now Wall) error {
	if !p.followed && (t < p.start || t > p.end) {
		p.followOff = p.start - t
		p.log.Info().Str("clock", ReadableTime(t)).Msg("the followed clock is not in the bag's time: the bag starts now")
	}
	last, to := p.external, t+p.followOff
	p.external = to
	if p.followed && to < last && to < p.at {
		p.log.Info().Msg("the followed clock went back")
		off := p.followOff
		err := p.seek(to, now)
		p.external, p.followOff = to, off
		return err
	}
	p.followed = true
	return nil
}

// state is what the player does at the moment.
func (p *Player) state() State {
	switch {
	case p.stopped || p.over:
		return Finished
	case p.feed.idle():
		return Waiting
	case p.paused:
		return Paused
	case p.delayed:
		return Delayed
	}
	return Running
}

// report makes the present state known.
func (p *Player) report(now Wall) {
	s := &p.status
	s.State = p.state()
	at := p.position(now)
	s.Time = at + p.offset
	s.Position, s.Length = at.Sub(p.start), p.end.Sub(p.start)
	s.Rate, s.Loop = p.tr.rate, p.o.Loop
	if p.control.on {
		s.Behind = max(at.Sub(p.control.last), 0)
	}
	s.Dropped = 0
	for _, ch := range p.channels.list {
		if ch.sink != nil {
			s.Dropped += ch.sink.Dropped()
		}
	}
	snapshot := *s
	p.reported.Store(&snapshot)
	if p.o.OnStatus != nil {
		p.o.OnStatus(snapshot)
	}
}
