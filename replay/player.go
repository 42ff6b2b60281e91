package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// Player plays a source once, in Run. Submit, Do, Done and Status may be called from
// any goroutine; the other methods only before and after Run.
type Player struct {
	o     Options
	clock Clock
	log   zerolog.Logger
	ctx   context.Context // of Run
	inbox inbox
	done  chan struct{} // closed when Run has returned

	channels *channels
	view     View // of the messages to play
	empty    bool // the time line has no messages
	feed     *feed
	next     item // the next message, valid if time.next is its time

	time     timeline
	clockPub clockPublisher
	control  rateControl

	pauseTopics bool     // pausing before their messages is on
	pacer       *channel // whose images begin a frame set
	scratch     []byte   // for heads, reused for each message

	reports  reports
	problems problems
	stopped  bool
	failure  error // the error that ended playback
}

// New returns a player. It reads the source's indexes but no messages.
func New(o Options) (*Player, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.complete()
	p := &Player{
		o: o, clock: o.Clock, log: o.Log, ctx: context.Background(), done: make(chan struct{}),
		time:        newTimeline(o.Settings),
		clockPub:    newClockPublisher(o),
		control:     rateControl{on: o.RateControl, max: o.RateControlMaxDelay},
		pauseTopics: len(o.PauseTopics) > 0,
		reports:     reports{onStatus: o.OnStatus},
		problems:    problems{log: o.Log},
	}
	p.time.idle = o.Idle
	if err := p.choose(); err != nil {
		return nil, err
	}
	if err := p.bound(); err != nil {
		return nil, err
	}
	p.report(p.clock.Now())
	return p, nil
}

// Range returns the times of the first and the last message to play.
func (p *Player) Range() (start, end bagstore.Time) { return p.time.start, p.time.end }

// Channels returns the channels to play, sorted by topic.
func (p *Player) Channels() []Channel {
	var list []Channel
	for _, ch := range p.channels.sorted() {
		list = append(list, ch.Channel)
	}
	return list
}

// Empty reports whether there is nothing to play on the chosen topics.
func (p *Player) Empty() bool {
	return p.empty && !slices.ContainsFunc(p.channels.list, func(ch *channel) bool { return ch.static > 0 })
}

// Problems returns a sentence for each part of the source that couldn't be played. It
// is empty after Run if everything selected was published.
func (p *Player) Problems() []string { return p.problems.all() }

// Status returns the last reported status, at most 100 ms old.
func (p *Player) Status() Status { return *p.reports.last.Load() }

// Done is closed when Run has returned.
func (p *Player) Done() <-chan struct{} { return p.done }

func (p *Player) fail(err error) error {
	if err != nil && p.failure == nil && !errors.Is(err, ErrHeldUp) {
		p.failure = err
	}
	return err
}

// Run plays until the end, a Stop, or until ctx ends, whose error it then returns. It
// must be called once. Its goroutines have ended when it returns.
func (p *Player) Run(ctx context.Context) error {
	defer close(p.done)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // for what still waits for subscribers
	p.ctx = ctx
	unhook := context.AfterFunc(ctx, p.clock.Wake)
	defer unhook()
	if err := p.advertise(); err != nil {
		return err
	}
	p.feed = newFeed(p.view, p.o.Ahead, p.clock.Wake)
	defer func() {
		p.abandon(p.clock.Now())
		p.drop()
		if p.o.Interrupt != nil {
			p.o.Interrupt()
		}
		p.feed.close()
		p.time.begun, p.stopped = false, true
		p.report(p.clock.Now())
	}()
	if err := p.ready(); err != nil {
		return err
	}
	if !p.stopped {
		_ = p.fail(p.begin())
	}
	for !p.stopped && p.failure == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		now := p.clock.Now()
		if wake := p.advance(now); wake > now && !p.stopped {
			p.clock.Wait(wake)
		}
		p.serve()
	}
	return errors.Join(p.failure, p.finish())
}

// advertise announces all channels. One that is refused is left out.
func (p *Player) advertise() error {
	for _, ch := range p.channels.sorted() {
		sink, err := p.o.Output.Advertise(ch.Channel)
		if err != nil {
			p.problems.add("topic %s is left out: %v", ch.recorded, err)
			continue
		}
		ch.sink = sink
	}
	p.channels.dropUnpublished()
	if len(p.channels.list) == 0 && len(p.problems.list) > 0 {
		return errors.New("no topic can be played")
	}
	return p.o.Output.Ready(p.ctx)
}

const subscriberPoll = 100 * time.Millisecond

// ready waits for the delay after advertising and for subscribers.
func (p *Player) ready() error {
	until := p.clock.Now() + Wall(p.o.Delay)
	lonely := func(ch *channel) bool { return ch.sink.Subscribers() == 0 }
	for logged := false; p.ctx.Err() == nil && !p.stopped; p.serve() {
		now := p.clock.Now()
		if now >= until {
			if p.o.WaitForSubscribers && !logged {
				p.log.Info().Msg("waiting for a subscriber of every topic")
			}
			if !p.o.WaitForSubscribers || !slices.ContainsFunc(p.channels.list, lonely) {
				return nil
			}
			logged, until = true, now+Wall(subscriberPoll)
		}
		p.clock.Wait(until)
	}
	return p.ctx.Err()
}

func (p *Player) finish() error {
	if err := p.settle(); errors.Is(err, ErrHeldUp) {
		p.problems.add("the last messages: %v", err)
	} else if err != nil {
		return err
	}
	p.clockPub.set(p.time.shown(p.clock.Now()))
	return p.o.Output.Flush(p.ctx)
}

// choose plans the channels of all connections that the filter selects.
func (p *Player) choose() error {
	var conns []*bagstore.Connection
	for _, c := range p.o.Source.Connections() {
		if !p.o.Filter.wants(c) {
			continue
		}
		if p.o.ClockHz > 0 && strings.TrimPrefix(p.o.Prefix+c.Topic, "/") == "clock" {
			p.log.Warn().Msg("the bag's own /clock is left out: this player publishes /clock")
			continue
		}
		conns = append(conns, c)
	}
	if len(conns) > maxConnections {
		return fmt.Errorf("the recording has %d connections to play, at most %d are played: choose some of its topics",
			len(conns), maxConnections)
	}
	var renamed, problems []string
	p.channels, renamed, problems = plan(conns, &p.o)
	for _, text := range renamed {
		p.log.Debug().Msg(text)
	}
	if len(renamed) > 0 {
		p.log.Info().Msgf("ROS refuses the names of %d topics; they are made legal, such as: %s", len(renamed), renamed[0])
	}
	for _, text := range problems {
		p.problems.add("%s", text)
	}
	for _, text := range p.o.Filter.missing(p.o.Source.Connections()) {
		p.problems.add("%s", text)
	}
	for _, ch := range p.channels.list {
		ch.pausing = slices.Contains(p.o.PauseTopics, ch.recorded)
	}
	p.warnAboutNames()
	return nil
}

// query selects the messages between two times. In real time a chunk is needed long
// after it could be decompressed, so it is decompressed at low priority.
func (p *Player) query(from, to bagstore.Time) bagstore.Query {
	q := bagstore.Query{Connections: p.playing, Start: from, End: to, Mapped: p.untouched}
	if !p.o.Immediate {
		q.Lead = time.Second
	}
	return q
}

// bound determines the start and the end of playback.
func (p *Player) bound() error {
	all := p.o.Source.View(bagstore.Query{Start: statics + 1})
	from, to, err := p.o.between(all.Start)
	if err != nil {
		return err
	}
	first, _ := all.Start()
	if last, ok := all.End(); ok && from > last {
		return fmt.Errorf("start at %v: the last message is %v after the first", from.Sub(first),
			last.Sub(first).Round(time.Millisecond))
	}
	p.view = p.o.Source.View(p.query(max(from, statics+1), to))
	early := p.o.Source.View(bagstore.Query{Connections: p.playing, End: statics})
	p.channels.countStatics(p.o.Source, early)
	start, ok := p.view.Start()
	end, _ := p.view.End()
	if !ok {
		p.empty = true
		it := p.view.Iterator()
		if !it.Next() && it.Err() != nil {
			p.problems.add("%v", it.Err())
		}
		it.Close()
		start, end = max(from, statics), max(from, statics)
	}
	p.time.span(start, end)
	p.control.last = start
	return nil
}

// rateControl delays playback while a topic lags: the header stamp of its last
// message is more than max before bag time.
type rateControl struct {
	on   bool
	max  time.Duration
	last bagstore.Time
}

// lags reports whether to delay playback at bag time t.
func (r *rateControl) lags(t bagstore.Time) bool { return r.on && t.Sub(r.last) > r.max }
