package playback

import (
	"errors"
	"time"

	"rsros/camdriver"
)

// Errors of stepping.
var (
	ErrNotPaused = errors.New("only while paused")
	ErrEnd       = errors.New("at the end of the recording")
)

// Step raises the next frame while paused, with the events before it.
func (d *Device) Step() error {
	return d.step(func(*camdriver.Frame) bool { return true })
}

// StepFrameSet raises one image of each started stream and what lies between: up
// to the next image of the stream whose image came first.
func (d *Device) StepFrameSet() error {
	var first *camdriver.StreamID
	return d.step(func(next *camdriver.Frame) bool {
		id := next.Stream()
		if !id.Kind.Video() {
			return false
		}
		if first == nil {
			first = &id
		}
		return id == *first
	})
}

// step raises events until the one after the first for which enough is true.
func (d *Device) step(enough func(next *camdriver.Frame) bool) error {
	var failed error
	err := d.engine.do(func(e *engine) { failed = e.step(enough) })
	return errors.Join(err, failed)
}

func (e *engine) step(enough func(next *camdriver.Frame) bool) error {
	if !e.snapshot().Paused {
		return ErrNotPaused
	}
	begun := false
	for e.running() && e.fetch() {
		f := e.next.Frame
		if f != nil && enough(f) {
			if begun {
				return nil
			}
			begun = true
		}
		ev := *e.next
		e.next = nil
		e.raise(ev)
	}
	if !begun {
		return ErrEnd
	}
	return nil
}

// SetLoop switches beginning again at the end.
func (d *Device) SetLoop(on bool) error {
	return d.engine.do(func(e *engine) {
		e.loop = on
		e.change(func(s *State) { s.Loop = on })
	})
}

// Now is the file time that playback has reached, which runs on between frames.
func (d *Device) Now() (time.Duration, error) {
	var at time.Duration
	err := d.engine.do(func(e *engine) { at = e.now() })
	return at, err
}

// FileTime is the file time of a frame that the device raised, counted over all
// rounds of a loop.
func (d *Device) FileTime(f *camdriver.Frame) time.Duration { return f.Arrival.Sub(d.engine.opened) }

// ArrivalClock reads the clock that a device's Frame.Arrival is on: clock for a camera. A
// recording's frames follow none, so that it returns the zero time.
func ArrivalClock(d camdriver.Device, clock camdriver.Clock) (now func() time.Time) {
	if _, recorded := d.(*Device); recorded {
		return func() time.Time { return time.Time{} }
	}
	return clock.Now
}
