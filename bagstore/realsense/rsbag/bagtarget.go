package rsbag

import (
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

// bagTarget is a bag as a Recorder's target.
type bagTarget struct{ s *sink }

// put writes a message if the layout has a name for it.
func (t bagTarget) put(m rslayout.Message, ok bool, at bagstore.Time) error {
	if !ok {
		return camdriver.ErrUnsupported
	}
	t.s.write(m, at)
	return t.s.err
}

func (t bagTarget) Holds(sensor int, id camdriver.StreamID) bool {
	return t.s.enc.Holds(sensor, id)
}

// Frame may keep the frame until its pixels are on their way to the disk.
func (t bagTarget) Frame(sensor int, f *camdriver.Frame, at time.Duration) error {
	t.s.frame(sensor, f, bagstore.Time(at))
	return t.s.err
}

func (t bagTarget) Option(sensor int, id camdriver.OptionID, value float32, at time.Duration) error {
	m, ok := t.s.option(sensor, id, value)
	err := t.put(m, ok, bagstore.Time(at))
	if id == camdriver.OptionDepthUnits && err == nil {
		t.s.units[sensor] = value
	}
	return err
}

func (t bagTarget) Notification(sensor int, n camdriver.Notification, at time.Duration) error {
	m, ok := t.s.enc.Notification(sensor, n)
	return t.put(m, ok, bagstore.Time(at))
}

func (t bagTarget) Log(l msgs.Log, at time.Duration) error {
	return t.put(t.s.enc.Log(l), true, bagstore.Time(at))
}

func (t bagTarget) TimeReference(sensor int, f *camdriver.Frame, at time.Duration) error {
	return t.put(t.s.enc.TimeReference(sensor, f), true, bagstore.Time(at))
}

func (t bagTarget) Fact(key, value string) error {
	return t.put(rslayout.Additional(key, value), true, staticTime)
}

func (t bagTarget) Checkpoint() error {
	if t.s.err != nil {
		return t.s.err
	}
	return t.s.w.Checkpoint()
}

func (t bagTarget) CheckpointIfDue() error { return t.s.w.CheckpointIfDue() }
func (t bagTarget) HowWritten() string     { return t.s.w.HowWritten() }
func (t bagTarget) Size() int64            { return t.s.w.Size() }
func (t bagTarget) Close() error           { return t.s.w.Close() }
