package rosapi

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/program/work"
)

// remindEvery is how often the log says that there is no master, at the next of the attempts, which
// are three seconds apart: about every ten seconds.
const remindEvery = 9 * time.Second

// pollEvery is how often the registrar checks that the master is still the same.
const pollEvery = 3 * time.Second

// Registration is something that a node registers at every new master.
type Registration struct {
	What, Name string // for the log: "publisher", "/x"

	// Request returns what registers or, if gone, unregisters, which isn't held: a bag may have 100,000 topics. If it is
	// nil, the registration stays when the node leaves.
	Request func(gone bool) Request

	// Register, if not nil, is called in place of sending Request(false), whose answer isn't used.
	Register func(context.Context) error

	// Refresh makes the registrar register again also after the master was unreachable for
	// a while. The answer has the updates that were missed: rosmaster doesn't retry them.
	Refresh bool

	done bool // the master has it
	gone bool // the node no longer wants it
	at   int  // index in the list
}

func (r *Registration) permanent() bool { return r.Request == nil }

func (r *Registration) pending() bool { return (r.gone || !r.done) && !r.over() }

// over reports whether the registration can be forgotten.
func (r *Registration) over() bool { return r.gone && (!r.done || r.permanent()) }

// Registrar keeps a node's registrations at the master up to date. It waits for a master
// that isn't running, and registers everything again after the master was restarted.
type Registrar struct {
	caller *Caller
	master string // URI
	self   string // URI of this node's slave API
	log    zerolog.Logger

	mu      sync.Mutex
	list    []*Registration // in the order of Add
	from    int             // no entry before it is pending
	settled chan struct{}   // closed when nothing is pending; nil if nobody waits
	pid     int             // of the master; 0 before the first answer
	met     bool            // a master has answered
	alone   atomic.Bool     // none has, though one was asked
	down    bool            // logged that the master doesn't answer
	warned  time.Time       // when it was logged
	taken   bool            // logged that another node has the name

	wake  work.Signal
	ended chan struct{} // closed when Run has returned
}

// NewRegistrar takes the URIs of the master and of the node's slave API.
func NewRegistrar(c *Caller, master, self string, log zerolog.Logger) *Registrar {
	return &Registrar{caller: c, master: master, self: self, log: log, wake: work.NewSignal(), ended: make(chan struct{})}
}

// Add adds a registration, now and for every new master.
func (g *Registrar) Add(r *Registration) *Registration {
	g.mu.Lock()
	r.at = len(g.list)
	g.list = append(g.list, r)
	g.mu.Unlock()
	g.wake.Set()
	return r
}

// Remove unregisters r.
func (g *Registrar) Remove(r *Registration) {
	g.mu.Lock()
	r.gone = true
	g.from = min(g.from, r.at)
	g.mu.Unlock()
	g.wake.Set()
}

// Run keeps the master up to date until ctx ends.
func (g *Registrar) Run(ctx context.Context) {
	const first, last = 100 * time.Millisecond, 3 * time.Second
	defer close(g.ended)
	backoff := first
	checked := false // since the master last failed or the last poll
	for {
		err := error(nil)
		if !checked {
			err = g.check(ctx)
		}
		if err == nil {
			checked = true
			err = g.sync(ctx, withGrace)
		}
		if ctx.Err() != nil {
			return
		}
		reached := err == nil && g.down
		g.report(err)
		if reached && g.refresh() {
			continue
		}
		wait, wake := pollEvery, g.wake
		if err != nil {
			wait, wake, checked = backoff, nil, false
			backoff = min(2*backoff, last)
		} else {
			backoff = first
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(wait):
			checked = false
		}
	}
}

// report logs that there is no master, again and again until one has answered. Later it logs once
// that the master doesn't answer, and once that it does again.
func (g *Registrar) report(err error) {
	switch log := g.log.With().Str("master", g.master).Logger(); {
	case err != nil && !g.met && time.Since(g.warned) >= remindEvery:
		g.warned = time.Now()
		log.Warn().Err(err).Msgf("no ROS master at %s: start roscore, or use --master embedded, or set ROS_MASTER_URI; waiting for it", g.master)
	case err != nil && g.met && !g.down:
		log.Warn().Err(err).Msg("no answer from the ROS master; retrying")
	case err == nil && g.down:
		log.Info().Msg("the ROS master answers")
	}
	g.down = err != nil
	g.alone.Store(g.down && !g.met)
}

// Alone reports whether masters were asked and none ever answered. It may be called from any goroutine, also after Leave.
func (g *Registrar) Alone() bool { return g.alone.Load() }

// check checks that the master is still the one that the node registered with. Another
// process, or one that doesn't know the node, is a new master.
func (g *Registrar) check(ctx context.Context) error {
	answer, err := g.caller.Call(ctx, g.master, "getPid")
	var refused *Error
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	g.met = true
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
	return slices.ContainsFunc(g.list, func(r *Registration) bool { return r.done && !r.permanent() })
}

func (g *Registrar) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.list {
		r.done = false
	}
	g.from = 0
}

// refresh makes registrations with Refresh pending again, if there are any.
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

// next returns the next pending registration, and whether it is to be unregistered. With together, it
// adds those after it that can be sent in the same call, if that makes at least minBatch. If none is
// pending, it removes those that are over.
func (g *Registrar) next(together bool) (list []*Registration, gone bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.from < len(g.list) && !g.list[g.from].pending() {
		g.from++
	}
	for i := g.from; i < len(g.list) && len(list) < mostTogether; i++ {
		r := g.list[i]
		if !r.pending() {
			continue
		}
		fits := together && (r.gone || r.Register == nil)
		if len(list) > 0 && (!fits || r.gone != gone) {
			break
		}
		list, gone, together = append(list, r), r.gone, fits
	}
	if len(list) > 0 && len(list) < minBatch {
		list = list[:1]
	}
	if len(list) == 0 {
		g.removeOver()
	}
	return list, gone
}

// removeOver removes the registrations that are over, and ends the calls of Wait. None must be pending.
// Callers hold mu.
func (g *Registrar) removeOver() {
	g.list = slices.DeleteFunc(g.list, (*Registration).over)
	for i, r := range g.list {
		r.at = i
	}
	g.from = len(g.list)
	if g.settled != nil {
		close(g.settled)
		g.settled = nil
	}
}

// sync makes all pending calls, each with a context from limit. An error means that the master doesn't
// answer. A refusal is logged and not retried.
func (g *Registrar) sync(ctx context.Context, limit func(context.Context) (context.Context, context.CancelFunc)) error {
	single := 0 // registrations to send one by one because they can't be sent together
	for list, gone := g.next(true); len(list) > 0 && ctx.Err() == nil; list, gone = g.next(single == 0) {
		call, cancel := limit(ctx)
		refusals, err := g.send(call, list, gone)
		cancel()
		if _, impossible := errors.AsType[*Error](err); impossible {
			single = len(list)
			continue
		}
		single = max(single-1, 0)
		g.mu.Lock()
		for _, r := range list {
			if err == nil {
				r.done = !gone
			} else if ctx.Err() != nil {
				r.done = true // possibly registered: Leave will unregister it
			}
		}
		g.mu.Unlock()
		for i, refusal := range refusals {
			if refusal != nil {
				g.log.Warn().Err(refusal).Bool("unregister", gone).Msg("the ROS master refused the " + list[i].What + " " + list[i].Name)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// send registers or unregisters, and returns the master's refusals. An *Error means that it can't be
// done together.
func (g *Registrar) send(ctx context.Context, list []*Registration, gone bool) ([]error, error) {
	if len(list) > 1 {
		requests := make([]Request, len(list))
		for i, r := range list {
			requests[i] = r.Request(gone)
		}
		return g.caller.callTogether(ctx, g.master, requests)
	}
	var err error
	if r := list[0]; r.Register != nil && !gone {
		err = r.Register(ctx)
	} else {
		request := r.Request(gone)
		_, err = g.caller.Call(ctx, g.master, request.Method, request.Args...)
	}
	if _, refused := errors.AsType[*Error](err); refused {
		return []error{err}, nil
	}
	return nil, err
}

// answerTime is how long a running call may still take when the node leaves.
const answerTime = 500 * time.Millisecond

// silence is the timeout of each call made while the node leaves.
const silence = 900 * time.Millisecond

// brief limits a call to ctx and silence.
func brief(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, silence)
}

// withGrace lets a call continue for answerTime when ctx ends: the master may still execute an
// aborted call, and its registration would then be left behind.
func withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	call, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(answerTime, cancel)
		context.AfterFunc(call, func() { timer.Stop() })
	})
	return call, func() { stop(); cancel() }
}

// Wait waits until the master knows everything that was added, or closed ends.
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

// Leave waits for Run to return and then unregisters everything. It ends with ctx, and
// after a second if the master doesn't answer.
func (g *Registrar) Leave(ctx context.Context) {
	<-g.ended
	if g.Alone() {
		return
	}
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
