package viewer

import (
	"cmp"
	"context"
	"errors"

	"rsros/bagstore"
	"rsros/replay"
	"rsros/viewer/api"
)

// controls execute requests with the player of a stage: of a recording's topics, or a recorded device.
type controls struct {
	ctx    context.Context // of the server
	player interface {
		Do(context.Context, replay.Command) error
		Status() replay.Status
	}
	start bagstore.Time // of viewers' time line: that of the player's first message, or 0
	waits bool          // to play until there is a viewer, who would miss the beginning; the owner's
}

// beginIf resumes playback that waits for a viewer, if there is one.
func (p *controls) beginIf(watched bool) error {
	if !p.waits || !watched {
		return nil
	}
	return p.run(replay.Resume{})
}

// state returns the state for viewers.
func (p *controls) state() *api.State {
	s := p.player.Status()
	at := api.Nanos(p.start.Add(s.Position))
	out := &api.State{
		Position: &at, Rate: s.Rate, Loop: s.Loop, Round: s.Round, Jumps: s.Jumps,
		Playing: s.State != replay.Paused && s.State != replay.Finished,
		Ended:   s.State == replay.Finished,
		Stalled: s.State == replay.Stalled,
		Waiting: s.State == replay.Waiting || s.State == replay.Delayed || s.State == replay.Stalled,
	}
	if r := s.Range; r != nil {
		out.Range = &[2]api.Nanos{api.Nanos(p.start.Add(r.From)), api.Nanos(p.start.Add(r.To))}
	}
	return out
}

// do executes the requests that are the same for all recordings.
func (p *controls) do(r *api.Request) error {
	switch r.Op {
	case "play":
		return p.play()
	case "pause":
		return p.run(replay.Pause{})
	case "rate":
		return p.run(replay.SetRate{Rate: r.Rate})
	case "loop":
		return p.run(replay.SetLoop{On: r.On})
	case "range":
		return p.setRange(r.Range)
	}
	return errCannot
}

// run makes the player execute commands. replay.ErrNoChange is no error, because another viewer may have been faster.
func (p *controls) run(commands ...replay.Command) error {
	for _, c := range commands {
		switch c.(type) {
		case replay.Pause, replay.Resume:
			p.waits = false
		}
		if err := p.player.Do(p.ctx, c); err != nil && !errors.Is(err, replay.ErrNoChange) {
			return err
		}
	}
	return nil
}

// play resumes. At the end, it plays from the beginning again.
func (p *controls) play() error {
	s := p.player.Status()
	if s.State != replay.Finished {
		return p.run(replay.Resume{})
	}
	from := cmp.Or(s.Range, new(replay.Range)).From
	return p.run(replay.SeekOffset{Offset: from}, replay.Resume{})
}

// setRange loops over a part, or over everything if part is nil.
func (p *controls) setRange(part *[2]api.Nanos) error {
	if part == nil {
		return p.run(replay.ClearRange{})
	}
	from, to := bagstore.Time(part[0]).Sub(p.start), bagstore.Time(part[1]).Sub(p.start)
	return p.run(replay.SetRange{Range: replay.Range{From: max(from, 0), To: to}})
}
