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

// raised is what was raised of a device, and who observes its player. The player's goroutine
// owns it.
type raised struct {
	seen   map[camdriver.StreamID]time.Duration // time of a stream's last frame since the last jump
	events time.Duration                        // the same for options and notifications
	clock  func(bagstore.Time)                  // see Observe; nil for none
	watch  func(replay.Status)                  // see Observe; nil for none
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
	d.any = true
	s := d.sensors[e.Sensor]
	switch {
	case e.Option != nil:
		d.setOption(s, e.Option.ID, e.Option.Value)
	case s.handler == nil:
	case e.Notification != nil:
		s.handler.Notification(s.number, *e.Notification)
	default:
		e.Frame.Profile.Default = true // see newSensor
		e.Frame.Arrival = d.opened.Add(d.looped + d.offset + e.Time)
		s.handler.Frame(s.number, e.Frame)
		d.frames.Add(1)
		return true
	}
	return false
}

// show raises the last frame at or before the player's position of every started stream, in time
// order.
func (g *group) show() {
	var list []*event
	for _, d := range g.devices {
		for _, s := range d.sensors {
			for _, p := range s.profiles {
				if e, err := d.file.Last(p.Stream, g.status.Position-d.offset); err == nil {
					list = append(list, &event{e, d})
				} // else the stream begins later
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *event) int {
		return cmp.Compare(a.device.offset+a.Time, b.device.offset+b.Time)
	})
	for _, e := range list {
		e.device.raise(e.Event)
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
func (g *group) report(s replay.Status) {
	was := g.status
	g.status = s
	if s.Round > was.Round {
		part := replay.Range{To: g.Duration()}
		if s.Range != nil {
			part = *s.Range
		}
		g.looped += min(part.To, g.Duration()) - part.From + roundGap
		if !g.any { // nothing can be read
			g.player.Submit(replay.SetLoop{On: false})
		}
		g.any = false
	}
	playing := func(s replay.Status) bool { return s.State == replay.Running || s.State == replay.Stalled }
	for _, d := range g.devices {
		if s.Jumps > was.Jumps {
			d.raised.forget()
			d.setOptions(s.Position - d.offset)
		}
		switch {
		case s.State == was.State:
		case s.State == replay.Finished:
			d.tell(camdriver.StatusEnded)
		case playing(s) && (was.State == replay.Paused || was.State == replay.Finished):
			d.tell(camdriver.StatusStreaming)
		case s.State == replay.Paused && playing(was):
			d.tell(camdriver.StatusPaused)
		}
		if d.raised.watch != nil {
			d.raised.watch(s)
		}
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
	group *group
}

func (o output) Advertise(replay.Channel) (replay.Sink, error) { return o, nil }
func (output) Subscribers() int                                { return 1 }

// PublishClock implements replay.Output.
func (o output) PublishClock(t bagstore.Time) {
	for _, d := range o.group.devices {
		if d.raised.clock != nil {
			d.raised.clock(t)
		}
	}
}
