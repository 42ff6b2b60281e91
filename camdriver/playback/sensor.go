package playback

import (
	"fmt"
	"slices"

	"rsros/camdriver"
)

// sensor is a recorded sensor. What plays belongs to the engine's goroutine.
type sensor struct {
	dev    *Device
	number int
	snap   camdriver.SensorSnapshot

	// The engine's.
	handler  camdriver.Handler // nil while stopped
	profiles []camdriver.Profile
}

var _ camdriver.Sensor = (*sensor)(nil)

// newSensor makes every recorded profile a default: what was recorded is what
// there is to play.
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

// Options have the values of the present position. They are read-only.
func (s *sensor) Options() []camdriver.Option { return s.dev.engine.optionsOf(s.number) }

func (s *sensor) SetOption(id camdriver.OptionID, _ float32) error {
	if s.dev.engine.isClosed() {
		return camdriver.ErrClosed
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
	return camdriver.MotionIntrinsics{}, fmt.Errorf("motion intrinsics of %s: %w by this recording", p, camdriver.ErrUnsupported)
}

func (s *sensor) has(p camdriver.Profile) bool {
	p.Default = true
	return slices.Contains(s.snap.Profiles, p)
}

func (s *sensor) Start(profiles []camdriver.Profile, h camdriver.Handler) error {
	var err error
	if closed := s.dev.engine.do(func(e *engine) { err = e.start(s, profiles, h) }); closed != nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", s.snap.Name, err)
	}
	return nil
}

// check says whether profiles can be started.
func (s *sensor) check(profiles []camdriver.Profile) error {
	if len(profiles) == 0 {
		return fmt.Errorf("no profiles: %w", camdriver.ErrUnsupported)
	}
	for i, p := range profiles {
		if !s.has(p) {
			return fmt.Errorf("profile %s: %w by this recording", p, camdriver.ErrUnsupported)
		}
		if slices.ContainsFunc(profiles[:i], func(q camdriver.Profile) bool { return q.Stream == p.Stream }) {
			return fmt.Errorf("stream %s twice: %w", p.Stream, camdriver.ErrUnsupported)
		}
	}
	return nil
}

// Stop on a closed device does nothing: Close has stopped the sensor.
func (s *sensor) Stop() error {
	_ = s.dev.engine.do(func(e *engine) { e.stop(s) })
	return nil
}
