package d400

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/d400/stamp"
)

// sensor is a camdriver.Sensor. The device's life guards starting and stopping.
type sensor struct {
	dev     *Device
	number  int
	name    string
	filters []string
	module  *stereoModule // stereo module only
	cal     *calibration
	motion  []camdriver.Profile   // motion module only
	find    func(*link) []mode    // video sensors only
	make    func(*link) []setting // options to probe

	// mu guards modes, profiles, options and chosen.
	mu       sync.RWMutex
	modes    []mode
	profiles []camdriver.Profile
	options  []*probedOption
	chosen   []choice // restored after a replug

	receiver atomic.Pointer[camdriver.GatedHandler] // nil while stopped; frames don't pass its gate

	region region

	drops atomic.Uint64 // frames that were broken, had no memory, or never arrived

	// Guarded by life.
	wanted  []camdriver.Profile // streaming, or to be resumed when the camera returns
	running *run                // nil if not streaming
	numbers map[camdriver.StreamID]*stamp.Numbering
}

// choice is an option that the user has set. A sensor has them in the order in which they were last set, because a
// manual setting ends an automatic one, and is refused while that is on.
type choice struct {
	id    camdriver.OptionID
	value float32
}

// run is a sensor between Start and Stop.
type run struct {
	ctx    context.Context
	cancel context.CancelFunc
	pumps  []func(context.Context)
	wg     sync.WaitGroup
	end    []func() // called after the goroutines have ended
}

// attach reads options and profiles of the camera.
func (s *sensor) attach(l *link) error {
	release := s.hold()
	options, err := probeSettings(l, append(s.make(l), fixedDrops(s)))
	release()
	if err != nil {
		return err
	}
	slices.SortFunc(options, func(a, b *probedOption) int { return int(a.id) - int(b.id) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options = options
	s.profiles = s.motion
	if s.find != nil {
		s.modes = s.find(l)
		s.profiles = profilesOf(s.modes, l.usb.USB2())
	}
	if len(s.profiles) == 0 {
		return fmt.Errorf("camera has no profile known to this driver: %w", camdriver.ErrUnsupported)
	}
	return nil
}

func fixedDrops(s *sensor) setting {
	return local(camdriver.OptionTotalFrameDrops, "Frames that did not arrive complete", span{0, 1 << 24, 1, 0},
		func() float32 { return float32(s.drops.Load()) }, nil)
}

func (s *sensor) Name() string { return s.name }

func (s *sensor) Info() []camdriver.Info {
	return []camdriver.Info{{Key: camdriver.InfoName, Value: s.name}}
}

func (s *sensor) Filters() []string { return slices.Clone(s.filters) }

func (s *sensor) Profiles() []camdriver.Profile {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.profiles)
}

// Options has the last known value of an option that cannot be read from the camera.
func (s *sensor) Options() []camdriver.Option {
	l, _ := s.dev.current()
	s.mu.RLock()
	options := slices.Clone(s.options)
	s.mu.RUnlock()
	out := make([]camdriver.Option, 0, len(options))
	for _, k := range options {
		out = append(out, s.read(l, k))
	}
	return out
}

func (s *sensor) Option(id camdriver.OptionID) (o camdriver.Option, ok bool) {
	k := s.probed(id)
	if k == nil {
		return o, false
	}
	l, _ := s.dev.current()
	return s.read(l, k), true
}

// read returns an option's state, read from the camera if l isn't nil.
func (s *sensor) read(l *link, k *probedOption) camdriver.Option {
	if l != nil {
		if v, err := s.ask(l, k); l.note(err) == nil {
			s.mu.Lock()
			k.last = v
			s.mu.Unlock()
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return k.option()
}

// ask reads an option's value from the camera.
func (s *sensor) ask(l *link, k *probedOption) (float32, error) {
	defer s.hold()()
	return k.get(l)
}

// hold takes the lock of the stereo module's options, if it is that sensor. Options are read and written under it.
func (s *sensor) hold() (release func()) {
	if s.module == nil {
		return func() {}
	}
	s.module.mu.Lock()
	return s.module.mu.Unlock
}

func (s *sensor) SetOption(id camdriver.OptionID, value float32) error {
	if s.probed(id) == nil {
		return fmt.Errorf("option %s: %w", id, camdriver.ErrNotFound)
	}
	l, err := s.dev.current()
	if err != nil {
		return err
	}
	return s.change(l, choice{id, value}, func(c choice) {
		s.raise(func(h camdriver.Handler) { h.OptionChanged(s.number, c.id, c.value) })
	})
}

// change sets an option of the camera, after it has turned off what controls it, and calls changed for both.
func (s *sensor) change(l *link, c choice, changed func(choice)) error {
	k := s.probed(c.id)
	if k == nil {
		return nil // the camera that has returned lacks the option
	}
	if err := k.check(c.value); err != nil {
		return err
	}
	if k.auto {
		if err := s.endAutomatic(l, k.disables, changed); err != nil {
			return err
		}
	}
	return s.write(l, k, c.value, changed)
}

func (s *sensor) probed(id camdriver.OptionID) *probedOption {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i := slices.IndexFunc(s.options, func(k *probedOption) bool { return k.id == id })
	if i < 0 {
		return nil
	}
	return s.options[i]
}

// endAutomatic turns off an automatic control.
func (s *sensor) endAutomatic(l *link, id camdriver.OptionID, changed func(choice)) error {
	k := s.probed(id)
	if k == nil {
		return nil
	}
	if on, err := s.ask(l, k); err == nil && on == 0 {
		return nil
	}
	return s.write(l, k, 0, changed)
}

// write sets an option of the camera.
func (s *sensor) write(l *link, k *probedOption, value float32, changed func(choice)) error {
	release := s.hold()
	kept := k.kept != nil && k.kept()
	err := l.note(k.set(l, value))
	release()
	if err != nil {
		return fmt.Errorf("set option %s to %g: %w", k.id, value, err)
	}
	c := choice{k.id, value}
	s.mu.Lock()
	k.last = value
	if !kept {
		s.chosen = append(slices.DeleteFunc(s.chosen, func(old choice) bool { return old.id == k.id }), c)
	}
	s.mu.Unlock()
	changed(c)
	return nil
}

// restore sets the options that the user had set before the camera was unplugged.
func (s *sensor) restore(l *link) {
	s.mu.RLock()
	chosen := slices.Clone(s.chosen)
	s.mu.RUnlock()
	for _, c := range chosen {
		if err := s.change(l, c, func(choice) {}); err != nil {
			s.dev.log.Warn().Err(err).Stringer("option", c.id).Msg("cannot restore the option")
		}
	}
}

// raise calls the handler, if any, and reports whether it did. stop waits for the call.
func (s *sensor) raise(call func(camdriver.Handler)) bool {
	r := s.receiver.Load()
	return r != nil && r.Call(call)
}

// silence ends the calls of the handler.
func (s *sensor) silence() {
	if r := s.receiver.Swap(nil); r != nil {
		r.Close()
	}
}

func (s *sensor) Intrinsics(p camdriver.Profile) (camdriver.Intrinsics, error) {
	if !s.has(p) {
		return camdriver.Intrinsics{}, fmt.Errorf("intrinsics of %s: %w", p, camdriver.ErrNotFound)
	}
	return s.cal.intrinsics(p)
}

func (s *sensor) MotionIntrinsics(p camdriver.Profile) (camdriver.MotionIntrinsics, error) {
	if s.has(p) {
		switch p.Stream {
		case camdriver.AccelStream:
			return s.cal.imu.Accel.Intrinsics(), nil
		case camdriver.GyroStream:
			return s.cal.imu.Gyro.Intrinsics(), nil
		}
	}
	return camdriver.MotionIntrinsics{}, fmt.Errorf("motion intrinsics of %s: %w", p, camdriver.ErrNotFound)
}

// has reports whether the sensor has the profile p at any rate.
func (s *sensor) has(p camdriver.Profile) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.ContainsFunc(s.profiles, func(q camdriver.Profile) bool {
		return q.Stream == p.Stream && q.Format == p.Format && q.Width == p.Width && q.Height == p.Height
	})
}

func (s *sensor) Start(profiles []camdriver.Profile, h camdriver.Handler) error {
	s.dev.life.Lock()
	defer s.dev.life.Unlock()
	if s.wanted != nil {
		return camdriver.ErrBusy
	}
	if err := camdriver.CheckProfiles(profiles, s.offered); err != nil {
		return err
	}
	l, err := s.dev.current()
	if err != nil {
		return err
	}
	if s.dev.active.Load() == 0 {
		s.dev.clock.Reset()
	}
	s.region.started(profiles)
	s.numbers = make(map[camdriver.StreamID]*stamp.Numbering)
	for _, p := range profiles {
		s.numbers[p.Stream] = &stamp.Numbering{}
	}
	s.receiver.Store(&camdriver.GatedHandler{Handler: h})
	if err := s.begin(l, profiles); err != nil {
		s.silence()
		return l.note(err)
	}
	s.running.startPumps()
	s.wanted = slices.Clone(profiles)
	s.dev.active.Add(1)
	return nil
}

// offered returns an error with the alternatives if the camera doesn't offer p.
func (s *sensor) offered(p camdriver.Profile) error {
	var same, others []camdriver.Profile
	for _, q := range s.Profiles() {
		if q.Stream == p.Stream && q.Format == p.Format {
			same = append(same, q)
		} else if q.Stream == p.Stream {
			others = append(others, q)
		}
		if q.Default = p.Default; q == p {
			return nil
		}
	}
	if len(same) == 0 {
		same = others
	}
	speed := camdriver.Find(s.dev.Info(), camdriver.InfoUsbTypeDescriptor)
	return fmt.Errorf("profile %s is not offered on this USB %s link: %w; offered: %s", p, speed,
		camdriver.ErrUnsupported, join(same))
}

// begin starts the camera's streams. Frames are raised after startPumps. On error, nothing is left running.
func (s *sensor) begin(l *link, profiles []camdriver.Profile) error {
	ctx, cancel := context.WithCancel(s.dev.ctx)
	r := &run{ctx: ctx, cancel: cancel}
	s.dev.sampleClock(l) // so that the first frame has global time
	var err error
	if s.motion != nil {
		err = s.beginMotion(l, r, profiles)
	} else {
		err = s.beginVideo(l, r, profiles)
	}
	if err != nil {
		r.stop()
		return err
	}
	s.running = r
	return nil
}

// startPumps starts raising frames. stop calls it as well, because the pumps must run to cancel their transfers.
func (r *run) startPumps() {
	for _, pump := range r.pumps {
		r.wg.Go(func() { pump(r.ctx) })
	}
	r.pumps = nil
}

func (r *run) stop() {
	r.cancel()
	r.startPumps()
	r.wg.Wait()
	for _, f := range slices.Backward(r.end) {
		f()
	}
}

func (s *sensor) Stop() error {
	s.dev.life.Lock()
	defer s.dev.life.Unlock()
	return s.stop()
}

// stop requires life.
func (s *sensor) stop() error {
	if s.wanted == nil {
		return nil
	}
	s.halt()
	s.silence()
	s.region.started(nil)
	s.wanted = nil
	s.dev.active.Add(-1)
	return nil
}

// halt stops the streams until resume.
func (s *sensor) halt() {
	if s.running != nil {
		s.running.stop()
		s.running = nil
	}
}
