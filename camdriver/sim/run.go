package sim

import (
	"context"
	"sync"
	"time"

	"rsros/camdriver"
)

// lateness is how far a stream may fall behind, as far as the queues between
// camera and program reach; beyond it frames are dropped.
const lateness = 100 * time.Millisecond

// run is one sensor between Start and Stop.
type run struct {
	s       *sensor
	h       camdriver.Handler
	streams []*stream

	ctx     context.Context
	cancel  context.CancelFunc
	pause   context.CancelFunc // ends what resume began
	raising sync.WaitGroup     // goroutines of the streams
	other   sync.WaitGroup     // whatever else may call h, and fill
	stopped bool               // guarded by s.mu; the groups grow no more
}

// newRun prepares streams; s.mu is held.
func newRun(s *sensor, profiles []camdriver.Profile, h camdriver.Handler) *run {
	r := &run{s: s, h: h}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	for _, p := range profiles {
		st := &stream{s: s, profile: p, grid: newGrid(s.dev.opened, p), loopFrames: loopFrames(p, s.dev.opt)}
		if p.Stream.Kind.Video() {
			st.loop = s.loop(p)
		}
		r.streams = append(r.streams, st)
	}
	return r
}

// profiles are those of the streams. s.mu is held.
func (r *run) profiles() []camdriver.Profile {
	var out []camdriver.Profile
	for _, st := range r.streams {
		out = append(out, st.profile)
	}
	return out
}

// resume begins to raise frames, with numbers from 1. s.mu is held and the run
// not stopped.
func (r *run) resume() {
	now := r.s.dev.opt.Clock.Now()
	ctx, pause := context.WithCancel(r.ctx)
	r.pause = pause
	for _, st := range r.streams {
		r.raising.Go(func() { st.raise(ctx, now, r.h) })
	}
}

// call runs f, which calls the handler, unless the run is stopped.
func (r *run) call(f func(camdriver.Handler)) bool {
	r.s.mu.Lock()
	if r.stopped {
		r.s.mu.Unlock()
		return false
	}
	r.other.Add(1) // Stop waits for f
	r.s.mu.Unlock()
	defer r.other.Done()
	f(r.h)
	return true
}

// wait returns when the stopped run has ended.
func (r *run) wait() {
	r.raising.Wait()
	r.other.Wait()
}

// fill draws all images of the loops, in the order they will be needed.
func (r *run) fill() {
	now := r.s.dev.opt.Clock.Now()
	for more, i := true, int64(1); more; i++ {
		more = false
		for _, st := range r.streams {
			if st.loop == nil || i > st.loopFrames || r.ctx.Err() != nil {
				continue
			}
			more = true
			if b := st.loop.image(st.grid.index(now)+i, r.s.settings.Load().look); b != nil {
				b.Release()
			}
		}
	}
}
