package viewer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"rsros/camdriver"
	"rsros/replay"
	"rsros/viewer/wire"
)

func (g *camera) do(r *wire.Request) (map[string]any, error) {
	switch r.Op {
	case "option":
		return nil, g.setOption(r)
	case "record.start":
		file, err := g.startRecording(r)
		return map[string]any{"file": file}, err
	case "record.stop":
		return g.stopRecording()
	case "record.pause", "record.split", "record.mark", "record.trigger":
		rec, err := g.Records.Running()
		if err == nil {
			_, err = rec.Control(strings.TrimPrefix(r.Op, "record."), r.On)
		}
		return nil, err
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

// freeze freezes a live camera's images, or continues.
func (g *camera) freeze(op string) error {
	if op != "pause" && op != "play" {
		return errCannot
	}
	g.Frozen.Store(op == "pause")
	return nil
}

// seek goes to a time, a frame or a set.
func (g *camera) seek(r *wire.Request) error {
	var at time.Duration
	var err error
	switch {
	case r.Time != nil:
		at = time.Duration(*r.Time)
	case r.Set != nil:
		if *r.Set < 0 {
			return fmt.Errorf("set %d, want 0 or more", *r.Set)
		}
		at, err = g.setEnd(g.first + uint64(*r.Set))
	case r.Frame != nil:
		at, err = g.frameTime(r.Stream, *r.Frame)
	default:
		return errors.New("a seek needs a time, a set or a frame")
	}
	return g.goTo(at, err)
}

// goTo seeks to a time, unless err, from finding the time, isn't nil. While paused, a time before the first frame
// set is that of the set if images are watched, so that something is shown.
func (g *camera) goTo(at time.Duration, err error) error {
	if first, none := g.setEnd(g.first); none == nil && g.canResend() && g.watchesImages() {
		at = max(at, first)
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
func (g *camera) sendOptions() {
	for i, sensor := range g.Device.Sensors() {
		g.server.notify(g, "options", wire.Options{Sensor: i, Options: g.options(sensor)})
	}
}

// frameTime returns the time of a stream's frame.
func (g *camera) frameTime(id uint16, number uint64) (time.Duration, error) {
	for name, s := range g.streams {
		if s.id == id {
			return g.file.File().Find(name, number)
		}
	}
	return 0, camdriver.ErrNotFound
}

// setEnd returns the end of the frame set with the primary stream's frame number: the last instant before
// the next set.
func (g *camera) setEnd(number uint64) (time.Duration, error) {
	if _, err := g.file.File().Find(g.primary, number); err != nil {
		return 0, fmt.Errorf("frame set %d: %w", number-g.first, err)
	}
	next, err := g.file.File().Find(g.primary, number+1)
	if errors.Is(err, camdriver.ErrNotFound) { // the last set
		return g.file.Duration(), nil
	}
	return next - 1, err
}

// step pauses and goes forward n frame sets, or back if n is negative.
func (g *camera) step(n int) error {
	if err := g.run(replay.Pause{}); err != nil {
		return err
	}
	number := g.first
	if shown := g.shown.Load(); shown > 0 {
		at := int64(shown-1) + int64(n)
		number = uint64(max(at, int64(g.first)))
	}
	return g.goTo(g.setEnd(number))
}

func (g *camera) setOption(r *wire.Request) error {
	id, known := camdriver.ParseOptionID(r.Option)
	sensors := g.Device.Sensors()
	switch {
	case g.file != nil:
		return errors.New("a recording's options can't be changed")
	case !known || r.Value == nil || r.Sensor < 0 || r.Sensor >= len(sensors):
		return fmt.Errorf("option %.40q of sensor %d: %w", r.Option, r.Sensor, camdriver.ErrNotFound)
	}
	return sensors[r.Sensor].SetOption(id, *r.Value)
}

func (g *camera) canResend() bool {
	if g.file == nil {
		return false
	}
	st := g.file.Status().State
	return st == replay.Paused || st == replay.Finished
}

// begin implements stage.
func (g *camera) begin() error {
	watched := g.layout != nil && len(g.layout.watched()) > 0
	for _, s := range g.streams {
		watched = watched || s.watched()
	}
	return g.beginIf(watched)
}

// watchesImages reports whether a stream of images is watched.
func (g *camera) watchesImages() bool {
	for name, s := range g.streams {
		if name.Kind.Video() && s.watched() {
			return true
		}
	}
	return false
}

// resend implements stage. Before the first frame set, it goes to that set if images are watched.
func (g *camera) resend([]*stream) error {
	if first, err := g.setEnd(g.first); err == nil && g.file.Status().Position < first && g.watchesImages() {
		return g.run(replay.SeekOffset{Offset: first})
	}
	return g.file.Show(g.server.ctx)
}
