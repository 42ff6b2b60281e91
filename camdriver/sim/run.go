package sim

import (
	"context"
	"slices"
	"sync"
	"time"

	"rsros/camdriver"
)

// lateness is how far a stream may fall behind before frames are dropped. It stands for
// the queues between camera and program.
const lateness = 100 * time.Millisecond

// run is one sensor between Start and Stop.
type run struct {
	s        *sensor
	receiver camdriver.GatedHandler // closed by Stop; frames don't pass its gate
	profiles []camdriver.Profile
	streams  []*stream // of profiles

	ctx     context.Context
	cancel  context.CancelFunc
	pause   context.CancelFunc // ends the goroutines that resume started
	raising sync.WaitGroup     // goroutines that raise frames
	filling sync.WaitGroup     // goroutine that renders images
	stopped bool               // guarded by s.mu; then nothing is added to the groups
}

// newRun prepares the streams. s.mu must be held.
func newRun(s *sensor, profiles []camdriver.Profile, h camdriver.Handler) *run {
	r := &run{s: s, receiver: camdriver.GatedHandler{Handler: h}, profiles: slices.Clone(profiles)}
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

// resume starts raising frames, with numbers from 1. s.mu must be held and the run must not be stopped.
func (r *run) resume() {
	now := r.s.dev.opt.Clock.Now()
	ctx, pause := context.WithCancel(r.ctx)
	r.pause = pause
	for _, st := range r.streams {
		r.raising.Go(func() { st.raise(ctx, now, r.receiver.Handler) })
	}
}

// fill renders all images of the loops, in the order in which they are due.
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
