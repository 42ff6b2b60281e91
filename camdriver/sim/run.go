package sim

import (
	"context"
	"errors"
	"sync"
	"time"

	"rsros/camdriver"
)

const (
	// lateness is how far a stream may fall behind, as far as the queues
	// between camera and program reach; beyond it frames are dropped.
	lateness = 100 * time.Millisecond
	// resetTime is how long the camera is gone after a Reset.
	resetTime = 2 * time.Second
)

var errReset = errors.New("hardware reset")

// run is one sensor between Start and Stop.
type run struct {
	s       *sensor
	h       camdriver.Handler
	streams []*stream

	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup // everything that may call h
	restart chan struct{}  // asks for a reset
	stopped bool           // guarded by s.mu; wg grows no more
}

// newRun prepares streams; s.mu is held.
func newRun(s *sensor, profiles []camdriver.Profile, h camdriver.Handler) *run {
	r := &run{s: s, h: h, restart: make(chan struct{}, 1)}
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

func (r *run) start() {
	now := r.s.dev.opt.Clock.Now()
	r.wg.Go(r.fill)
	r.wg.Go(func() { r.supervise(now) })
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

// supervise runs the streams, and runs them again after each reset.
func (r *run) supervise(now time.Time) {
	clock := r.s.dev.opt.Clock
	for {
		ctx, stop := context.WithCancel(r.ctx)
		var streams sync.WaitGroup
		for _, st := range r.streams {
			streams.Go(func() { st.raise(ctx, now, r.h) })
		}
		select {
		case <-r.ctx.Done():
		case <-r.restart:
		}
		stop()
		streams.Wait()
		if r.ctx.Err() != nil {
			return
		}
		r.status(camdriver.Status{Kind: camdriver.StatusDisconnected, Err: errReset})
		if clock.SleepUntil(r.ctx, clock.Now().Add(resetTime)) != nil {
			return
		}
		now = clock.Now()
		r.h.Notification(r.s.number, camdriver.Notification{
			Time: now, Category: camdriver.NotifyHardwareEvent, Severity: camdriver.SeverityInfo,
			Description: "Hardware reset done",
		})
		r.status(camdriver.Status{Kind: camdriver.StatusStreaming})
	}
}

// status raises a change of the whole device, from one sensor only.
func (r *run) status(s camdriver.Status) {
	if r.s.dev.speaker() == r.s.number {
		r.h.StatusChanged(s)
	}
}
