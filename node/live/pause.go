package live

import (
	"errors"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/node/graph"
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

// offerPause lets a camera be paused as a player is: publishing stops, so that every
// picture freezes, and recording goes on. /pause_playback is offered only where no
// other node has it, such as a player. A recording that plays as a device has these
// services from its controls.
func (c *camera) offerPause() error {
	if _, ok := c.device.(*playback.Device); ok {
		return nil
	}
	running, err := graph.OfferShared(c.node, graph.SetBool("~pause_playback", c.pause), graph.SetBool("/pause_playback", c.pause))
	if err != nil {
		return err
	}
	c.later(func() error { running.Close(); return nil })
	return nil
}

// pause stops publishing, or lets it go on. The words are rosbag play's.
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
