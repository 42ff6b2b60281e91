package replay

import (
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
)

const (
	// stallLeast is the lateness of a message from which bag time is held instead of catching up.
	stallLeast = 20 * time.Millisecond
	// stallAhead is the length, in time of the clock, that is read before playback continues after
	// a stall. With less, it would soon stall again.
	stallAhead = time.Second
)

// starved is the state of a player whose next message isn't read yet, or was read too late.
// Bag time is held at the last message, because the time of the next one isn't known.
type starved struct {
	on       bool
	since    Wall
	late     bool // the message was read too late, and more is being read
	expected bool // the first message after a start or seek, for which waiting is no stall
}

// take takes the next message, or records that there is none. It returns false if neither is known yet.
func (p *Player) take() bool {
	for {
		next, there, end := p.next, true, false
		if next.latched == nil { // none is held up
			next, there, end = p.feed.next(p.clock)
		}
		switch {
		case end:
			return true
		case !there:
			return false
		case place.Ended(next.err):
			_ = p.fail(next.err)
			return true
		case next.err != nil:
			p.problems.add("%v", next.err)
		case next.latched != nil:
			if p.next = next; p.roomOn(next.latched, next.size()) != nil {
				return false
			}
			p.next = item{}
			_ = p.fail(p.publish(next.latched, next.Recorded, p.time.stampShift(p.time.at, p.clock.Now())))
		case p.leader(next.Recorded) != nil:
			p.next, p.time.next = next, next.Time
			p.noteTime(next.Recorded)
			return true
		}
		next.release() // damaged, or of a channel that the output refused
	}
}

// noteTime notes that a message has another time than in the file.
func (p *Player) noteTime(m Recorded) {
	if m.TimeClamped {
		p.problems.add("messages have %s", bagstore.ClampedTimes)
	}
}

// ends reports whether a wait for a message ends. If the message is late, bag time is held until enough messages
// are read.
func (p *Player) ends(now Wall) bool {
	t := &p.time
	late, ok := t.late(t.next, now)
	if !ok || !t.has() || t.held() || late <= stallLeast {
		return true
	}
	if !p.feed.hasEnough(t.next.Add(time.Duration(float64(stallAhead) * t.tr.rate))) {
		return false
	}
	t.tr.anchor(t.next, now)
	p.stalled(late)
	return true
}

// stalled counts a stall that has ended.
func (p *Player) stalled(d time.Duration) {
	if p.time.starved.expected {
		return
	}
	s := &p.reports.counted
	if s.Stalls++; s.Stalls == 1 {
		p.log.Warn().Msgf("bag time stood still for %v because messages weren't read in time; further stalls are only counted", d.Round(time.Millisecond))
	}
	s.Stalled += d
}

// abandon counts a stall that a command ends, if it was reported.
func (p *Player) abandon(now Wall) {
	if t := &p.time; t.state(now) == Stalled {
		p.stalled(time.Duration(now - t.starved.since))
		t.starved.since = now
	}
}

// holdSince holds bag time for the time since a time of the clock, if something took long, such
// as reading latched messages. It counts as a stall unless it was expected.
func (p *Player) holdSince(since Wall, expected bool) {
	took := time.Duration(p.clock.Now() - since)
	if t := &p.time; took > stallLeast && t.begun && !t.held() && t.source == byClock {
		t.tr.wall += Wall(took)
		if !expected {
			p.stalled(took)
		}
	}
}

// await waits for the message that a step publishes, or until another command is submitted.
func (p *Player) await() error {
	for p.time.starved.on && !p.stopped && p.failure == nil {
		if p.inbox.waiting() > 0 {
			return ErrStalled
		}
		if err := p.ctx.Err(); err != nil {
			return err
		}
		now := p.clock.Now()
		if wake := p.advance(now); p.time.starved.on && wake > now {
			p.clock.Wait(wake)
		}
	}
	return nil
}

// expect marks the next message as one for which waiting is no stall.
func (t *timeline) expect() { t.starved = starved{expected: true} }
