package control

import (
	"context"
	"errors"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/node/bridge"
	"rsros/replay"
)

// answer reads a request and encodes the response. An empty response needs nothing.
type answer func(ctx context.Context, d *msgs.Decoder, e *msgs.Encoder) error

// OfferRosbag2 offers the services of rosbag2's player in ROS 2, by their names, until the mirror is closed.
func OfferRosbag2(m *bridge.Mirror, p Player) error {
	do := func(ctx context.Context, c replay.Command) error {
		if err := p.Do(ctx, c); !errors.Is(err, replay.ErrNoChange) {
			return err
		}
		return nil
	}
	command := func(c replay.Command) answer {
		return func(ctx context.Context, _ *msgs.Decoder, _ *msgs.Encoder) error { return do(ctx, c) }
	}
	// success answers whether a command was done.
	success := func(read func(*msgs.Decoder) replay.Command) answer {
		return func(ctx context.Context, d *msgs.Decoder, e *msgs.Encoder) error {
			c := read(d)
			e.Bool(d.Err() == nil && do(ctx, c) == nil)
			return nil
		}
	}
	for _, s := range []struct {
		name, typ string
		answer    answer
	}{
		{"pause", "Pause", command(replay.Pause{})},
		{"resume", "Resume", command(replay.Resume{})},
		{"toggle_paused", "TogglePaused", command(replay.Toggle{})},
		{"stop", "Stop", command(replay.Stop{})},
		{"is_paused", "IsPaused", func(_ context.Context, _ *msgs.Decoder, e *msgs.Encoder) error {
			e.Bool(p.Status().State == replay.Paused)
			return nil
		}},
		{"get_rate", "GetRate", func(_ context.Context, _ *msgs.Decoder, e *msgs.Encoder) error {
			e.F64(p.Status().Rate)
			return nil
		}},
		{"set_rate", "SetRate", success(func(d *msgs.Decoder) replay.Command { return replay.SetRate{Rate: d.F64()} })},
		{"seek", "Seek", success(func(d *msgs.Decoder) replay.Command {
			return replay.SeekTo{Time: bagstore.Time(d.Time())}
		})},
		{"play_next", "PlayNext", success(func(*msgs.Decoder) replay.Command { return replay.StepMessage{} })},
		{"burst", "Burst", func(ctx context.Context, d *msgs.Decoder, e *msgs.Encoder) error {
			wanted, done := d.U64(), uint64(0)
			for d.Err() == nil && (wanted == 0 || done < wanted) && do(ctx, replay.StepMessage{}) == nil {
				done++
			}
			e.U64(done)
			return nil
		}},
		{"play", "Play", func(ctx context.Context, d *msgs.Decoder, e *msgs.Encoder) error {
			e.Bool(play(ctx, do, p.Status().State, d))
			return d.Err()
		}},
	} {
		serve := func(ctx context.Context, b []byte) ([]byte, error) {
			var e msgs.Encoder
			e.BeginCDR()
			empty := len(e.B)
			err := s.answer(ctx, msgs.NewCDRDecoder(b), &e)
			if len(e.B) == empty {
				e.U8(0) // an empty response has a byte
			}
			return e.B, err
		}
		if err := m.Serve("/rosbag2_player/"+s.name, "rosbag2_interfaces/srv/"+s.typ, serve); err != nil {
			return err
		}
	}
	return nil
}

// play plays on from an offset. It reports false if the player is playing, or for an end of its own, which it can't
// have.
func play(ctx context.Context, do func(context.Context, replay.Command) error,
	state replay.State, d *msgs.Decoder) bool {
	offset, length, until := d.Time(), d.Duration(), d.Time()
	if d.Err() != nil || state != replay.Paused || length > 0 || until > 0 {
		return false
	}
	if offset > 0 && do(ctx, replay.SeekOffset{Offset: time.Duration(offset)}) != nil {
		return false
	}
	return do(ctx, replay.Resume{}) == nil
}
