package replay

import (
	"context"
	"fmt"
	"sync"
	"time"

	"rsros/bagstore"
)

// Command is a request to a player; the types below are the commands. Any goroutine may submit one (see Player.Do and
// Player.Submit). The player executes commands between two messages, in the order of submission.
type Command interface {
	do(p *Player, now Wall) error
}

type (
	// Pause stops bag time.
	Pause struct{}
	// Resume continues bag time.
	Resume struct{}
	// Toggle is Pause or Resume, whichever changes something.
	Toggle struct{}
)

type (
	// StepMessage publishes the next message while paused.
	StepMessage struct{}
	// StepFrameSet publishes one image of each stream while paused, and all messages between them: from an image up to the
	// next one of the stream that came first.
	StepFrameSet struct{}
)

// Seeks are clamped to the times that are played. The messages that are latched at the new time are published first.
type (
	// SeekTo goes to a bag time.
	SeekTo struct{ Time bagstore.Time }
	// SeekBy goes forward, or back if Distance is negative, in bag time.
	SeekBy struct{ Distance time.Duration }
	// SeekOffset goes to a position counted from the start of playback.
	SeekOffset struct{ Offset time.Duration }
)

type (
	// SetRate changes the speed, from 1e-6 to 1e6.
	SetRate struct{ Rate float64 }
	// SetLoop switches looping on or off.
	SetLoop struct{ On bool }
	// SetRange loops over a part, and goes to its start from outside of it.
	SetRange struct{ Range }
	// ClearRange loops over everything again, if it loops.
	ClearRange struct{}
)

// Stop ends playback.
type Stop struct{}

// Call calls a function on the goroutine of Run.
type Call struct{ Func func() }

// Reselect calls Change, which may change what the source's iterators read, and then continues
// with the messages at or after the current time. Those at exactly that time may come again. While
// the result of the last Change is true, there is nothing to play, and time is held.
type Reselect struct{ Change func() (idle bool) }

// TogglePauseTopics switches pausing before messages of Settings.PauseTopics.
type TogglePauseTopics struct{}

// RateControlStamp reports the header stamp that a message on the topic of rate
// control carried (see Options.RateControl).
type RateControlStamp struct{ Stamp bagstore.Time }

// FollowTime reports the time of the /clock to follow (see Settings.FollowClock).
type FollowTime struct{ Time bagstore.Time }

func (p *Player) serve() {
	for range p.inbox.waiting() {
		r := p.inbox.take()
		now, jumps := p.clock.Now(), p.reports.counted.Jumps
		err := r.command.do(p, now)
		p.holdSince(now, p.reports.counted.Jumps > jumps)
		if r.reply != nil {
			p.report(now)
			r.reply <- err
		}
	}
}

func (Pause) do(p *Player, now Wall) error {
	if p.time.paused {
		return ErrNoChange
	}
	p.abandon(now)
	p.time.pause(now)
	p.report(now)
	return nil
}

func (Resume) do(p *Player, now Wall) error {
	if !p.time.paused {
		return ErrNoChange
	}
	p.time.resume(now)
	p.report(now)
	return nil
}

func (Toggle) do(p *Player, now Wall) error {
	if p.time.paused {
		return Resume{}.do(p, now)
	}
	return Pause{}.do(p, now)
}

func (StepMessage) do(p *Player, now Wall) error {
	if err := p.steppable(now); err != nil {
		return err
	}
	return p.fail(p.step(now))
}

// step publishes the next message, and returns when messages computed or derived from it are also published.
func (p *Player) step(now Wall) error {
	if err := p.publishNext(now); err != nil {
		return err
	}
	return p.settle()
}

func (StepFrameSet) do(p *Player, now Wall) error {
	if err := p.steppable(now); err != nil {
		return err
	}
	for begun := false; p.ctx.Err() == nil; {
		if err := p.await(); err != nil {
			return err
		}
		if !p.time.has() {
			break
		}
		ch := p.leader(p.next.Recorded)
		if p.pacer == nil && (ch.image || !p.channels.anyImage()) {
			p.pacer = ch
		} else if begun && ch == p.pacer {
			break
		}
		begun = begun || ch.image || ch == p.pacer
		if err := p.fail(p.step(now)); err != nil {
			return err
		}
	}
	return nil
}

// steppable starts a loop's next round if the step is at the end of a round.
func (p *Player) steppable(now Wall) error {
	switch {
	case !p.time.paused:
		return ErrRunning
	case !p.time.begun:
		return ErrWaiting
	}
	if err := p.await(); err != nil {
		return err
	}
	if !p.time.has() && p.time.loop {
		if err := p.nextRound(now, now); err != nil {
			return err
		}
		if err := p.await(); err != nil {
			return err
		}
	}
	if !p.time.has() {
		return ErrEnd
	}
	return nil
}

func (c SeekTo) do(p *Player, now Wall) error {
	if !p.time.begun {
		return ErrWaiting
	}
	return p.fail(p.seek(c.Time, now))
}

func (c SeekBy) do(p *Player, now Wall) error {
	return SeekTo{bagstore.Time(add(int64(p.time.position(now)), int64(c.Distance)))}.do(p, now)
}

func (c SeekOffset) do(p *Player, now Wall) error {
	return SeekTo{bagstore.Time(add(int64(p.time.start), int64(c.Offset)))}.do(p, now)
}

func (c SetRate) do(p *Player, now Wall) error {
	if !validRate(c.Rate) {
		return fmt.Errorf("rate %v is out of range", c.Rate)
	}
	if c.Rate == p.time.tr.rate {
		return ErrNoChange
	}
	p.time.setRate(c.Rate, now)
	p.log.Info().Float64("rate", c.Rate).Msg("rate changed")
	p.report(now)
	return nil
}

func (c SetLoop) do(p *Player, now Wall) error {
	if c.On == p.time.loop {
		return ErrNoChange
	}
	p.time.loop = c.On
	return p.fail(p.setRange(now))
}

func (c SetRange) do(p *Player, now Wall) error {
	if c.From < 0 || c.To <= c.From {
		return ErrRange
	}
	p.time.loop, p.time.part = true, &c.Range
	return p.setRange(now)
}

func (ClearRange) do(p *Player, now Wall) error {
	if p.time.part == nil {
		return ErrNoChange
	}
	p.time.part = nil
	return p.setRange(now)
}

func (Stop) do(p *Player, _ Wall) error {
	p.stopped = true
	return nil
}

func (c Call) do(*Player, Wall) error {
	c.Func()
	return nil
}

func (c Reselect) do(p *Player, now Wall) error {
	t := &p.time
	p.abandon(now)
	t.at = t.position(now)
	if t.idle = c.Change(); t.over {
		return nil
	}
	p.drop()
	t.expect()
	t.tr.anchor(t.at, now)
	p.feed.seek(t.at, func(func(item) bool) {})
	p.load(now)
	return nil
}

func (TogglePauseTopics) do(p *Player, _ Wall) error {
	p.pauseTopics = !p.pauseTopics
	return nil
}

func (c RateControlStamp) do(p *Player, now Wall) error {
	p.control.last = c.Stamp
	if p.time.delayed && !p.control.lags(p.time.at) {
		p.time.endDelay(now)
		p.report(now)
	}
	return nil
}

func (c FollowTime) do(p *Player, now Wall) error {
	if p.time.source != byOther || !p.time.begun {
		return nil
	}
	return p.fail(p.follow(c.Time, now))
}

type inbox struct {
	mu       sync.Mutex
	requests []request
	turn     context.Context // see await; nil before
	endTurn  context.CancelCauseFunc
}

type request struct {
	command Command
	reply   chan<- error // nil if nobody waits
}

func (b *inbox) put(r request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, r)
	if b.turn != nil {
		b.endTurn(ErrHeldUp)
	}
}

// await returns a context for a wait on the goroutine of Run. It ends, with ErrHeldUp as its cause, when a command
// comes or the next status is due.
func (b *inbox) await(parent context.Context) context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn == nil || b.turn.Err() != nil {
		turn, end := context.WithCancelCause(parent)
		time.AfterFunc(statusPeriod, func() { end(ErrHeldUp) })
		b.turn, b.endTurn = turn, end
	}
	return b.turn
}

func (b *inbox) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.requests)
}

// take takes the first request. There must be one.
func (b *inbox) take() request {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := b.requests[0]
	if b.requests = b.requests[1:]; len(b.requests) == 0 {
		b.requests = nil
	}
	return first
}

// Submit queues a command and doesn't wait for its result.
func (p *Player) Submit(c Command) { p.submit(request{c, nil}) }

// Do queues a command, waits until the player has executed it, and returns its result. It returns ErrStopped if
// playback ends before that, and ctx's error if ctx does. It must not be called by the goroutine of Run, which calls
// the methods of Output and Clock.
func (p *Player) Do(ctx context.Context, c Command) error {
	reply := make(chan error, 1)
	p.submit(request{c, reply})
	select {
	case err := <-reply:
		return err
	case <-p.done:
		select {
		case err := <-reply: // the command that ended playback
			return err
		default:
			return ErrStopped
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Player) submit(r request) {
	p.inbox.put(r)
	p.clock.Wake()
}
