package live

import (
	"errors"
	"sync/atomic"

	"rsros/camdriver"
)

// gate passes frames to a consumer unless publishing is paused. It passes all other events.
type gate struct {
	camdriver.Handler
	closed *atomic.Bool
}

func (c *camera) gate(h camdriver.Handler) *gate { return &gate{h, &c.frozen} }

// Frame implements camdriver.Handler.
func (g *gate) Frame(sensor int, f *camdriver.Frame) {
	if !g.closed.Load() {
		g.Handler.Frame(sensor, f)
	}
}

// pause pauses or resumes a camera's publishing, not its recording. The texts are rosbag
// play's.
func (c *camera) pause(on bool) (string, error) {
	word := "resumed"
	if on {
		word = "paused"
	}
	if c.frozen.Swap(on) == on {
		return "", errors.New("Playback is already " + word) //nolint:staticcheck // ST1005: the text of rosbag play
	}
	c.log.Info().Msg("publishing is " + word + "; a recording goes on")
	return "Playback is now " + word, nil
}
