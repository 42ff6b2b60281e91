package rosapi

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/ros/internal/wake"
)

// pollEvery is how often the registrar asks whether the master is still the one that
// it registered with.
const pollEvery = 3 * time.Second

// Registration is one thing that the master should know about a node.
type Registration struct {
	What       string                      // for the log: "publisher /x"
	Register   func(context.Context) error // called again for every new master
	Unregister func(context.Context) error // nil: stays when the node goes

	// Request, which may be nil, is what Register or, if gone, Unregister sends the master.
	// Their answers don't matter, so it can be sent together with those of others.
	Request func(gone bool) Request

	// Refresh: Register is also called when the master was out of reach for a while. Its
	// answer has what the master couldn't tell meanwhile; rosmaster doesn't try twice.
	Refresh bool

	done bool // the master has it
	gone bool // the node no longer wants it
	at   int  // its place in the list
}

// pending reports whether the master has to be told.
func (r *Registration) pending() bool { return (r.gone || !r.done) && !r.over() }

// over reports whether nobody needs it any more.
func (r *Registration) over() bool { return r.gone && (!r.done || r.Unregister == nil) }

// Registrar keeps the master informed of what a node wants registered. A master that
// isn't there is waited for, and one that was restarted is told everything again.
type Registrar struct {
	caller *Caller
	master string // URI
	self   string // URI of this node's slave API
	log    zerolog.Logger

	mu      sync.Mutex
	list    []*Registration // in the order of Add
	from    int             // nothing before it needs a call
	settled chan struct{}   // closed when nothing is left to do; nil if nobody waits
	pid     int             // of the master; 0 before the first answer
	down    bool            // said that the master doesn't answer
	taken   bool            // said that another node has the name

	wake  wake.Signal
	ended chan struct{} // closed when run has returned
}

// NewRegistrar returns the registrar of the node whose slave API is at self. master
// is the URI of the master.
func NewRegistrar(c *Caller, master, self string, log zerolog.Logger) *Registrar {
	return &Registrar{caller: c, master: master, self: self, log: log, wake: wake.New(), ended: make(chan struct{})}
}

// Add makes the registrar register r, now and with every new master.
func (g *Registrar) Add(r *Registration) *Registration {
	g.mu.Lock()
	r.at = len(g.list)
	g.list = append(g.list, r)
	g.mu.Unlock()
	g.wake.Set()
	return r
}

// Remove makes the registrar unregister r.
func (g *Registrar) Remove(r *Registration) {
	g.mu.Lock()
	r.gone = true
	g.from = min(g.from, r.at)
	g.mu.Unlock()
	g.wake.Set()
}

// Run works until ctx ends.
func (g *Registrar) Run(ctx context.Context) {
	const first, last = 100 * time.Millisecond, 3 * time.Second
	defer close(g.ended)
	backoff := first
	poll := time.NewTimer(0)
	defer poll.Stop()
	checked := false // the master was looked at since it last failed
	for {
		err := error(nil)
		if !checked {
			err = g.check(ctx)
		}
		if err == nil {
			checked = true
			err = g.sync(ctx, unbroken)
		}
		if ctx.Err() != nil {
			return
		}
		reached := err == nil && g.down
		g.report(err)
		if reached && g.refresh() {
			continue
		}
		if err != nil {
			checked = false
			poll.Reset(backoff)
			backoff = min(2*backoff, last)
			select {
			case <-ctx.Done():
				return
			case <-poll.C:
			}
			continue
		}
		backoff = first
		poll.Reset(pollEvery)
		select {
		case <-ctx.Done():
			return
		case <-g.wake:
		case <-poll.C:
			checked = false
		}
	}
}

// report logs once that the master doesn't answer, and once that it does again.
func (g *Registrar) report(err error) {
	switch {
	case err != nil && !g.down:
		g.log.Warn().Err(err).Str("master", g.master).Msg("no answer from the ROS master; trying on")
	case err == nil && g.down:
		g.log.Info().Str("master", g.master).Msg("the ROS master answers")
	}
	g.down = err != nil
}

// check finds out whether this is still the master that the node registered
// with: another process, or one that never heard of the node, is a new one.
func (g *Registrar) check(ctx context.Context) error {
	answer, err := g.caller.Call(ctx, g.master, "getPid")
	var refused *Error
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	pid, _ := answer.(int)
	fresh := g.pid != 0 && pid != g.pid
	g.pid = pid
	if !fresh && g.anyDone() {
		uri, err := g.caller.Call(ctx, g.master, "lookupNode", g.caller.ID)
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		fresh = err != nil
		taken := err == nil && uri != g.self
		if taken && !g.taken {
			g.log.Warn().Any("uri", uri).Str("name", g.caller.ID).Msg("another node has taken this name")
		}
		g.taken = taken
	}
	if fresh && g.anyDone() {
		g.log.Info().Msg("the ROS master was restarted; registering everything again")
		g.forget()
	}
	return nil
}

func (g *Registrar) anyDone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.list, func(r *Registration) bool { return r.done && r.Unregister != nil })
}

func (g *Registrar) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.list {
		r.done = false
	}
	g.from = 0
}

// refresh makes the registrations that want it due again; true if there are any.
func (g *Registrar) refresh() (any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.list {
		if r.Refresh && r.done && !r.gone {
			r.done, any = false, true
		}
	}
	g.from = 0
	return any
}

// next is the first Registration that needs a call, or nil. At the end of the list
// it forgets those that are gone and that the master doesn't know.
func (g *Registrar) next() *Registration {
	g.mu.Lock()
	defer g.mu.Unlock()
	for ; g.from < len(g.list); g.from++ {
		if r := g.list[g.from]; r.pending() {
			return r
		}
	}
	g.list = slices.DeleteFunc(g.list, (*Registration).over)
	for i, r := range g.list {
		r.at = i
	}
	g.from = len(g.list)
	if g.settled != nil {
		close(g.settled)
		g.settled = nil
	}
	return nil
}

// sync does what is left to do. An error means that the master doesn't answer;
// a refusal is logged and not tried again.
func (g *Registrar) sync(ctx context.Context, call func(context.Context, func(context.Context) error) error) error {
	alone := 0 // how many are registered one by one, because they can't be together
	for r := g.next(); r != nil && ctx.Err() == nil; r = g.next() {
		var many []*Registration
		if alone == 0 {
			many = g.batch()
		}
		if len(many) >= fewestTogether {
			told, err := g.syncTogether(ctx, call, many)
			if err != nil {
				return err
			}
			if !told {
				alone = len(many)
			}
			continue
		}
		alone = max(alone-1, 0)
		g.mu.Lock()
		gone := r.gone
		g.mu.Unlock()
		do := r.Register
		if gone {
			do = r.Unregister
		}
		err := call(ctx, do)
		var refused *Error
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		if refused != nil {
			g.log.Warn().Err(err).Bool("unregister", gone).Msg("the ROS master refused the " + r.What)
		}
		g.mu.Lock()
		r.done = !gone
		g.mu.Unlock()
	}
	return nil
}

// answerTime is how long a call that runs when the node leaves may still take.
const answerTime = 500 * time.Millisecond

// silence is how long a master may take for each call when the node leaves.
const silence = 900 * time.Millisecond

// brief makes a call that ends with ctx, and if the master is silent.
func brief(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	return do(ctx)
}

// unbroken makes a call and doesn't break it off when ctx ends: the master may
// carry it out all the same, and what it then had registered would stay.
func unbroken(ctx context.Context, do func(context.Context) error) error {
	call, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(answerTime, cancel)
		context.AfterFunc(call, func() { timer.Stop() })
	})
	defer stop()
	return do(call)
}

// Wait returns when the master knows everything that was added by now. It returns
// ErrClosed if closed ends first.
func (g *Registrar) Wait(ctx, closed context.Context) error {
	for {
		g.mu.Lock()
		left := slices.ContainsFunc(g.list, func(r *Registration) bool { return r.gone || !r.done })
		if left && g.settled == nil {
			g.settled = make(chan struct{})
		}
		settled := g.settled
		g.mu.Unlock()
		if !left {
			return nil
		}
		select {
		case <-settled:
		case <-closed.Done():
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Leave waits for the end of Run and then unregisters everything. ctx bounds this; a
// master that doesn't answer ends it after a second.
func (g *Registrar) Leave(ctx context.Context) {
	<-g.ended
	g.mu.Lock()
	for _, r := range g.list {
		r.gone = true
	}
	g.from = 0
	g.mu.Unlock()
	if err := g.sync(ctx, brief); err != nil {
		g.log.Warn().Err(err).Msg("couldn't unregister from the ROS master")
	}
}
