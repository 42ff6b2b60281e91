package rsbag

import (
	"iter"
	"maps"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
)

// CursorOptions select what a cursor walks over.
type CursorOptions struct {
	// Streams chooses streams; nil takes all.
	Streams func(camdriver.StreamID) bool
	// Base is Frame.Arrival of file time 0.
	Base time.Time
	// FramesOnly leaves option changes and notifications out.
	FramesOnly bool
	// SystemTimes makes Frame.Arrival the host's time that is recorded with the frame,
	// with 1970 for none, and not Base and the file time.
	SystemTimes bool
}

// Cursor visits the events of a recording in order of file time, forward and
// backward. Like that of a [bagstore.Iterator], its position is between two events:
// Next and then Prev return the same one. A Cursor is for one goroutine.
type Cursor struct {
	track *track
	asm   assembler
	f     *File
	batch []Event       // the events of one instant
	i     int           // the position is before batch[i]
	at    bagstore.Time // of the batch; without one, just before where Seek went
	// ahead: the track has read a message that isn't in the batch, the first one
	// after it (+1) or before it (-1); 0: there is none.
	ahead int
}

// Cursor returns a cursor before the first event.
func (f *File) Cursor(o CursorOptions) *Cursor {
	chosen := make(map[uint32]bool)
	for _, s := range f.streams {
		if o.Streams == nil || o.Streams(s.profile.Stream) {
			for _, id := range s.conns {
				chosen[id] = true
			}
		}
	}
	t := f.newTrack(func(c *bagstore.Connection) bool {
		k := f.topics[c.ID].Kind
		return chosen[c.ID] || !o.FramesOnly && (k == rslayout.TopicOptionValue || k == rslayout.TopicNotification || k == topicNativeOptions)
	})
	c := &Cursor{track: t, f: f, asm: assembler{f: f, base: o.Base, system: o.SystemTimes, unknown: make(map[string]uint64)}}
	c.Seek(0)
	return c
}

// Close returns the cursor's memory back. Frames that were retained stay valid.
func (c *Cursor) Close() {
	c.drop()
	c.track.close()
	c.asm.close()
}

// drop releases the batch's frames.
func (c *Cursor) drop() {
	for _, e := range c.batch {
		if e.Frame != nil {
			e.Frame.Release()
		}
	}
	c.batch, c.i = nil, 0
}

// Seek goes to just before the first event at or after a file time.
func (c *Cursor) Seek(t time.Duration) {
	c.drop()
	c.ahead = 0
	c.at = min(max(bagstore.Time(t), 0), bagstore.MaxTime) - 1
	c.asm.units = c.f.unitsAt(c.at)
}

// Next returns the next event. Its frame is borrowed: it is valid until Next or
// Prev goes to another instant, or Seek or Close; Retain it to keep it.
func (c *Cursor) Next() (Event, bool) {
	for c.i == len(c.batch) {
		if c.ahead <= 0 {
			c.track.seek(c.at + 1)
			if !c.track.next() {
				c.ahead = 0
				return Event{}, false
			}
		}
		c.gather()
	}
	c.i++
	return c.batch[c.i-1], true
}

// Events yields what Next returns until the end.
func (c *Cursor) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for e, ok := c.Next(); ok && yield(e); e, ok = c.Next() {
		}
	}
}

// gather reads all messages of the track's current instant.
func (c *Cursor) gather() {
	c.drop()
	c.at = c.track.time()
	c.asm.begin(c.at)
	c.ahead = +1
	for c.ahead > 0 && c.track.time() == c.at {
		m := c.track.message()
		c.asm.add(c.f.topics[m.Conn.ID], m)
		if !c.track.next() {
			c.ahead = 0
		}
	}
	c.batch = c.asm.finish()
}

// Prev returns the event before.
func (c *Cursor) Prev() (Event, bool) {
	for c.i == 0 {
		if c.ahead >= 0 {
			before := c.at
			if len(c.batch) == 0 {
				before++ // there is no batch at c.at: what lies there comes first
			}
			c.track.seek(before)
			if !c.track.prev() {
				c.ahead = 0
				return Event{}, false
			}
		}
		c.gatherBack()
	}
	c.i--
	return c.batch[c.i], true
}

// gatherBack is gather against the direction. Frames are put together in the
// order of the file, so messages are held until the first one is found.
func (c *Cursor) gatherBack() {
	c.drop()
	c.at = c.track.time()
	var messages []bagstore.Message
	var buffers []bagstore.Buffer
	c.ahead = -1
	for c.ahead < 0 && c.track.time() == c.at {
		m := c.track.message()
		messages, buffers = append(messages, m), append(buffers, m.Retain())
		if !c.track.prev() {
			c.ahead = 0
		}
	}
	c.asm.begin(c.at)
	c.asm.units = c.f.unitsAt(c.at)
	for _, m := range slices.Backward(messages) {
		c.asm.add(c.f.topics[m.Conn.ID], m)
	}
	for _, b := range buffers {
		b.Release()
	}
	c.batch = c.asm.finish()
	c.i = len(c.batch)
}

// Damaged is the number of messages that were passed over because they could not
// be read, and what was wrong with the last one.
func (c *Cursor) Damaged() (uint64, error) {
	if c.track.err != nil {
		return c.asm.errs + uint64(c.track.errs), c.track.err
	}
	return c.asm.errs, c.asm.err
}

// Unknown counts the values of metadata that were left out because their keys have
// no name in camdriver, by key.
func (c *Cursor) Unknown() map[string]uint64 { return maps.Clone(c.asm.unknown) }

// OptionsAt returns a sensor's options as they are at a file time.
func (f *File) OptionsAt(sensor int, at time.Duration) []camdriver.Option {
	if sensor < 0 || sensor >= len(f.snap.Sensors) {
		return nil
	}
	options := slices.Clone(f.snap.Sensors[sensor].Options)
	for i := range options {
		if v, ok := f.optionAt(sensor, options[i].ID, bagstore.Time(at)); ok {
			o := &options[i]
			o.Value, o.Min, o.Max = v, min(o.Min, v), max(o.Max, v)
		}
	}
	return options
}

// optionKey names an option of a sensor.
type optionKey struct {
	sensor int
	id     camdriver.OptionID
}

// optionAt is the last value of an option at or before a file time, if it ever
// changes.
func (f *File) optionAt(sensor int, id camdriver.OptionID, at bagstore.Time) (float32, bool) {
	if f.native != nil {
		return f.native.optionAt(sensor, id, at-f.segments[0].shift)
	}
	conns := f.options[optionKey{sensor, id}]
	if f.count(conns) < 2 {
		return 0, false // the initial value is all there is
	}
	t := f.newTrack(func(c *bagstore.Connection) bool { return slices.Contains(conns, c.ID) })
	defer t.close()
	t.seek(at + 1)
	if !t.prev() {
		return 0, false
	}
	v, err := f.optionValue(rslayout.Topic{Kind: rslayout.TopicOptionValue}, t.message())
	return v, err == nil
}

// unitsAt returns the depth units of each sensor that has the option.
func (f *File) unitsAt(at bagstore.Time) map[int]float32 {
	units := make(map[int]float32)
	for i, s := range f.snap.Sensors {
		for _, o := range s.Options {
			if o.ID != camdriver.OptionDepthUnits {
				continue
			}
			units[i] = o.Value
			if v, ok := f.optionAt(i, o.ID, at); ok {
				units[i] = v
			}
		}
	}
	return units
}
