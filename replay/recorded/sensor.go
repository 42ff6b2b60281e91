package recorded

import (
	"fmt"
	"slices"

	"rsros/camdriver"
)

// sensor is a recorded sensor.
type sensor struct {
	dev    *Device
	number int
	snap   camdriver.SensorSnapshot

	// Owned by the player's goroutine.
	handler  camdriver.Handler // nil while stopped
	profiles []camdriver.Profile
}

var _ camdriver.Sensor = (*sensor)(nil)

// newSensor marks every recorded profile as default.
func newSensor(d *Device, number int, snap camdriver.SensorSnapshot) *sensor {
	snap.Profiles = slices.Clone(snap.Profiles)
	for i := range snap.Profiles {
		snap.Profiles[i].Default = true
	}
	return &sensor{dev: d, number: number, snap: snap}
}

func (s *sensor) Name() string                  { return s.snap.Name }
func (s *sensor) Info() []camdriver.Info        { return slices.Clone(s.snap.Info) }
func (s *sensor) Profiles() []camdriver.Profile { return slices.Clone(s.snap.Profiles) }
func (s *sensor) Filters() []string             { return slices.Clone(s.snap.Filters) }

// Options returns the values at the current position. They are read-only.
func (s *sensor) Options() []camdriver.Option {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	return slices.Clone(s.dev.options[s.number])
}

func (s *sensor) Option(id camdriver.OptionID) (camdriver.Option, bool) {
	return camdriver.FindOption(s.Options(), id)
}

func (s *sensor) SetOption(id camdriver.OptionID, _ float32) error {
	select {
	case <-s.dev.player.Done():
		return camdriver.ErrClosed
	default:
	}
	if !slices.ContainsFunc(s.snap.Options, func(o camdriver.Option) bool { return o.ID == id }) {
		return fmt.Errorf("option %s of %s: %w", id, s.snap.Name, camdriver.ErrNotFound)
	}
	return fmt.Errorf("set option %s of a recording: %w", id, camdriver.ErrUnsupported)
}

func (s *sensor) Intrinsics(p camdriver.Profile) (camdriver.Intrinsics, error) {
	if st, err := s.dev.stream(p.Stream); s.has(p) && err == nil && st.Video != nil {
		return *st.Video, nil
	}
	return camdriver.Intrinsics{}, fmt.Errorf("intrinsics of %s: %w by this recording", p, camdriver.ErrUnsupported)
}

func (s *sensor) MotionIntrinsics(p camdriver.Profile) (camdriver.MotionIntrinsics, error) {
	if st, err := s.dev.stream(p.Stream); s.has(p) && err == nil && st.Motion != nil {
		return *st.Motion, nil
	}
	return camdriver.MotionIntrinsics{},
		fmt.Errorf("motion intrinsics of %s: %w by this recording", p, camdriver.ErrUnsupported)
}

func (s *sensor) has(p camdriver.Profile) bool {
	p.Default = true
	return slices.Contains(s.snap.Profiles, p)
}

func (s *sensor) Start(profiles []camdriver.Profile, h camdriver.Handler) error {
	if err := s.dev.start(s, profiles, h); err != nil {
		return fmt.Errorf("start %s: %w", s.snap.Name, err)
	}
	return nil
}

func (s *sensor) check(p camdriver.Profile) error {
	if !s.has(p) {
		return fmt.Errorf("profile %s: %w by this recording", p, camdriver.ErrUnsupported)
	}
	return nil
}

// Stop ignores ErrClosed, because Close stops the sensor.
func (s *sensor) Stop() error {
	_ = s.dev.choose(func() error {
		s.handler, s.profiles = nil, nil
		return nil
	})
	return nil
}
