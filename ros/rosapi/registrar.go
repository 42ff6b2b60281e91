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

const (
	// remindEvery is how often the log says that there is no master, at the next of the attempts, which
	// are three seconds apart: about every ten seconds.
	remindEvery = 9 * time.Second

	// compareEvery is how often the registrar compares what the master has of the node with what is wanted.
	compareEvery = 3 * time.Second

	// stateShare bounds what that costs in a large graph: the master's answers take less than this part of the time.
	stateShare = 100

	// maxAsked is how many names are asked for at once.
	maxAsked = 16

	// renewEvery is how often parameters are subscribed to again, because a master doesn't say who subscribes to them.
	renewEvery = 30 * time.Second
)

// Registrar keeps a node's registrations at the master up to date. It waits for a master that isn't running. At
// intervals it compares what the master has with what is wanted, and registers what is missing: everything after
// the master was restarted, a service after the node that took its name has left.
//
//	        answer               no answer
//	alone ─────────► met ◄──────────────────────► down
//	                  │ ▲                 answer
//	another URI has   │ │ that node
//	the node's name   ▼ │ has left
//	                 taken: registers nothing
type Registrar struct {
	caller *Caller
	master string // URI
	self   string // URI of this node's slave API
	log    zerolog.Logger
	greet  func(context.Context) error

	wake  work.Signal   // push sets it, Run waits for it
	ended chan struct{} // closed when Run has returned

	// mu guards wanted and queue.
	mu     sync.Mutex
	wanted map[key]*Registration
	queue  []job // what may differ from what the master has, in the order of Add and Remove

	// Used by the goroutine of Run, and then by Leave.
	there    map[key]*Registration // what the master has been told
	stateDue time.Time             // when the master is asked for its state again
	renewDue time.Time             // when parameters are subscribed to again
	met      bool                  // a master has answered
	alone    atomic.Bool           // none has, though one was asked; any goroutine may read it
	down     bool                  // logged that the master doesn't answer
	warned   time.Time             // when it was logged
	taken    bool                  // logged that another node has the name
}

// job is a key to be looked at, or a call of Wait, whose channel is closed when the jobs before it are done.
type job struct {
	key     key
	reached chan struct{}
}

// NewRegistrar takes the URIs of the master and of the node's slave API. greet is called at each new master, before
// anything is registered there.
func NewRegistrar(c *Caller, master, self string, log zerolog.Logger, greet func(context.Context) error) *Registrar {
	return &Registrar{caller: c, master: master, self: self, log: log, greet: greet,
		wanted: make(map[key]*Registration), there: make(map[key]*Registration),
		wake: work.NewSignal(), ended: make(chan struct{})}
}

// Add adds a registration, now and at every new master. It replaces another one of the same kind and name.
func (g *Registrar) Add(r *Registration) {
	g.mu.Lock()
	g.wanted[r.key()] = r
	g.mu.Unlock()
	g.push(job{key: r.key()})
}

// Remove unregisters r.
func (g *Registrar) Remove(r *Registration) {
	g.mu.Lock()
	if g.wanted[r.key()] == r {
		delete(g.wanted, r.key())
	}
	g.mu.Unlock()
	g.push(job{key: r.key()})
}

func (g *Registrar) push(j job) {
	g.mu.Lock()
	g.queue = append(g.queue, j)
	g.mu.Unlock()
	g.wake.Set()
}

// Wait waits until the master knows everything that was added, or closed ends.
func (g *Registrar) Wait(ctx, closed context.Context) error {
	reached := make(chan struct{})
	g.push(job{reached: reached})
	select {
	case <-reached:
		return nil
	case <-closed.Done():
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run keeps the master up to date until ctx ends.
func (g *Registrar) Run(ctx context.Context) {
	const first, last = 100 * time.Millisecond, 3 * time.Second
	defer close(g.ended)
	backoff := first
	compared := false // since the master last failed, and in this interval
	for {
		err := error(nil)
		if !compared {
			err = g.compare(ctx)
		}
		if err == nil {
			compared = true
			err = g.work(ctx, withGrace)
		}
		if ctx.Err() != nil {
			return
		}
		g.report(err)
		wait, wake := compareEvery, g.wake
		if err != nil {
			wait, wake, compared = backoff, nil, false
			backoff = min(2*backoff, last)
		} else {
			backoff = first
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(wait):
			compared = false
		}
	}
}

// report logs that there is no master, again and again until one has answered. Later it logs once
// that the master doesn't answer, and once that it does again.
func (g *Registrar) report(err error) {
	switch log := g.log.With().Str("master", g.master).Logger(); {
	case err != nil && !g.met && time.Since(g.warned) >= remindEvery:
		g.warned = time.Now()
		log.Warn().Err(err).Msgf(
			"no ROS master at %s: start roscore, or use --master embedded, or set ROS_MASTER_URI; waiting for it", g.master)
	case err != nil && g.met && !g.down:
		log.Warn().Err(err).Msg("no answer from the ROS master; retrying")
	case err == nil && g.down:
		log.Info().Msg("the ROS master answers")
	}
	g.down = err != nil
	g.alone.Store(g.down && !g.met)
}

// Alone reports whether masters were asked and none ever answered. It may be called from any goroutine, also after
// Leave.
func (g *Registrar) Alone() bool { return g.alone.Load() }

// compare queues what the master lacks. A master that doesn't know the node is a new one.
func (g *Registrar) compare(ctx context.Context) error {
	uri, err := g.caller.Call(ctx, g.master, "lookupNode", g.caller.ID)
	if _, answered := errors.AsType[*Error](err); err != nil && !answered {
		return err
	}
	known, had := uri == g.self, len(g.there) > 0
	taken := had && err == nil && !known
	if taken && !g.taken {
		g.log.Warn().Any("uri", uri).Str("name", g.caller.ID).Msg("another node has taken this name")
	}
	if g.taken = taken; taken {
		return nil
	}
	fresh := !known && (had || !g.met)
	if fresh && had {
		g.log.Info().Msg("the ROS master was restarted; registering everything again")
	}
	if fresh {
		err := g.greet(ctx)
		if _, refused := errors.AsType[*Error](err); refused {
			g.log.Warn().Err(err).Msg("the ROS master refused the private parameters of " + g.caller.ID)
		} else if err != nil {
			return err
		}
		clear(g.there)
	}
	g.met = true
	now := time.Now()
	if known && now.After(g.stateDue) {
		if state, err := g.caller.SystemState(ctx, g.master); err == nil {
			g.forget(&state)
		} else {
			g.log.Debug().Err(err).Msg("can't compare what is registered with the master's state")
		}
		g.stateDue = now.Add(stateShare * time.Since(now))
	}
	renew := now.After(g.renewDue)
	if renew {
		g.renewDue = now.Add(renewEvery)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var missing []job
	for k, r := range g.wanted {
		if k.kind == ParamSubscription && renew || r.Register != nil && g.down { // rosmaster doesn't repeat updates
			delete(g.there, k)
		}
		r.refused = r.refused && !fresh
		if g.there[k] != r && !r.refused {
			missing = append(missing, job{key: k})
		}
	}
	g.queue = append(missing, g.queue...)
	return nil
}

// forget removes from there what a master's state lacks, and subscriptions that have missed an update.
func (g *Registrar) forget(state *SystemState) {
	for k, r := range g.there {
		switch {
		case k.kind == ParamSubscription:
		case !slices.Contains(state[k.kind][k.name], g.caller.ID):
			delete(g.there, k)
			g.renewDue = time.Time{} // those of parameters may be missing, too
		case r.Publishers != nil && r.Publishers() != len(state[Publisher][k.name]):
			delete(g.there, k)
		}
	}
}

// change is what the master is to be told.
type change struct {
	*Registration
	gone bool
}

// ask finds out which of the queued names are free. Those who hold them may not answer, so all are asked side by side.
func (g *Registrar) ask(ctx context.Context, free map[*Registration]*bool) {
	g.mu.Lock()
	var asked sync.WaitGroup
	slots := make(chan struct{}, maxAsked)
	for _, j := range g.queue {
		r := g.wanted[j.key]
		if r == nil || r.Free == nil || r.refused || g.there[j.key] == r || free[r] != nil {
			continue
		}
		is := new(bool)
		free[r] = is
		asked.Go(func() {
			slots <- struct{}{}
			*is = r.Free(ctx)
			<-slots
		})
	}
	g.mu.Unlock()
	asked.Wait()
}

// next returns the next changes, which then count as made: one, or many if many are queued. It ends before one whose
// name may be free, which ask hasn't asked.
func (g *Registrar) next(free map[*Registration]*bool) (list []change) {
	g.mu.Lock()
	defer g.mu.Unlock()
	most := 1
	if len(g.queue) >= minBatch {
		most = mostTogether
	}
	for ; len(g.queue) > 0 && len(list) < most; g.queue = g.queue[1:] {
		j := g.queue[0]
		if j.reached != nil {
			if len(list) > 0 {
				break
			}
			close(j.reached)
			continue
		}
		have, want := g.there[j.key], g.wanted[j.key]
		if have == want || want != nil && want.refused {
			continue
		}
		if want != nil && want.Free != nil {
			if free[want] == nil {
				return list // asked the next time
			}
			if !*free[want] {
				want = nil
			}
		}
		if have != nil {
			list = append(list, change{have, true})
			delete(g.there, j.key)
		}
		if want != nil {
			list = append(list, change{want, false})
			g.there[j.key] = want
		}
	}
	return list
}

// work makes the queued changes, each call with a context from limit. An error means that the master doesn't
// answer. A refusal is logged and not retried.
func (g *Registrar) work(ctx context.Context, limit limiter) error {
	for free := map[*Registration]*bool{}; ctx.Err() == nil; {
		g.ask(ctx, free)
		list := g.next(free)
		if len(list) == 0 {
			return nil
		}
		if err := g.tell(ctx, limit, list); err != nil {
			return err
		}
	}
	return nil
}

// tell tells the master of changes. What it may or may not have heard of is unregistered, and registered again if it is
// still wanted.
func (g *Registrar) tell(ctx context.Context, limit limiter, list []change) error {
	requests := make([]request, len(list))
	answered := make([]func(any) error, len(list))
	for i, c := range list {
		requests[i] = c.request(g.self, c.gone)
		if c.Register != nil && !c.gone {
			answered[i] = c.Register()
		}
	}
	answers, err := g.caller.callAll(ctx, limit, g.master, requests, minBatch)
	for i, a := range answers {
		c := list[i]
		if a.err == nil && answered[i] != nil {
			a.err = answered[i](a.value)
		}
		if a.err == nil {
			continue
		}
		g.log.Warn().Err(a.err).Bool("unregister", c.gone).
			Msg("the ROS master refused the " + kinds[c.Kind].name + " " + c.Name)
		if !c.gone {
			delete(g.there, c.key())
			c.refused = true
		}
	}
	var again []job
	for _, c := range list[len(answers):] {
		unsure := *c.Registration
		g.there[c.key()] = &unsure
		again = append(again, job{key: c.key()})
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue = append(again, g.queue...)
	return err
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

// Leave waits for Run to return and then unregisters everything. It ends with ctx, and
// after a second if the master doesn't answer.
func (g *Registrar) Leave(ctx context.Context) {
	<-g.ended
	if g.Alone() {
		return
	}
	g.mu.Lock()
	clear(g.wanted)
	g.queue = nil
	for k := range g.there {
		g.queue = append(g.queue, job{key: k})
	}
	g.mu.Unlock()
	if err := g.work(ctx, brief); err != nil {
		g.log.Warn().Err(err).Msg("couldn't unregister from the ROS master")
	}
}
