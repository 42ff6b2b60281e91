package playback

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// State is the state of a device.
type State struct {
	Position time.Duration // file time of the last event, or the target of a seek
	Duration time.Duration
	Speed    float64
	RealTime bool
	Paused   bool
	Ended    bool
	Loop     bool
	Loops    int    // number of restarts
	Range    *Range // part that Loop repeats; nil means all

	// Damaged counts unreadable messages, each time they are passed. Damage is the
	// error of the last one.
	Damaged uint64
	Damage  error
}

// Range is a part of a file, in file times.
type Range struct{ From, To time.Duration }

// SetRange makes the device repeat a part of the file, and turns looping on; nil means
// all of the file. If the position is outside of the part, it moves to its start.
func (d *Device) SetRange(r *Range) error {
	if r != nil && (r.From < 0 || r.To <= r.From || r.From >= d.Duration()) {
		return fmt.Errorf("repeat %v to %v of %v: %w", r.From, r.To, d.Duration(), ErrRange)
	}
	return d.engine.do(func(e *engine) {
		if r != nil {
			part := *r
			r, e.loop = &part, true
		}
		e.part = r
		e.change(func(s *State) { s.Range, s.Loop = r, e.loop })
		if r == nil {
			return
		}
		if at := e.snapshot().Position; at < r.From || at > r.To {
			e.seek(r.From)
		}
	})
}

// Status returns the state of the device. It doesn't wait for a running handler.
func (d *Device) Status() State { return d.engine.snapshot() }

// Pause pauses playback. When it returns, no handler call is running.
func (d *Device) Pause() error { return d.engine.do((*engine).pause) }

// Resume continues with the next frame.
func (d *Device) Resume() error { return d.engine.do((*engine).resume) }

// SetSpeed sets the speed in real time; 2 is twice as fast.
func (d *Device) SetSpeed(speed float64) error {
	if !validSpeed(speed) {
		return fmt.Errorf("speed %g: %w", speed, camdriver.ErrUnsupported)
	}
	return d.engine.do(func(e *engine) {
		e.anchor(e.now())
		e.speed = speed
		e.change(func(s *State) { s.Speed = speed })
	})
}

// Seek moves to a file time from 0 to Duration. While playing, the next frame is the
// first one at or after it. While paused, Seek raises the last frame at or before it
// of every started stream, and Resume continues with the frames after those.
func (d *Device) Seek(at time.Duration) error {
	if at < 0 || at > d.Duration() {
		return fmt.Errorf("seek to %v of %v: %w", at, d.Duration(), ErrRange)
	}
	return d.engine.do(func(e *engine) { e.seek(at) })
}

// SeekFrame moves to the first frame of a stream with at least the given number.
func (d *Device) SeekFrame(id camdriver.StreamID, number uint64) error {
	at, err := d.file.Find(id, number)
	if err != nil {
		return fmt.Errorf("frame %d of %s: %w", number, id, err)
	}
	return d.Seek(at)
}

// now returns the file time that the clock has reached, bounded by the last and the
// next event.
func (e *engine) now() time.Duration {
	last := e.snapshot().Position
	if !e.realTime || !e.playing() {
		return last
	}
	at := e.anchorFile + time.Duration(float64(e.clock.Now().Sub(e.anchorWall))*e.speed)
	if e.next != nil {
		at = min(at, e.next.Time)
	}
	return max(at, last)
}

func (e *engine) pause() {
	if e.snapshot().Paused {
		return
	}
	e.anchorFile = e.now() // where resume continues
	e.change(func(s *State) { s.Paused = true })
	e.status(camdriver.Status{Kind: camdriver.StatusPaused})
}

func (e *engine) resume() {
	if !e.snapshot().Paused {
		return
	}
	e.anchor(max(e.anchorFile, e.snapshot().Position))
	e.change(func(s *State) { s.Paused = false })
	e.status(camdriver.Status{Kind: camdriver.StatusStreaming})
}

func (e *engine) seek(at time.Duration) {
	was := e.snapshot()
	e.moveTo(at)
	if was.Ended && !was.Paused {
		e.status(camdriver.Status{Kind: camdriver.StatusStreaming})
	}
	if was.Paused {
		e.show(at)
	}
}

// show raises the last frame at or before a file time of every started stream, in time
// order. The cursor opened next does not repeat frames at exactly that time.
func (e *engine) show(at time.Duration) {
	var events []rsbag.Event
	for _, s := range e.sensors {
		for _, p := range s.profiles {
			if ev, err := e.file.Last(p.Stream, at, e.base()); err == nil {
				events = append(events, ev)
			} // else the stream begins later
		}
	}
	slices.SortStableFunc(events, func(a, b rsbag.Event) int { return cmp.Compare(a.Time, b.Time) })
	for _, ev := range events {
		e.seen[ev.Frame.Stream()] = ev.Time
		e.frame(e.sensors[ev.Sensor], ev.Frame)
		ev.Frame.Release()
	}
}

// start adds a sensor. At the end of the file, playback restarts.
func (e *engine) start(s *sensor, profiles []camdriver.Profile, h camdriver.Handler) error {
	if s.handler != nil {
		return camdriver.ErrBusy
	}
	if err := camdriver.CheckProfiles(profiles, s.check); err != nil {
		return err
	}
	if e.snapshot().Ended {
		e.moveTo(0)
	}
	if !e.running() {
		e.anchor(e.snapshot().Position)
	} else {
		e.anchor(e.now())
	}
	s.handler, s.profiles = h, slices.Clone(profiles)
	e.dropCursor()
	return nil
}

func (e *engine) stop(s *sensor) {
	if s.handler == nil {
		return
	}
	e.anchor(e.now())
	s.handler, s.profiles = nil, nil
	e.dropCursor()
}
