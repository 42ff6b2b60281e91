package recorded

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/replay"
)

// Do executes a command of the player, for all Cameras. Bag times are those of Frame.Arrival in the first round of
// a loop; positions are file times, of several cameras with their Offset.
//
// A StepMessage raises the events up to and including the next frame. While paused, seeks raise
// the last frame at or before the position of every started stream, and a Resume continues with
// the frames after those. After Close, the error is ErrClosed.
func (g *group) Do(ctx context.Context, c replay.Command) error {
	switch c.(type) {
	case replay.StepMessage:
		for before := g.frames.Load(); ; {
			if err := g.do(ctx, c); err != nil || g.frames.Load() > before {
				return err
			}
		}
	case replay.SeekTo, replay.SeekBy, replay.SeekOffset, replay.SetRange:
		jumps := g.Status().Jumps
		err := g.do(ctx, c)
		if s := g.Status(); err != nil || s.State != replay.Paused || s.Jumps == jumps {
			return err
		}
		return g.do(ctx, replay.Call{Func: g.show})
	}
	return g.do(ctx, c)
}

func (g *group) do(ctx context.Context, c replay.Command) error {
	err := g.player.Do(ctx, c)
	if errors.Is(err, replay.ErrStopped) {
		return camdriver.ErrClosed
	}
	return err
}

// Status returns the state of the player, which is at most 100 ms old. Position is a file time, of several cameras with
// their Offset.
func (g *group) Status() replay.Status { return g.player.Status() }

// Show raises the last frame at or before the position of every started stream again.
func (g *group) Show(ctx context.Context) error {
	return g.do(ctx, replay.Call{Func: func() {
		for _, d := range g.devices {
			d.raised.forget()
		}
		g.show()
	}})
}

// SeekFrame moves to the first frame of a stream with at least the given number.
func (d *Device) SeekFrame(ctx context.Context, id camdriver.StreamID, number uint64) error {
	at, err := d.file.Find(id, number)
	if err != nil {
		return fmt.Errorf("frame %d of %s: %w", number, id, err)
	}
	return d.Do(ctx, replay.SeekOffset{Offset: d.offset + at})
}

// Observe makes the player's goroutine call clock with the bag time Options.ClockHz times a second,
// and status at 10 Hz and at every change. Either may be nil. It returns when the functions that were
// set before are no longer called.
func (d *Device) Observe(clock func(bagstore.Time), status func(replay.Status)) {
	_ = d.do(context.Background(), replay.Call{Func: func() { d.raised.clock, d.raised.watch = clock, status }})
}

// choose calls change, which starts or stops sensors, between two frames, and continues with the streams
// that are started then.
func (d *Device) choose(change func() error) (err error) {
	closed := d.do(context.Background(), replay.Reselect{Change: func() (idle bool) {
		err = change()
		wanted := make(map[camdriver.StreamID]bool)
		for _, s := range d.sensors {
			for _, p := range s.profiles {
				wanted[p.Stream] = true
			}
		}
		d.wanted.Store(&wanted)
		return !slices.ContainsFunc(d.devices, (*Device).started)
	}})
	return errors.Join(closed, err)
}

// start starts a sensor. At the end of the file, playback restarts.
func (d *Device) start(s *sensor, profiles []camdriver.Profile, h camdriver.Handler) error {
	if d.Status().State == replay.Finished {
		if err := d.do(context.Background(), replay.SeekOffset{}); err != nil {
			return err
		}
	}
	return d.choose(func() error {
		if s.handler != nil {
			return camdriver.ErrBusy
		}
		if err := camdriver.CheckProfiles(profiles, s.check); err != nil {
			return err
		}
		s.handler, s.profiles = h, slices.Clone(profiles)
		return nil
	})
}

// started reports whether a sensor is started.
func (d *Device) started() bool {
	return slices.ContainsFunc(d.sensors, func(s *sensor) bool { return s.handler != nil })
}
