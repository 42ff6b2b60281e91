package live

import (
	"errors"
	"sync/atomic"

	"rsros/camdriver"
)

// gate lets a consumer see frames unless publishing is paused. What else happens to
// the device it always sees.
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

// pause stops a camera's publishing, so that every picture freezes, or lets it go on.
// Recording goes on in any case. The words are rosbag play's.
func (c *camera) pause(on bool) (string, error) {
	word := "resumed"
	if on {
		word = "paused"
	}
	if c.frozen.Swap(on) == on {
		return "", errors.New("Playback is already " + word) //nolint:staticcheck // ST1005: as rosbag play words it
	}
	c.log.Info().Msg("publishing is " + word + "; a recording goes on")
	return "Playback is now " + word, nil
}
