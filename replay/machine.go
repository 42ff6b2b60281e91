package replay

import "rsros/bagstore"

func (p *Player) begin() error {
	now := p.clock.Now()
	p.time.begin(now)
	p.reports.next = now
	p.clockPub.start(now, p.time.at)
	if err := p.playStatics(); err != nil {
		return err
	}
	p.feed.seek(p.time.start, p.prelude(statics+1, p.time.start))
	if !p.o.Immediate {
		p.feed.settle()
	}
	// The time line starts when the first messages were read.
	now = p.clock.Now()
	p.time.tr.anchor(p.time.start, now)
	p.time.begun = true
	p.time.expect()
	p.load(now)
	return p.setRange(now)
}

// advance executes one due action and returns the time of the next; now means at once.
func (p *Player) advance(now Wall) Wall {
	if p.time.starved.on {
		p.load(now)
	}
	p.clockPub.tick(now, p.time.shown(now))
	if now >= p.reports.next {
		p.report(now)
		p.reports.next = now + Wall(statusPeriod)
	}
	due := p.time.deadline()
	switch {
	case p.failure != nil:
		return now
	case due > now:
		return min(due, p.clockPub.deadline(), p.reports.next)
	case p.time.has():
		_ = p.fail(p.publishNext(now))
	case p.time.loop:
		_ = p.nextRound(now, due)
	case p.o.KeepAlive:
		p.time.over = true
		p.report(now)
	default:
		p.stopped = true
	}
	return now
}

// publishNext publishes the next message, even if it isn't due, and loads the following one.
func (p *Player) publishNext(now Wall) error {
	m := p.next
	if err := p.room(m.Recorded); err != nil {
		return err
	}
	ch := p.leader(m.Recorded)
	p.time.at = m.Time
	if late, ok := p.time.late(m.Time, now); ok {
		p.reports.late(late)
	}
	if ch.image && p.pacer == nil {
		p.pacer = ch
	}
	var err error
	if m.Deferred != nil {
		p.start(m.Recorded, now)
	} else if ch.limit.Pass(int64(m.Time)) {
		p.clockPub.before(ch.Topic, m.Time+p.time.offset)
		err = p.publish(ch, m.Recorded, p.time.stampShift(m.Time, now))
	}
	p.drop()
	p.load(now)
	return err
}

// load takes the next message and prepares for it: it skips a gap, pauses or delays. If the
// message isn't read yet, or was read too late, bag time is held, and load is called again.
func (p *Player) load(now Wall) {
	if !p.time.starved.late {
		if !p.take() {
			if s := &p.time.starved; !s.on {
				s.on, s.since = true, now
			}
			return
		}
		p.time.skipGap()
	}
	if s := &p.time.starved; s.on && !p.ends(p.clock.Now()) {
		s.late = true
		return
	}
	p.time.starved = starved{}
	if !p.time.has() {
		return
	}
	switch {
	case p.pauseTopics && !p.time.paused && p.pauses(p.next.Recorded):
		p.time.pause(now)
		p.report(now)
	case !p.time.delayed && p.control.lags(p.time.at):
		p.time.delay(now)
		p.report(now)
	}
}

func (p *Player) drop() {
	p.next.release()
	p.next, p.time.next = item{}, nothing
}

// seek goes to bag time t, clamped to the times that are played.
func (p *Player) seek(t bagstore.Time, now Wall) error {
	if err := p.settle(); err != nil {
		return err
	}
	p.time.tie(p.time.clamp(t))
	p.goTo(t, now)
	return nil
}

func (p *Player) goTo(t bagstore.Time, now Wall) {
	t = p.time.clamp(t)
	p.log.Info().Str("to", ReadableTime(t)).Msg("seek")
	p.abandon(now)
	p.time.expect()
	p.jump(t, now, now)
}

// jump moves the time line so that bag time t is due at w, and publishes the clock
// and, as they are read, the messages that are latched at t. The caller has called settle.
func (p *Player) jump(t bagstore.Time, w, now Wall) {
	p.drop()
	p.time.jump(t, w)
	p.control.last = t
	p.reports.counted.Jumps++
	p.feed.seek(t, p.prelude(0, t))
	p.clockPub.set(t + p.time.offset)
	p.load(now)
	p.report(p.clock.Now())
}

// setRange applies the loop range to the time line, if that has begun.
func (p *Player) setRange(now Wall) error {
	if !p.time.begun {
		return nil
	}
	outside, err := p.time.bound(now)
	switch {
	case err != nil:
		return err
	case outside:
		return p.seek(p.time.from, now)
	case p.time.over && p.time.loop:
		return p.nextRound(now, now)
	}
	p.report(now)
	return nil
}

// nextRound starts the next round of the loop at w, the end of the previous one.
func (p *Player) nextRound(now, w Wall) error {
	if err := p.fail(p.settle()); err != nil {
		return err
	}
	w = p.time.nextRound(now, w)
	if p.time.monotonic {
		p.log.Info().Int("round", p.time.round).Msg("loop: the time line goes on")
	} else {
		p.log.Info().Int("round", p.time.round).Str("from", ReadableTime(p.time.to)).
			Str("to", ReadableTime(p.time.from)).Msg("loop: time jumps back")
	}
	p.jump(p.time.from, w, now)
	p.holdSince(now, false)
	return nil
}

// follow moves bag time with a /clock published by another node.
func (p *Player) follow(t bagstore.Time, now Wall) error {
	elsewhere, back := p.time.follow(t)
	if elsewhere {
		p.log.Info().Str("clock", ReadableTime(t)).Msg("the followed clock is not in the bag's time: the bag starts now")
	}
	if !back {
		return nil
	}
	if err := p.settle(); err != nil {
		return err
	}
	p.log.Info().Msg("the followed clock went back")
	p.goTo(p.time.followed.now, now)
	return nil
}

func (p *Player) state(now Wall) State {
	if p.stopped {
		return Finished
	}
	return p.time.state(now)
}

func (p *Player) report(now Wall) {
	t, s := &p.time, p.reports.counted
	s.State = p.state(now)
	at := t.position(now)
	s.Time = at + t.offset
	s.Length = t.end.Sub(t.start)
	s.Position = min(at.Sub(t.start), s.Length) // time may continue after the last message
	s.Rate, s.Loop, s.Round = t.tr.rate, t.loop, t.round
	if t.loop {
		s.Range = t.part
	}
	if p.control.on {
		s.Behind = max(at.Sub(p.control.last), 0)
	}
	s.Dropped, s.Skipped = p.o.Output.Losses()
	s.Skipped += p.o.Source.Skipped()
	p.reports.publish(s)
}
