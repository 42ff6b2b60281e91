package play

import (
	"context"
	"time"

	"rsros/node/replay"
)

// commanded makes a replay.Player a control.Player.
type commanded struct{ *replay.Player }

func (p commanded) Pause(ctx context.Context) error        { return p.Do(ctx, replay.Pause{}) }
func (p commanded) Resume(ctx context.Context) error       { return p.Do(ctx, replay.Resume{}) }
func (p commanded) StepMessage(ctx context.Context) error  { return p.Do(ctx, replay.StepMessage{}) }
func (p commanded) StepFrameSet(ctx context.Context) error { return p.Do(ctx, replay.StepFrameSet{}) }
func (p commanded) Stop(ctx context.Context) error         { return p.Do(ctx, replay.Stop{}) }

func (p commanded) Seek(ctx context.Context, offset time.Duration) error {
	return p.Do(ctx, replay.SeekOffset{Offset: offset})
}

func (p commanded) SetRate(ctx context.Context, rate float64) error {
	return p.Do(ctx, replay.SetRate{Rate: rate})
}

func (p commanded) SetLoop(ctx context.Context, on bool) error {
	return p.Do(ctx, replay.SetLoop{On: on})
}
