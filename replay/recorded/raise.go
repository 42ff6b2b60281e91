package recorded

import (
	"cmp"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/replay"
)

// raised is what was raised, and the player's state that handlers know. The player's goroutine
// owns it.
type raised struct {
	seen   map[camdriver.StreamID]time.Duration // time of a stream's last frame since the last jump
	events time.Duration                        // the same for options and notifications
	any    bool                                 // something, in this round of a loop
	looped time.Duration                        // duration of all previous rounds
	status replay.Status
	clock  func(bagstore.Time) // see Observe; nil for none
	watch  func(replay.Status) // see Observe; nil for none
}

// forget forgets what was raised, after a jump.
func (r *raised) forget() { r.seen, r.events = make(map[camdriver.StreamID]time.Duration), -1 }

// first reports whether an event wasn't raised since the last jump, and marks it as raised.
func (r *raised) first(e *rsbag.Event) bool {
	if e.Frame == nil {
		before := r.events
		r.events = e.Time
		return e.Time > before
	}
	id := e.Frame.Stream()
	before, seen := r.seen[id]
	r.seen[id] = e.Time
	return !seen || e.Time > before
}

// raise passes an event to its sensor's handler, unless that has it. It reports whether it was a
// frame that the handler got.
func (d *Device) raise(e rsbag.Event) bool {
	if !d.raised.first(&e) {
		return false
	}
	d.raised.any = true
	s := d.sensors[e.Sensor]
	switch {
	case e.Option != nil:
		d.setOption(s, e.Option.ID, e.Option.Value)
	case s.handler == nil:
	case e.Notification != nil:
		s.handler.Notification(s.number, *e.Notification)
	default:
		e.Frame.Profile.Default = true // see newSensor
		e.Frame.Arrival = d.opened.Add(d.raised.looped + e.Time)
		s.handler.Frame(s.number, e.Frame)
		d.frames.Add(1)
		return true
	}
	return false
}

// show raises the last frame at or before the player's position of every started stream, in time
// order.
func (d *Device) show() {
	var list []rsbag.Event
	for _, s := range d.sensors {
		for _, p := range s.profiles {
			if e, err := d.file.Last(p.Stream, d.raised.status.Position); err == nil {
				list = append(list, e)
			} // else the stream begins later
		}
	}
	slices.SortStableFunc(list, func(a, b rsbag.Event) int { return cmp.Compare(a.Time, b.Time) })
	for _, e := range list {
		d.raise(e)
		e.Frame.Release()
	}
}

func (d *Device) setOption(s *sensor, id camdriver.OptionID, v float32) {
	changed := false
	d.mu.Lock()
	for i := range d.options[s.number] {
		if o := &d.options[s.number][i]; o.ID == id {
			changed = true
			o.Value, o.Min, o.Max = v, min(o.Min, v), max(o.Max, v)
		}
	}
	d.mu.Unlock()
	if changed && s.handler != nil {
		s.handler.OptionChanged(s.number, id, v)
	}
}

// setOptions sets all options to their values at a file time.
func (d *Device) setOptions(at time.Duration) {
	for i, s := range d.sensors {
		for _, o := range d.file.OptionsAt(i, at) {
			if old, _ := camdriver.FindOption(s.Options(), o.ID); old.Value != o.Value {
				d.setOption(s, o.ID, o.Value)
			}
		}
	}
}

// roundGap separates the last frame of a round from file time 0 of the next.
const roundGap = time.Millisecond

// report follows the player's state.
func (d *Device) report(s replay.Status) {
	r := &d.raised
	was := r.status
	r.status = s
	if s.Round > was.Round {
		part := replay.Range{To: d.Duration()}
		if s.Range != nil {
			part = *s.Range
		}
		r.looped += min(part.To, d.Duration()) - part.From + roundGap
		if !r.any { // nothing can be read
			d.player.Submit(replay.SetLoop{On: false})
		}
		r.any = false
	}
	if s.Jumps > was.Jumps {
		r.forget()
		d.setOptions(s.Position)
	}
	playing := func(s replay.Status) bool { return s.State == replay.Running || s.State == replay.Stalled }
	switch {
	case s.State == was.State:
	case s.State == replay.Finished:
		d.tell(camdriver.StatusEnded)
	case playing(s) && (was.State == replay.Paused || was.State == replay.Finished):
		d.tell(camdriver.StatusStreaming)
	case s.State == replay.Paused && playing(was):
		d.tell(camdriver.StatusPaused)
	}
	if r.watch != nil {
		r.watch(s)
	}
}

// tell calls the handler of a started sensor. All have the same.
func (d *Device) tell(kind camdriver.StatusKind) {
	if i := slices.IndexFunc(d.sensors, func(s *sensor) bool { return s.handler != nil }); i >= 0 {
		d.sensors[i].handler.StatusChanged(camdriver.Status{Kind: kind})
	}
}

// output is a replay.Output and the replay.Sink of all channels. Events don't pass through it:
// they raise themselves.
type output struct {
	replay.Nowhere
	device *Device
}

func (o output) Advertise(replay.Channel) (replay.Sink, error) { return o, nil }
func (output) Subscribers() int                                { return 1 }

// PublishClock implements replay.Output.
func (o output) PublishClock(t bagstore.Time) {
	if o.device.raised.clock != nil {
		o.device.raised.clock(t)
	}
}
