package control

import (
	"context"
	"slices"
	"testing"
	"time"

	"rsros/replay"
)

// commands is a Player that lists what it is told.
type commands struct{ list []replay.Command }

func (c *commands) Do(_ context.Context, command replay.Command) error {
	c.list = append(c.list, command)
	return nil
}

func (c *commands) Status() replay.Status { return replay.Status{} }

// TestSet: a client that sends all values, with the position that was last published, doesn't seek.
func TestSet(t *testing.T) {
	all := func(position float64) map[string]any {
		return map[string]any{"rate": 2.0, "position": position, "loop": true, "paused": false}
	}
	for name, c := range map[string]struct {
		sent map[string]any
		want []replay.Command
	}{
		"all values":     {all(1.5003), []replay.Command{replay.SetRate{Rate: 2}, replay.SetLoop{On: true}, replay.Resume{}}},
		"and a position": {all(1.502), []replay.Command{replay.SetRate{Rate: 2}, replay.SeekOffset{Offset: 1502 * time.Millisecond}, replay.SetLoop{On: true}, replay.Resume{}}},
		"one value":      {map[string]any{"paused": true}, []replay.Command{replay.Pause{}}},
		"a wild rate":    {map[string]any{"rate": 1e9}, []replay.Command{replay.SetRate{Rate: maxRate}}},
	} {
		player := &commands{}
		remote := &Remote{player: player}
		remote.published.Store(&replay.Status{Position: 1500 * time.Millisecond})
		if err := remote.set(t.Context(), c.sent); err != nil || !slices.Equal(player.list, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, player.list, err, c.want)
		}
	}
}
