package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// Player plays bags once. Run does it; Submit, Do and Status may be called by
// any goroutine, everything else belongs to Run's.
type Player struct {
	o        Options
	clock    Clock
	log      zerolog.Logger
	ctx      context.Context // of Run
	channels *channels
	view     View
	feed     *feed

	start, end bagstore.Time // of the first and the last message to play
	empty      bool          // there is none
	from, to   bagstore.Time // of what is repeated, or start and end

	tr       translator
	clockPub clockPublisher
	control  rateControl

	next   item // the message to publish next, if loaded
	loaded bool
	at     bagstore.Time // where time stands while it stands still; else a time that was reached

	paused, delayed bool
	pauseTopics     bool // pausing before their messages is on
	over            bool // past the end, with the clock running (KeepAlive)
	stopped         bool
	pacer           *channel // whose images begin a frame set

	offset     bagstore.Time // that a monotonic loop adds to all times
	roundStart Wall
	external   bagstore.Time // where the followed clock is, in bag time
	followed   bool          // it was heard
	followOff  bagstore.Time // bag time − followed clock

	status     Status // what counts up
	nextReport Wall
	reported   atomic.Pointer[Status]
	problems   []string
	scratch    []byte
	failure    error

	mu    sync.Mutex
	inbox []request
	done  chan struct{} // closed when Run has returned
}

// New prepares to play. It reads the bags' indexes only.
func New(o Options) (*Player, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.complete()
	p := &Player{
		o: o, clock: o.Clock, log: o.Log, ctx: context.Background(),
		paused: o.Paused, pauseTopics: len(o.PauseTopics) > 0,
		tr:      translator{rate: o.Rate},
		control: rateControl{on: o.RateControl, max: o.RateControlMaxDelay},
		done:    make(chan struct{}),
	}
	p.clockPub = clockPublisher{perMessage: o.ClockPerMessage || o.Immediate || len(o.ClockTopics) > 0, topics: make(map[string]bool)}
	if o.ClockHz > 0 {
		p.clockPub.period, p.clockPub.out = time.Duration(1e9/o.ClockHz), o.Output.PublishClock
	}
	for _, t := range o.ClockTopics {
		p.clockPub.topics[t] = true
	}
	p.choose()
	if err := p.bound(); err != nil {
		return nil, err
	}
	p.status.State = Waiting
	p.report(p.clock.Now())
	return p, nil
}

// choose plans the channels of all connections that the filter wants.
func (p *Player) choose() {
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
	var renamed, problems []string
	p.channels, renamed, problems = plan(conns, &p.o)
	for _, text := range renamed {
		p.log.Debug().Msg(text)
	}
	if len(renamed) > 0 {
		p.log.Info().Msgf("ROS refuses the names of %d topics; they are made legal, such as: %s", len(renamed), renamed[0])
	}
	for _, text := range problems {
		p.problem("%s", text)
	}
	for _, text := range p.o.Filter.missing(p.o.Source.Connections()) {
		p.problem("%s", text)
	}
	for _, ch := range p.channels.list {
		ch.pausing = slices.Contains(p.o.PauseTopics, ch.recorded)
	}
	p.warnOfNames()
}

// query is what is played between two times. In real time a chunk is decompressed
// long before it is due: that may take time, but not the processors from those
// that the message before it is on its way to.
func (p *Player) query(from, to bagstore.Time) bagstore.Query {
	q := bagstore.Query{Connections: p.playing, Start: from, End: to, Mapped: p.untouched}
	if !p.o.Immediate {
		q.Ahead = 1
	}
	return q
}

// bound finds the times between which to play.
func (p *Player) bound() error {
	all, err := p.o.Source.View(bagstore.Query{Start: statics + 1})
	if err != nil {
		return err
	}
	from, to := all.Start().Add(p.o.Start), bagstore.MaxTime
	startAt, err := p.o.StartAt.In(p.o.Source)
	if err != nil {
		return err
	}
	if startAt != 0 {
		from = startAt
	}
	if p.o.Duration > 0 {
		to = from.Add(p.o.Duration)
	}
	until, err := p.o.Until.In(p.o.Source)
	if err != nil {
		return err
	}
	if until != 0 {
		to = min(to, until)
	}
	if to < from {
		return fmt.Errorf("the end, %s, is before the start, %s", ReadableTime(to), ReadableTime(from))
	}
	p.view, err = p.o.Source.View(p.query(max(from, statics+1), to))
	if err != nil {
		return err
	}
	early, err := p.o.Source.View(bagstore.Query{Connections: p.playing, End: statics})
	if err != nil {
		return err
	}
	p.channels.countStatics(p.o.Source, early)
	p.start, p.end = p.view.Start(), p.view.End()
	if p.start == 0 {
		p.empty = true
		p.start, p.end = max(from, statics), max(from, statics)
	}
	p.at = p.start
	p.control.last = p.start
	p.from, p.to = p.start, p.end
	return nil
}

// Range is the times of the first and the last message to play.
func (p *Player) Range() (start, end bagstore.Time) { return p.start, p.end }

// Empty tells that there is nothing to play on the chosen topics.
func (p *Player) Empty() bool {
	return p.empty && !slices.ContainsFunc(p.channels.list, func(ch *channel) bool { return ch.static > 0 })
}

// Problems are what couldn't be played, in words; empty after Run if everything
// asked for was published.
func (p *Player) Problems() []string { return p.problems }

// Status is the player's state as last reported, at most 100 ms ago.
func (p *Player) Status() Status { return *p.reported.Load() }

// Done is closed when Run has returned.
func (p *Player) Done() <-chan struct{} { return p.done }

// maxProblems bounds what is kept of a bag that has nothing else.
const maxProblems = 100

func (p *Player) problem(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(p.problems) < maxProblems && !slices.Contains(p.problems, text) {
		p.problems = append(p.problems, text)
		p.log.Warn().Msg(text)
	}
}

// fail keeps an error that ends playback.
func (p *Player) fail(err error) error {
	if err != nil && p.failure == nil {
		p.failure = err
	}
	return err
}

// Run plays until the end, Stop, or the end of ctx, whose error it then returns.
// It is called once.
func (p *Player) Run(ctx context.Context) error {
	defer close(p.done)
	p.ctx = ctx
	unhook := context.AfterFunc(ctx, p.clock.Wake)
	defer unhook()
	if err := p.advertise(); err != nil {
		return err
	}
	p.feed = newFeed(p.view)
	defer func() {
		p.drop()
		p.feed.close()
		p.stopped = true
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
			p.problem("topic %s is left out: %v", ch.recorded, err)
			p.channels.drop(ch)
			continue
		}
		ch.sink = sink
	}
	if len(p.channels.list) == 0 && len(p.problems) > 0 {
		return errors.New("no topic can be played")
	}
	return p.o.Output.Ready(p.ctx)
}

// subscriberPoll is how often it is looked whether all subscribers are there.
const subscriberPoll = 100 * time.Millisecond

// ready waits for the delay after advertising and for subscribers.
func (p *Player) ready() error {
	for until := p.clock.Now() + Wall(p.o.Delay); p.clock.Now() < until && !p.stopped; p.serve() {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		p.clock.Wait(until)
	}
	if !p.o.WaitForSubscribers {
		return nil
	}
	p.log.Info().Msg("waiting for a subscriber of every topic")
	for ; !p.stopped && slices.ContainsFunc(p.channels.list, func(ch *channel) bool { return ch.sink.Subscribers() == 0 }); p.serve() {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		p.clock.Wait(p.clock.Now() + Wall(subscriberPoll))
	}
	return nil
}

// finish shows the last time reached and waits until everything has left.
func (p *Player) finish() error {
	p.clockPub.set(p.position(p.clock.Now()) + p.offset)
	for _, ch := range p.channels.list {
		if err := ch.sink.Flush(p.ctx); err != nil {
			return err
		}
	}
	return nil
}

// drop gives the message that waits back.
func (p *Player) drop() {
	if p.loaded {
		p.next.release()
	}
	p.next, p.loaded = item{}, false
}
