package view

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/node/view/wire"
)

var (
	errViewOnly  = errors.New("viewers may only look here (--view-only)")
	errNothing   = errors.New("nothing is shown")
	errNoFile    = errors.New("only a recording can do that")
	errUnknownOp = errors.New("unknown request")
)

// answer carries out a request and returns the answer to it.
func (s *Server) answer(r *wire.Request) map[string]any {
	s.commands.Lock()
	result, err := s.carryOut(r)
	s.commands.Unlock()
	if result == nil {
		result = make(map[string]any)
	}
	result["op"], result["id"], result["ok"] = "answer", *r.ID, err == nil
	if err != nil {
		result["error"] = err.Error()
	}
	return result
}

// requests are what viewers may ask of the stage.
var requests = map[string]func(*Server, *stage, *wire.Request) (map[string]any, error){
	"play":   func(s *Server, g *stage, _ *wire.Request) (map[string]any, error) { return nil, s.play(g) },
	"pause":  func(_ *Server, g *stage, _ *wire.Request) (map[string]any, error) { return nil, g.pause() },
	"seek":   func(_ *Server, g *stage, r *wire.Request) (map[string]any, error) { return g.seek(r) },
	"step":   func(_ *Server, g *stage, r *wire.Request) (map[string]any, error) { return g.step(r.Sets) },
	"rate":   func(_ *Server, g *stage, r *wire.Request) (map[string]any, error) { return nil, g.setRate(r.Rate) },
	"loop":   func(_ *Server, g *stage, r *wire.Request) (map[string]any, error) { return nil, g.setLoop(r.On) },
	"range":  func(_ *Server, g *stage, r *wire.Request) (map[string]any, error) { return nil, g.setRange(r.Range) },
	"option": func(_ *Server, g *stage, r *wire.Request) (map[string]any, error) { return nil, g.setOption(r) },
	"record.start": func(s *Server, g *stage, r *wire.Request) (map[string]any, error) {
		file, err := s.startRecording(g, r)
		return map[string]any{"file": file}, err
	},
	"record.stop": func(_ *Server, g *stage, _ *wire.Request) (map[string]any, error) { return stopRecording(g) },
	"record.pause": func(_ *Server, g *stage, r *wire.Request) (map[string]any, error) {
		return nil, g.records.Pause(r.On)
	},
	"record.split": func(_ *Server, g *stage, _ *wire.Request) (map[string]any, error) { return nil, g.records.Split() },
}

// carryOut carries out a request; commands is held.
func (s *Server) carryOut(r *wire.Request) (map[string]any, error) {
	if s.o.ViewOnly {
		return nil, errViewOnly
	}
	if r.Op == "open" {
		return nil, s.open(r)
	}
	do := requests[r.Op]
	if do == nil {
		return nil, fmt.Errorf("%.40q: %w", r.Op, errUnknownOp)
	}
	g := s.shown()
	if g == nil {
		return nil, errNothing
	}
	result, err := do(s, g, r)
	if err != nil {
		return nil, err
	}
	s.tell(wire.StateChanged{Op: "state", State: *g.state()})
	s.tell(wire.RecordChanged{Op: "record", Record: s.recording(g)})
	if g.file != nil && (r.Op == "seek" || r.Op == "step") {
		s.tellOptions(g)
	}
	return result, nil
}

// tellOptions tells the options of all sensors: after a seek they are those of another
// time.
func (s *Server) tellOptions(g *stage) {
	for i, sensor := range g.device.Sensors() {
		s.tell(wire.Options{Op: "options", Sensor: i, Options: g.options(sensor)})
	}
}

// open shows a device or a recording of the library.
func (s *Server) open(r *wire.Request) error {
	if r.File != "" {
		if s.o.Library == nil {
			return errors.New("there are no recordings to choose from here")
		}
		path, err := s.o.Library.path(r.File)
		if err != nil {
			return err
		}
		return s.show(s.ctx, path, filepath.Base(path), r.File)
	}
	for _, c := range s.o.Candidates {
		if c.ID == r.Device {
			return s.show(s.ctx, c.ID, "", "")
		}
	}
	return fmt.Errorf("device %.40q: %w", r.Device, camdriver.ErrNotFound)
}

// play lets a recording go on, from the start if it has ended, or a live camera's
// pictures.
func (s *Server) play(g *stage) error {
	if g.file == nil {
		g.frozen.Store(false)
		return nil
	}
	if g.file.Status().Ended {
		if err := g.file.Seek(g.begin()); err != nil {
			return err
		}
	}
	return g.file.Resume()
}

func (g *stage) pause() error {
	if g.file == nil {
		g.frozen.Store(true)
		return nil
	}
	return g.file.Pause()
}

// begin is where playback begins.
func (g *stage) begin() time.Duration {
	if r := g.file.Status().Range; r != nil {
		return r.From
	}
	return 0
}

// seek goes to a time, to a frame, or to a set.
func (g *stage) seek(r *wire.Request) (map[string]any, error) {
	if g.file == nil {
		return nil, errNoFile
	}
	var at time.Duration
	var err error
	switch {
	case r.Time != nil:
		at = min(max(time.Duration(*r.Time), 0), g.file.Duration())
	case r.Set != nil:
		if *r.Set < 0 {
			return nil, fmt.Errorf("set %d, want 0 or more", *r.Set)
		}
		at, err = g.setEnd(g.first + uint64(*r.Set))
	case r.Frame != nil:
		at, err = g.frameTime(r.Stream, *r.Frame)
	default:
		return nil, errors.New("a seek needs a time, a set or a frame")
	}
	if err == nil {
		err = g.file.Seek(at)
	}
	return g.position(), err
}

func (g *stage) position() map[string]any {
	return map[string]any{"position": wire.Nanos(g.file.Status().Position)}
}

// frameTime is when a stream's frame comes.
func (g *stage) frameTime(id uint16, number uint64) (time.Duration, error) {
	for name, s := range g.streams {
		if s.id == id {
			return g.file.File().Find(name, number)
		}
	}
	return 0, camdriver.ErrNotFound
}

// setEnd is the last instant before the set after that of the guide's frame number: by
// then all frames of its set have come.
func (g *stage) setEnd(number uint64) (time.Duration, error) {
	if _, err := g.file.File().Find(g.guide, number); err != nil {
		return 0, fmt.Errorf("frame set %d: %w", number-g.first, err)
	}
	next, err := g.file.File().Find(g.guide, number+1)
	if errors.Is(err, camdriver.ErrNotFound) { // it is the last one
		return g.file.Duration(), nil
	}
	return next - 1, err
}

// step shows the set that comes n after the one that is shown, and pauses.
func (g *stage) step(n int) (map[string]any, error) {
	if g.file == nil {
		return nil, errNoFile
	}
	if err := g.file.Pause(); err != nil {
		return nil, err
	}
	number := g.first
	if shown := g.shown.Load(); shown > 0 {
		at := int64(shown-1) + int64(n)
		number = uint64(max(at, int64(g.first)))
	}
	at, err := g.setEnd(number)
	if err == nil {
		err = g.file.Seek(at)
	}
	return g.position(), err
}

const (
	minRate = 0.01
	maxRate = 100
)

func (g *stage) setRate(rate float64) error {
	if g.file == nil {
		return errNoFile
	}
	if !(rate >= minRate && rate <= maxRate) {
		return fmt.Errorf("rate %g, want %g to %d", rate, minRate, maxRate)
	}
	return g.file.SetSpeed(rate)
}

func (g *stage) setLoop(on bool) error {
	if g.file == nil {
		return errNoFile
	}
	return g.file.SetLoop(on)
}

// setRange makes a part of the file repeat, or all of it be played again.
func (g *stage) setRange(part *[2]wire.Nanos) error {
	if g.file == nil {
		return errNoFile
	}
	if part == nil {
		return g.file.SetRange(nil)
	}
	return g.file.SetRange(&playback.Range{From: time.Duration(part[0]), To: time.Duration(part[1])})
}

func (g *stage) setOption(r *wire.Request) error {
	id, known := camdriver.ParseOptionID(r.Option)
	sensors := g.device.Sensors()
	switch {
	case g.file != nil:
		return errors.New("a recording's options can't be changed")
	case !known || r.Value == nil || r.Sensor < 0 || r.Sensor >= len(sensors):
		return fmt.Errorf("option %.40q of sensor %d: %w", r.Option, r.Sensor, camdriver.ErrNotFound)
	}
	return sensors[r.Sensor].SetOption(id, *r.Value)
}

// showAgain shows the position of a recording that stands still to viewers who haven't
// seen it.
func (s *Server) showAgain(g *stage) {
	if st := g.file.Status(); !st.Paused && !st.Ended {
		return
	}
	unseen := false
	for _, v := range s.viewers() {
		unseen = v.unseen() || unseen
	}
	if !unseen {
		return
	}
	s.commands.Lock()
	defer s.commands.Unlock()
	if s.shown() != g {
		return
	}
	st := g.file.Status()
	if st.Ended && !st.Paused {
		if err := g.file.Pause(); err != nil {
			return
		}
	}
	if err := g.file.Seek(min(st.Position, g.file.Duration())); err != nil {
		s.o.Log.Debug().Err(err).Msg("show a recording's position again")
	}
}
