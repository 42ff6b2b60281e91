package replay

import (
	"errors"
	"time"

	"rsros/bagstore/place"
)

const (
	// stallLeast is the lateness from which playback doesn't catch up: bag time has paused.
	stallLeast = 20 * time.Millisecond
	// stallAhead is how much is read before playback continues after a stall, in time of
	// the clock. Otherwise it would stall again at once.
	stallAhead = time.Second
)

// ErrStalled is the error of a step that another command interrupted while it waited.
var ErrStalled = errors.New("the next message isn't read yet")

// starved is the state of a player whose next message isn't read yet, or was read too late.
// Bag time is held at the last message: when the next one is due isn't known.
type starved struct {
	on       bool
	since    Wall
	late     bool // the message is there, after it was due, and more is being read
	expected bool // it is the first after a start or seek: waiting for it is no stall
}

// take takes the next message, or finds that there is none. It returns false if neither is
// known yet.
func (p *Player) take() bool {
	for {
		next, there, end := p.feed.next(p.clock)
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
			_ = p.fail(p.publish(next.latched, next.Recorded, p.time.stampShift(p.time.at, p.clock.Now())))
		case p.leader(next.Recorded) != nil:
			p.next, p.time.next = next, next.Time
			return true
		}
		next.release() // damaged, or of a channel that the output refused
	}
}

// fed reports whether playback goes on, with the message that it has waited for. If that
// is late, bag time has paused meanwhile.
func (p *Player) fed(now Wall) bool {
	t := &p.time
	late, ok := t.late(t.next, now)
	stalled := ok && t.has() && !t.held() && late > stallLeast
	if stalled && !p.feed.ample(t.next.Add(time.Duration(float64(stallAhead)*t.tr.rate))) {
		t.starved.late = true
		return false
	}
	if stalled {
		t.tr.anchor(t.next, now)
		p.stalled(late)
	}
	t.starved = starved{}
	return true
}

// stalled counts a stall, which is over.
func (p *Player) stalled(d time.Duration) {
	if p.time.starved.expected {
		return
	}
	s := &p.reports.counted
	if s.Stalls++; s.Stalls == 1 {
		p.log.Warn().Dur("after (ms)", d).Msg("bag time stood still because messages weren't read in time; further stalls are only counted")
	}
	s.Stalled += d
}

// abandon counts a stall that a command ends, if it was seen.
func (p *Player) abandon(now Wall) {
	if t := &p.time; t.state(now) == Stalled {
		p.stalled(time.Duration(now - t.starved.since))
		t.starved.since = now
	}
}

// holdSince holds bag time for what took long since a time of the clock, such as reading
// latched messages. It counts as a stall unless that was expected.
func (p *Player) holdSince(since Wall, expected bool) {
	took := time.Duration(p.clock.Now() - since)
	if t := &p.time; took > stallLeast && t.begun && !t.held() && t.source == byClock {
		t.tr.wall += Wall(took)
		if !expected {
			p.stalled(took)
		}
	}
}

// await waits for the message that a step publishes, until another command comes.
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

// starve holds bag time.
func (t *timeline) starve(now Wall) {
	if !t.starved.on {
		t.starved.on, t.starved.since = true, now
	}
}

// expect marks the next message as one that playback may wait for.
func (t *timeline) expect() { t.starved = starved{expected: true} }
