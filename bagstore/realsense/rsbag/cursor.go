package rsbag

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

// Event is one event of a recording: exactly one of Frame, Option and Notification is set.
type Event struct {
	Time         time.Duration // file time
	Sensor       int
	Frame        *camdriver.Frame // valid until the cursor moves to another time
	Option       *OptionChange
	Notification *camdriver.Notification
}

// OptionChange is an option's new value.
type OptionChange struct {
	ID    camdriver.OptionID
	Value float32
}

// CursorOptions are the options of File.Cursor.
type CursorOptions struct {
	// Streams selects streams; nil selects all.
	Streams func(camdriver.StreamID) bool
	// Base is Frame.Arrival of file time 0.
	Base time.Time
	// FramesOnly leaves out option changes and notifications.
	FramesOnly bool
	// SystemTimes makes Frame.Arrival the host's recorded time, 1970 if there is none.
	SystemTimes bool
}

// Only selects one stream.
func Only(id camdriver.StreamID) func(camdriver.StreamID) bool {
	return func(x camdriver.StreamID) bool { return x == id }
}

// Cursor visits the events of a recording in order of file time. A Cursor is for one goroutine.
type Cursor struct {
	track *track
	asm   assembler
	f     *File
	batch []Event       // the events of one instant
	i     int           // the position is before batch[i]
	at    bagstore.Time // of the batch or, without one, just before the position
	ahead bool          // the track has read the first message after the batch
}

// Cursor returns a cursor before the first event.
func (f *File) Cursor(o CursorOptions) *Cursor { return f.cursor(o, f.segments) }

func (f *File) cursor(o CursorOptions, in []segment) *Cursor {
	chosen := make(map[uint32]bool)
	for _, s := range f.streams {
		if o.Streams == nil || o.Streams(s.profile.Stream) {
			for _, id := range s.conns {
				chosen[id] = true
			}
		}
	}
	t := f.trackOf(in, func(c *bagstore.Connection) bool {
		k := f.topics[c.ID].Kind
		event := k == rslayout.TopicOptionValue || k == rslayout.TopicNotification || k == topicNativeOptions
		return chosen[c.ID] || !o.FramesOnly && event
	})
	asm := assembler{f: f, base: o.Base, system: o.SystemTimes, unknown: make(map[string]uint64)}
	c := &Cursor{track: t, f: f, asm: asm}
	c.Seek(0)
	return c
}

// Close releases the cursor's memory. Retained frames stay valid.
func (c *Cursor) Close() {
	c.drop()
	c.track.close()
	c.asm.close()
}

func (c *Cursor) drop() {
	for _, e := range c.batch {
		if e.Frame != nil {
			e.Frame.Release()
		}
	}
	c.batch, c.i = nil, 0
}

// Seek moves to just before the first event at or after a file time.
func (c *Cursor) Seek(t time.Duration) {
	c.drop()
	c.ahead = false
	c.at = min(max(bagstore.Time(t), 0), bagstore.MaxTime) - 1
	c.asm.units = c.f.unitsAt(c.at)
}

// Next returns the next event. Its frame is valid until the cursor moves to another time or is closed.
func (c *Cursor) Next() (Event, bool) {
	for c.i == len(c.batch) {
		if !c.ahead {
			c.track.seek(c.at + 1)
			if !c.track.next() {
				return Event{}, false
			}
		}
		c.gather()
	}
	c.i++
	return c.batch[c.i-1], true
}

// Events returns an iterator over the remaining events.
func (c *Cursor) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for e, ok := c.Next(); ok && yield(e); e, ok = c.Next() {
		}
	}
}

// Part returns an iterator over the events of a filter's time. Changes of options before it come at its start.
func (c *Cursor) Part(filter bagstore.Filter) iter.Seq[Event] {
	start, end := c.f.FileTimes(filter)
	return func(yield func(Event) bool) {
		if filter.Start > 0 {
			c.Seek(start)
			for _, e := range c.f.changed(start) {
				if !yield(e) {
					return
				}
			}
		}
		for e, ok := c.Next(); ok && e.Time <= end && yield(e); e, ok = c.Next() {
		}
	}
}

// changed returns the options that have another value than at first just before a file time, as changes at that time.
func (f *File) changed(at time.Duration) (list []Event) {
	for sensor, s := range f.snap.Sensors {
		for i, o := range f.OptionsAt(sensor, at-1) {
			if o.Value != s.Options[i].Value {
				list = append(list, Event{Time: at, Sensor: sensor, Option: &OptionChange{o.ID, o.Value}})
			}
		}
	}
	return list
}

// instantBytes bounds the messages of an instant, which are held together, except for a single one. A set of frames of
// the largest camera takes less than half.
const instantBytes = 64 << 20

// gather reads all messages of the track's current instant. It counts those beyond instantBytes as unreadable.
func (c *Cursor) gather() {
	c.drop()
	c.at = c.track.time()
	c.asm.begin(c.at)
	c.ahead = true
	count, size := 0, 0
	for c.ahead && c.track.time() == c.at {
		m := c.track.message()
		if size += len(m.Data); size <= instantBytes || count == 0 {
			count++
			c.asm.add(c.f.topics[m.Conn.ID], m)
		} else {
			c.asm.errs++
			c.asm.err = fmt.Errorf("messages at %v are left out: more than %d bytes have one time",
				time.Duration(c.at), instantBytes)
		}
		c.ahead = c.track.next()
	}
	c.batch = c.asm.finish()
}

// Last moves to after the last event before a file time and returns it.
func (c *Cursor) Last(t time.Duration) (Event, bool) {
	at := min(max(bagstore.Time(t), 0), bagstore.MaxTime)
	for c.track.seek(at); c.track.prev(); c.track.seek(at) {
		at = c.track.time()
		c.asm.units = c.f.unitsAt(at) // also of frames before the change
		if c.track.seek(at); !c.track.next() {
			break
		}
		c.gather()
		if c.i = len(c.batch); c.i > 0 {
			return c.batch[c.i-1], true
		} // else no message at that time is an event
	}
	c.Seek(0)
	return Event{}, false
}

// Damaged returns the number of messages that couldn't be read, and the error of the last.
func (c *Cursor) Damaged() (uint64, error) {
	if c.track.err != nil {
		return c.asm.errs + c.track.lost, c.track.err
	}
	return c.asm.errs, c.asm.err
}

// Unknown returns how many metadata values had keys that camdriver doesn't know, by key.
func (c *Cursor) Unknown() map[string]uint64 { return maps.Clone(c.asm.unknown) }

// OptionsAt returns a sensor's options at a file time.
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

type optionKey struct {
	sensor int
	id     camdriver.OptionID
}

// optionAt returns the last value of an option up to a file time; ok is false if it never changes.
func (f *File) optionAt(sensor int, id camdriver.OptionID, at bagstore.Time) (float32, bool) {
	if f.native != nil {
		return f.native.optionAt(sensor, id, at-f.segments[0].shift)
	}
	conns := f.options[optionKey{sensor, id}]
	if f.count(conns) < 2 {
		return 0, false // there is only the initial value
	}
	t := f.newTrack(func(c *bagstore.Connection) bool { return slices.Contains(conns, c.ID) })
	defer t.close()
	t.seek(at + 1)
	if !t.prev() {
		return 0, false
	}
	var v msgs.Float32
	err := f.decode(rslayout.Topic{Kind: rslayout.TopicOptionValue}, t.message(), &v)
	return v.Data, err == nil
}

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

// Find returns the file time of the first frame of a stream whose number is at least number; if the camera's counter
// restarted, of one whose predecessor's number is lower. It bisects the stream, because numbers are in the frames only.
func (f *File) Find(id camdriver.StreamID, number uint64) (time.Duration, error) {
	s := f.stream(id)
	if s == nil || s.frames == 0 {
		return 0, camdriver.ErrNotFound
	}
	c := f.Cursor(CursorOptions{FramesOnly: true, Streams: Only(id)})
	defer c.Close()
	times := f.newTrack(s.isData)
	defer times.close()
	// lo: times below have lower numbers. hi: a frame at or after it has the number.
	lo, hi := time.Duration(0), time.Duration(f.end)+1
	found := time.Duration(-1)
	if e, ok := c.Next(); ok && e.Frame.Number >= number {
		return e.Time, nil // nothing else needs to be looked at
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		if times.seek(bagstore.Time(mid)); !times.skip() || time.Duration(times.time()) >= hi {
			hi = mid // no frame is between the two
			continue
		}
		c.Seek(time.Duration(times.time()))
		e, ok := c.Next()
		if ok && e.Frame.Number < number {
			lo = e.Time + 1
			continue
		}
		hi = mid
		if ok {
			found = e.Time
		}
	}
	if found < 0 {
		return 0, camdriver.ErrNotFound
	}
	return found, nil
}

// First returns the first frame of a stream, or ErrNotFound. Its Arrival is the host's recorded time. The caller
// releases it.
func (f *File) First(id camdriver.StreamID) (Event, error) {
	if s := f.stream(id); s != nil {
		t := f.newTrack(s.isData)
		defer t.close()
		t.seek(0)
		if t.skip() {
			c := f.cursor(CursorOptions{FramesOnly: true, SystemTimes: true, Streams: Only(id)}, f.instant(t.time()))
			defer c.Close()
			if e, ok := c.Next(); ok {
				e.Frame.Retain()
				return e, nil
			}
		}
	}
	return f.one(id, (*Cursor).Next) // the first one is damaged
}

// Last returns the last frame of a stream up to a file time, or ErrNotFound. The caller releases it.
func (f *File) Last(id camdriver.StreamID, at time.Duration) (Event, error) {
	return f.one(id, func(c *Cursor) (Event, bool) { return c.Last(min(at, time.Duration(bagstore.MaxTime)-1) + 1) })
}

// one returns the frame of a stream that move finds.
func (f *File) one(id camdriver.StreamID, move func(*Cursor) (Event, bool)) (Event, error) {
	c := f.Cursor(CursorOptions{FramesOnly: true, SystemTimes: true, Streams: Only(id)})
	defer c.Close()
	e, ok := move(c)
	if !ok {
		return Event{}, camdriver.ErrNotFound
	}
	e.Frame.Retain()
	return e, nil
}
