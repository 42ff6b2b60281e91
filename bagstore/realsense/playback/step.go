package playback

import (
	"errors"
	"time"

	"rsros/camdriver"
)

// Errors of Step and StepFrameSet.
var (
	ErrNotPaused = errors.New("only while paused")
	ErrEnd       = errors.New("at the end of the recording")
)

// Step raises the events up to and including the next frame. Playback must be paused.
func (d *Device) Step() error {
	return d.step(func(*camdriver.Frame) bool { return true })
}

// StepFrameSet raises the events of one frame set: up to the second image of the stream
// whose image comes first. Playback must be paused.
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

// step raises events up to the second frame for which counts is true.
func (d *Device) step(counts func(*camdriver.Frame) bool) error {
	var failed error
	err := d.engine.do(func(e *engine) { failed = e.step(counts) })
	return errors.Join(err, failed)
}

func (e *engine) step(counts func(*camdriver.Frame) bool) error {
	if !e.snapshot().Paused {
		return ErrNotPaused
	}
	begun := false
	for e.running() && e.fetch() {
		f := e.next.Frame
		if f != nil && counts(f) {
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

// SetLoop turns restarting at the end on or off.
func (d *Device) SetLoop(on bool) error {
	return d.engine.do(func(e *engine) {
		e.loop = on
		e.change(func(s *State) { s.Loop = on })
	})
}

// Now returns the file time that playback has reached. It advances between frames.
func (d *Device) Now() (time.Duration, error) {
	var at time.Duration
	err := d.engine.do(func(e *engine) { at = e.now() })
	return at, err
}

// FileTime returns the file time of a raised frame, accumulated over all rounds of a
// loop.
func (d *Device) FileTime(f *camdriver.Frame) time.Duration { return f.Arrival.Sub(d.engine.opened) }

// ArrivalClock returns a function that reads the clock of d's Frame.Arrival. For a
// camera this is clock. For a recording there is none and it returns the zero time.
func ArrivalClock(d camdriver.Device, clock camdriver.Clock) (now func() time.Time) {
	if _, recorded := d.(*Device); recorded {
		return func() time.Time { return time.Time{} }
	}
	return clock.Now
}
