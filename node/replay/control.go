package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rsros/bagstore"
)

// Command changes what a player does. Any goroutine may submit one; the player
// carries it out between two messages.
type Command interface {
	do(p *Player, now Wall) error
}

// What a command may answer.
var (
	ErrNoChange = errors.New("nothing to change")       // already paused, running, …
	ErrRunning  = errors.New("only while paused")       // stepping needs a pause
	ErrWaiting  = errors.New("playback hasn't started") // seeking and stepping need a time line
	ErrStopped  = errors.New("playback has ended")      // nobody is there to do it
	ErrEnd      = errors.New("at the end of playback")  // nothing left to step to
	ErrRange    = errors.New("not within the playback") // an empty loop range
)

// Pause stops bag time; Resume lets it go on; Toggle does either.
type (
	Pause  struct{}
	Resume struct{}
	Toggle struct{}
)

// StepMessage publishes the next message while paused. StepFrameSet publishes
// one image of each stream and what lies between: up to the next image of the
// stream that came first.
type (
	StepMessage  struct{}
	StepFrameSet struct{}
)

// SeekTo goes to a bag time, SeekBy forward or back by a duration of bag time.
// Both stay within what is played.
type (
	SeekTo struct{ Time bagstore.Time }
	SeekBy struct{ Distance time.Duration }
)

// SeekOffset goes to a position counted from the start of playback.
type SeekOffset struct{ Offset time.Duration }

// SetRate changes the speed, SetLoop switches looping, SetRange loops over a part.
type (
	SetRate  struct{ Rate float64 }
	SetLoop  struct{ On bool }
	SetRange struct{ Range }
)

// Stop ends playback.
type Stop struct{}

// TogglePauseTopics switches pausing before the messages of the pause topics.
type TogglePauseTopics struct{}

// RateControlStamp reports the stamp that the rate control topic published.
type RateControlStamp struct{ Stamp bagstore.Time }

// FollowTime reports the time of the /clock to follow.
type FollowTime struct{ Time bagstore.Time }

type request struct {
	command Command
	reply   chan<- error // nil if nobody waits
}

// Submit hands in a command without waiting.
func (p *Player) Submit(c Command) { p.submit(request{c, nil}) }

// Do hands in a command and waits for its answer.
func (p *Player) Do(ctx context.Context, c Command) error {
	reply := make(chan error, 1)
	p.submit(request{c, reply})
	select {
	case err := <-reply:
		return err
	case <-p.done:
		select {
		case err := <-reply: // it was what ended playback
			return err
		default:
			return ErrStopped
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Player) submit(r request) {
	p.mu.Lock()
	p.inbox = append(p.inbox, r)
	p.mu.Unlock()
	p.clock.Wake()
}

// serve carries out the submitted commands.
func (p *Player) serve() {
	p.mu.Lock()
	inbox := p.inbox
	p.inbox = nil
	p.mu.Unlock()
	for _, r := range inbox {
		now := p.clock.Now()
		err := r.command.do(p, now)
		if r.reply != nil {
			p.report(now)
			r.reply <- err
		}
	}
}

func (Pause) do(p *Player, now Wall) error {
	if p.paused {
		return ErrNoChange
	}
	p.freeze(now)
	p.paused = true
	p.report(now)
	return nil
}

func (Resume) do(p *Player, now Wall) error {
	if !p.paused {
		return ErrNoChange
	}
	p.paused = false
	p.unfreeze(now)
	p.report(now)
	return nil
}

func (Toggle) do(p *Player, now Wall) error {
	if p.paused {
		return Resume{}.do(p, now)
	}
	return Pause{}.do(p, now)
}

func (StepMessage) do(p *Player, now Wall) error {
	if err := p.steppable(now); err != nil {
		return err
	}
	return p.fail(p.publishNext(now))
}

func (StepFrameSet) do(p *Player, now Wall) error {
	if err := p.steppable(now); err != nil {
		return err
	}
	for n := 0; p.has() && p.ctx.Err() == nil; n++ {
		ch := p.channels.byConn[p.next.Conn]
		if p.pacer == nil && (ch.image || !p.channels.anyImage()) {
			p.pacer = ch
		} else if n > 0 && ch == p.pacer {
			break
		}
		if err := p.fail(p.publishNext(now)); err != nil {
			return err
		}
	}
	return nil
}

// steppable tells whether there is a message to step to. At the end of a loop's
// round the next one begins.
func (p *Player) steppable(now Wall) error {
	switch {
	case !p.paused:
		return ErrRunning
	case p.feed.idle():
		return ErrWaiting
	case !p.has() && p.o.Loop:
		p.nextRound(now, now)
	}
	if !p.has() {
		return ErrEnd
	}
	return nil
}

func (c SeekTo) do(p *Player, now Wall) error {
	if p.feed.idle() {
		return ErrWaiting
	}
	return p.fail(p.seek(c.Time, now))
}

func (c SeekBy) do(p *Player, now Wall) error {
	return SeekTo{bagstore.Time(add(int64(p.position(now)), int64(c.Distance)))}.do(p, now)
}

func (c SeekOffset) do(p *Player, now Wall) error {
	return SeekTo{bagstore.Time(add(int64(p.start), int64(c.Offset)))}.do(p, now)
}

func (c SetRate) do(p *Player, now Wall) error {
	if !validRate(c.Rate) {
		return fmt.Errorf("rate %v is out of range", c.Rate)
	}
	if c.Rate == p.tr.rate {
		return ErrNoChange
	}
	p.freeze(now)
	p.tr.rate = c.Rate
	p.tr.anchor(p.at, now)
	p.log.Info().Float64("rate", c.Rate).Msg("rate changed")
	p.report(now)
	return nil
}

func (c SetLoop) do(p *Player, now Wall) error {
	if c.On == p.o.Loop {
		return ErrNoChange
	}
	p.o.Loop = c.On
	if p.feed.idle() {
		return nil
	}
	return p.fail(p.setRange(now))
}

func (c SetRange) do(p *Player, now Wall) error {
	if c.From < 0 || c.To <= c.From {
		return ErrRange
	}
	p.o.Loop, p.o.LoopRange = true, &c.Range
	if p.feed.idle() {
		return nil
	}
	return p.setRange(now)
}

func (Stop) do(p *Player, _ Wall) error {
	p.stopped = true
	return nil
}

func (TogglePauseTopics) do(p *Player, _ Wall) error {
	p.pauseTopics = !p.pauseTopics
	return nil
}

func (c RateControlStamp) do(p *Player, now Wall) error {
	p.control.last = c.Stamp
	if p.delayed && !p.control.lags(p.at) {
		p.delayed = false
		p.unfreeze(now)
		p.report(now)
	}
	return nil
}

func (c FollowTime) do(p *Player, now Wall) error {
	if !p.o.FollowClock || p.feed.idle() {
		return nil
	}
	return p.fail(p.follow(c.Time, now))
}
