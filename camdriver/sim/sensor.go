package sim

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
)

// sensor implements camdriver.Sensor.
type sensor struct {
	dev      *Device
	number   int
	name     string
	profiles []camdriver.Profile
	filters  []string

	settings atomic.Pointer[settings] // replaced as a whole, under mu
	drops    atomic.Int64             // frames dropped since the last Start

	mu     sync.Mutex
	closed bool
	run    *run                         // last run, perhaps stopped
	loops  map[camdriver.StreamID]*loop // images of each stream's last profile
	region *camdriver.ROI               // for auto exposure; nil until set
}

func (s *sensor) Name() string { return s.name }
func (s *sensor) Info() []camdriver.Info {
	return []camdriver.Info{{Key: camdriver.InfoName, Value: s.name}}
}
func (s *sensor) Profiles() []camdriver.Profile { return slices.Clone(s.profiles) }
func (s *sensor) Filters() []string             { return slices.Clone(s.filters) }

func (s *sensor) Options() []camdriver.Option {
	out := slices.Clone(s.settings.Load().options)
	for i := range out {
		if out[i].ID == camdriver.OptionTotalFrameDrops {
			out[i].Value = float32(s.drops.Load())
		}
	}
	return out
}

func (s *sensor) Option(id camdriver.OptionID) (camdriver.Option, bool) {
	return camdriver.FindOption(s.Options(), id)
}

// SetOption also changes dependent options: manual exposure ends auto exposure, and laser power turns the emitter on.
func (s *sensor) SetOption(id camdriver.OptionID, value float32) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return camdriver.ErrClosed
	}
	next, changed, err := s.settings.Load().set(id, value)
	if err != nil {
		s.mu.Unlock()
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.settings.Store(next)
	r := s.run
	s.mu.Unlock()
	if r != nil {
		r.receiver.Call(func(h camdriver.Handler) {
			for _, o := range changed {
				h.OptionChanged(s.number, o.ID, o.Value)
			}
		})
	}
	return nil
}

func (s *sensor) Intrinsics(p camdriver.Profile) (camdriver.Intrinsics, error) {
	if !s.has(p) || !p.Stream.Kind.Video() {
		return camdriver.Intrinsics{}, fmt.Errorf("intrinsics of %s: %w", p, camdriver.ErrUnsupported)
	}
	return intrinsics(p), nil
}

func (s *sensor) MotionIntrinsics(p camdriver.Profile) (camdriver.MotionIntrinsics, error) {
	if !s.has(p) || !p.Stream.Kind.Inertial() {
		return camdriver.MotionIntrinsics{}, fmt.Errorf("motion intrinsics of %s: %w", p, camdriver.ErrUnsupported)
	}
	return motionIntrinsics(p.Stream.Kind), nil
}

// has reports whether the sensor has the profile p, ignoring Default.
func (s *sensor) has(p camdriver.Profile) bool {
	return slices.ContainsFunc(s.profiles, func(q camdriver.Profile) bool {
		q.Default = p.Default
		return p == q
	})
}

func (s *sensor) Start(profiles []camdriver.Profile, h camdriver.Handler) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return camdriver.ErrClosed
	}
	if s.run != nil && !s.run.stopped {
		return fmt.Errorf("start %s: %w", s.name, camdriver.ErrBusy)
	}
	if err := camdriver.CheckProfiles(profiles, s.check); err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	if s.dev.gone.Load() {
		return fmt.Errorf("start %s: %w", s.name, camdriver.ErrUnplugged)
	}
	s.drops.Store(0)
	s.meter(profiles)
	s.run = newRun(s, profiles, h)
	s.run.filling.Go(s.run.fill)
	s.run.resume()
	return nil
}

func (s *sensor) prepare(ctx context.Context, profiles []camdriver.Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if camdriver.CheckProfiles(profiles, s.check) != nil {
		return // Start reports it
	}
	s.meter(profiles)
	r := newRun(s, profiles, nil)
	defer r.cancel()
	if ctx.Err() != nil {
		return
	}
	defer context.AfterFunc(ctx, r.cancel)()
	r.fill()
}

func (s *sensor) check(p camdriver.Profile) error {
	if !s.has(p) {
		return fmt.Errorf("profile %s: %w", p, camdriver.ErrUnsupported)
	}
	return nil
}

// loop returns the images of a profile, which are reused if the last Start had the same profile. s.mu must be held.
func (s *sensor) loop(p camdriver.Profile) *loop {
	l := s.loops[p.Stream]
	if l == nil || l.profile != p {
		l = newLoop(s.dev.world, p, s.dev.opt)
		s.loops[p.Stream] = l
	}
	return l
}

func (s *sensor) Stop() error {
	s.mu.Lock()
	r := s.run
	if r != nil {
		r.stopped = true
	}
	s.mu.Unlock()
	if r != nil {
		r.cancel()
		r.raising.Wait()
		r.filling.Wait()
		r.receiver.Close()
	}
	return nil
}

func (s *sensor) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Stop()
	s.mu.Lock()
	clear(s.loops) // frees the images
	s.mu.Unlock()
}
