package viewer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/camdriver"
	"rsros/replay"
	"rsros/viewer/api"
)

func (g *cameras) do(r *api.Request) (map[string]any, error) {
	if r.Op == "option" {
		return nil, g.setOption(r)
	}
	if op, ok := strings.CutPrefix(r.Op, "record."); ok {
		return g.record(op, r)
	}
	if g.file == nil {
		return nil, g.freeze(r.Op)
	}
	switch r.Op {
	case "seek":
		return nil, g.seek(r)
	case "step":
		return nil, g.step(r.Sets)
	}
	return nil, g.controls.do(r)
}

// freeze freezes the images of live cameras, or continues.
func (g *cameras) freeze(op string) error {
	if op != "pause" && op != "play" {
		return errCannot
	}
	for _, c := range g.parts {
		c.Frozen.Store(op == "pause")
	}
	return nil
}

// seek goes to a time, a frame or a set.
func (g *cameras) seek(r *api.Request) error {
	var at time.Duration
	var err error
	switch {
	case r.Time != nil:
		at = time.Duration(*r.Time)
	case r.Set != nil:
		if *r.Set < 0 {
			return fmt.Errorf("set %d, want 0 or more", *r.Set)
		}
		at, err = g.lead.setEnd(g.lead.first + uint64(*r.Set))
	case r.Frame != nil:
		at, err = g.frameTime(r.Stream, *r.Frame)
	default:
		return errors.New("a seek needs a time, a set or a frame")
	}
	return g.goTo(at, err)
}

// goTo seeks to a time, unless err, from finding the time, isn't nil. While paused, a time before the first frame
// set is that of the set if images are watched, so that something is shown.
func (g *cameras) goTo(at time.Duration, err error) error {
	if g.canResend() {
		at = max(at, g.firstSets())
	}
	if err == nil {
		err = g.run(replay.SeekOffset{Offset: at})
	}
	if err == nil {
		g.sendOptions()
	}
	return err
}

// sendOptions sends viewers the options of all sensors. After a seek, they have the values of
// another time.
func (g *cameras) sendOptions() {
	for _, c := range g.parts {
		for i, sensor := range c.Device.Sensors() {
			g.notify("options", api.Options{Sensor: c.sensors + i, Options: c.options(sensor)})
		}
	}
}

// frameTime returns the time of a stream's frame.
func (g *cameras) frameTime(id uint16, number uint64) (time.Duration, error) {
	c, name, s := g.lookup(id)
	if s == nil {
		return 0, camdriver.ErrNotFound
	}
	return c.find(name, number)
}

// find returns the position of a stream's frame.
func (g *camera) find(id camdriver.StreamID, number uint64) (time.Duration, error) {
	at, err := g.file.File().Find(id, number)
	return g.file.Offset() + at, err
}

// setEnd returns the end of the frame set with the primary stream's frame number: the last instant before
// the next set.
func (g *camera) setEnd(number uint64) (time.Duration, error) {
	if _, err := g.find(g.primary, number); err != nil {
		return 0, fmt.Errorf("frame set %d: %w", number-g.first, err)
	}
	next, err := g.find(g.primary, number+1)
	if errors.Is(err, camdriver.ErrNotFound) { // the last set
		return g.file.Duration(), nil
	}
	return next - 1, err
}

// maxLate is how much later than the first camera one may begin to be shown with it while the beginning is paused at.
const maxLate = time.Second

// firstSets returns the position at which the cameras whose images are watched have their first frame set, so that
// something is shown.
func (g *cameras) firstSets() (at time.Duration) {
	var ends []time.Duration
	for _, c := range g.parts {
		if end, err := c.setEnd(c.first); err == nil && c.watches(false) {
			ends = append(ends, end)
		}
	}
	for _, end := range ends {
		if end <= slices.Min(ends)+maxLate {
			at = max(at, end)
		}
	}
	return at
}

// step pauses and goes forward n frame sets, or back if n is negative.
func (g *cameras) step(n int) error {
	if err := g.run(replay.Pause{}); err != nil {
		return err
	}
	number := g.lead.first
	if last := g.lead.last.Load(); last > 0 {
		at := int64(last-1) + int64(n)
		number = uint64(max(at, int64(number)))
	}
	return g.goTo(g.lead.setEnd(number))
}

func (g *cameras) setOption(r *api.Request) error {
	if g.file != nil {
		return errors.New("a recording's options can't be changed")
	}
	id, known := camdriver.ParseOptionID(r.Option)
	for _, c := range g.parts {
		sensors, n := c.Device.Sensors(), r.Sensor-c.sensors
		if known && r.Value != nil && n >= 0 && n < len(sensors) {
			return sensors[n].SetOption(id, *r.Value)
		}
	}
	return fmt.Errorf("option %.40q of sensor %d: %w", r.Option, r.Sensor, camdriver.ErrNotFound)
}

// watches reports whether a stream is watched, of images or of any kind.
func (g *camera) watches(anyKind bool) bool {
	for name, s := range g.streams {
		if (anyKind || name.Kind.Video()) && s.watched() {
			return true
		}
	}
	return false
}

// still reports whether a recording shows the frames of one position.
func (g *cameras) still() bool {
	st := g.file.Status().State
	return st == replay.Paused || st == replay.Finished
}

// resend implements stage. Before the first frame sets, it goes to them if images are watched.
func (g *cameras) resend([]*stream) error {
	if first := g.firstSets(); g.file.Status().Position < first {
		return g.run(replay.SeekOffset{Offset: first})
	}
	return g.file.Show(g.server.ctx)
}
